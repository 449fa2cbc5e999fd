"""Names of files that match a pattern, as Python's own `glob`; in the order of their names."""

import os
import re

__all__ = ["glob", "iglob", "escape", "has_magic"]


def has_magic(pattern):
    return any(letter in pattern for letter in "*?[")


def escape(path):
    return "".join("[" + letter + "]" if letter in "*?[" else letter for letter in path)


def glob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    """The paths that match; `**` stands for any folders if `recursive`."""
    if dir_fd is not None:
        raise NotImplementedError("glob(dir_fd=...): attn opens folders by name alone")
    pattern = os.fspath(pathname)
    root = os.fspath(root_dir) if root_dir is not None else ""
    start = "/" if pattern.startswith("/") else ""
    found = [start]
    parts = [part for part in pattern.split("/") if part]
    for at, part in enumerate(parts):
        last = at + 1 == len(parts)
        found = [path for above in found for path in _step(root, above, part, last, recursive, include_hidden)]
    if pattern.endswith("/"):
        found = [path + "/" for path in found if os.path.isdir(os.path.join(root, path))]
    return [path for path in dict.fromkeys(found) if path]


def iglob(pathname, **options):
    return iter(glob(pathname, **options))


def _step(root, above, part, last, recursive, include_hidden):
    here = os.path.join(root, above) or "."
    if recursive and part == "**":
        if not above or os.path.isdir(here):
            yield above
        for folder, folders, files in os.walk(here):
            folders[:] = sorted(name for name in folders if include_hidden or not name.startswith("."))
            inside = os.path.relpath(folder, here)
            prefix = above if inside == "." else os.path.join(above, inside)
            for name in sorted(folders + files if last else folders):
                if include_hidden or not name.startswith("."):
                    yield os.path.join(prefix, name)
        return
    if not has_magic(part):
        path = os.path.join(above, part)
        if os.path.lexists(os.path.join(root, path)):
            yield path
        return
    from fnmatch import translate

    matches = re.compile(translate(part)).match
    try:
        names = os.listdir(here)
    except OSError:
        return
    for name in names:
        hidden = name.startswith(".") and not part.startswith(".")
        if matches(name) and (include_hidden or not hidden):
            path = os.path.join(above, name)
            if last or os.path.isdir(os.path.join(root, path)):
                yield path
