"""Paths as text; whatever would touch a file is refused."""

import os.path

__all__ = ["Path", "PosixPath", "PurePath", "PurePosixPath"]


class PurePath:
    def __init__(self, *parts):
        self._path = os.path.join(*parts) if parts else "."
        root = "/" if self._path.startswith("/") else ""
        kept = [part for part in self._path.split("/") if part not in ("", ".")]
        self._path = root + "/".join(kept) or "."
        self._parts = ([root] if root else []) + kept

    parts = property(lambda self: tuple(self._parts))
    name = property(lambda self: self._parts[-1] if self._parts and self._parts[-1] != "/" else "")
    suffix = property(lambda self: os.path.splitext(self.name)[1])
    stem = property(lambda self: os.path.splitext(self.name)[0])
    root = anchor = property(lambda self: "/" if self._path.startswith("/") else "")
    drive = ""

    @property
    def parent(self):
        return type(self)(os.path.dirname(self._path) or ".")

    @property
    def parents(self):
        found, path = [], self
        while path.parent != path:
            path = path.parent
            found.append(path)
        return tuple(found)

    def __fspath__(self):
        return self._path

    def __str__(self):
        return self._path

    def __repr__(self):
        return f"{type(self).__name__}({self._path!r})"

    def __hash__(self):
        return hash(self._path)

    def __eq__(self, other):
        return self._path == other._path if isinstance(other, PurePath) else NotImplemented

    def __lt__(self, other):
        return self._parts < other._parts if isinstance(other, PurePath) else NotImplemented

    def __truediv__(self, other):
        return type(self)(self._path, other)

    def __rtruediv__(self, other):
        return type(self)(other, self._path)

    def joinpath(self, *others):
        return type(self)(self._path, *others)

    def with_name(self, name):
        return self.parent / name

    def with_suffix(self, suffix):
        return self.parent / (self.stem + suffix)

    def with_stem(self, stem):
        return self.parent / (stem + self.suffix)

    def as_posix(self):
        return self._path

    def is_absolute(self):
        return self._path.startswith("/")

    def relative_to(self, other):
        return type(self)(os.path.relpath(self._path, os.fspath(other)))


PurePosixPath = PurePath


class Path(PurePath):
    @classmethod
    def cwd(cls):
        return cls("/")

    home = cwd

    def exists(self):
        return False

    is_file = is_dir = is_symlink = exists

    def resolve(self, strict=False):
        return type(self)(os.path.abspath(self._path))

    absolute = resolve

    def expanduser(self):
        return self


def _refused(method):
    def refuse(self, *args, **kwargs):
        raise PermissionError("Path." + method + ": attn runs lessons without files")

    refuse.__name__ = method
    return refuse


for _name in (
    "chmod glob iterdir mkdir open read_bytes read_text rename replace rglob rmdir samefile stat touch unlink "
    "write_bytes write_text"
).split():
    setattr(Path, _name, _refused(_name))
del _name

PosixPath = Path
