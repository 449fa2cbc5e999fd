"""The width of the terminal, and copies of files that a session may open."""

import os

from os import get_terminal_size as _size


class Error(OSError):
    pass


class SameFileError(Error):
    pass


def get_terminal_size(fallback=(80, 24)):
    return _size()


def which(cmd, mode=None, path=None):
    return None


def copyfileobj(source, target, length=1 << 16):
    while data := source.read(length):
        target.write(data)


def copyfile(source, target, *, follow_symlinks=True):
    if os.path.exists(target) and os.path.samefile(source, target):
        raise SameFileError(f"{source!r} and {target!r} are the same file")
    with open(source, "rb") as read, open(target, "wb") as write:
        copyfileobj(read, write)
    return target


def copy(source, target, *, follow_symlinks=True):
    if os.path.isdir(target):
        target = os.path.join(target, os.path.basename(source))
    return copyfile(source, target)


copy2 = copy


def move(source, target):
    if os.path.isdir(target):
        target = os.path.join(target, os.path.basename(source))
    os.rename(source, target)
    return target


def rmtree(path, ignore_errors=False, onerror=None, *, onexc=None, dir_fd=None):
    """Removes a folder and all that is in it. A link is removed, not followed."""
    if os.path.islink(path):
        raise OSError("Cannot call rmtree on a symbolic link")
    try:
        for entry in list(os.scandir(path)):
            if entry.is_dir(follow_symlinks=False):
                rmtree(entry.path, ignore_errors)
            else:
                os.remove(entry.path)
        os.rmdir(path)
    except OSError:
        if not ignore_errors:
            raise


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'shutil' has no attribute {name!r}")

    def refuse(*args, **kwargs):
        raise PermissionError("shutil." + name + ": attn copies and moves single files only")

    return refuse
