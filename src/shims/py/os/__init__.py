"""A harmless `os`: names and paths as text; no files, no processes."""

import sys
from . import path

name = "posix"
sep = "/"
altsep = None
extsep = "."
curdir = "."
pardir = ".."
pathsep = ":"
linesep = "\n"
devnull = "/dev/null"
O_RDONLY = 0
error = OSError

environ = {}


def getenv(key, default=None):
    return environ.get(key, default)


def putenv(key, value):
    environ[key] = value


def unsetenv(key):
    environ.pop(key, None)


def getcwd():
    return "/"


def getpid():
    return 1


def cpu_count():
    return 1


process_cpu_count = cpu_count


def urandom(n):
    raise NotImplementedError("attn has no random numbers from the system: lessons give the same numbers each time")


def fspath(value):
    if isinstance(value, (str, bytes)):
        return value
    method = getattr(type(value), "__fspath__", None)
    if method is None:
        raise TypeError("expected str, bytes or os.PathLike object, not " + type(value).__name__)
    return method(value)


def fsdecode(value):
    value = fspath(value)
    return value.decode("utf-8") if isinstance(value, bytes) else value


def fsencode(value):
    value = fspath(value)
    return value.encode("utf-8") if isinstance(value, str) else value


class PathLike:
    def __fspath__(self):
        raise NotImplementedError


class terminal_size(tuple):
    columns = property(lambda self: self[0])
    lines = property(lambda self: self[1])


def get_terminal_size(fd=1):
    return terminal_size((80, 24))


def _refused(function):
    def refuse(*args, **kwargs):
        raise PermissionError("os." + function + ": attn runs lessons without files or processes")

    refuse.__name__ = refuse.__qualname__ = function
    return refuse


for _name in (
    "abort access chdir chmod chown close copy_file_range execv execve execvp fstat getlogin getxattr kill link "
    "listdir lstat makedirs mkdir mkfifo open pipe popen posix_spawn read readlink remove removedirs "
    "rename renames replace rmdir scandir sendfile spawnl spawnv startfile stat statvfs symlink system truncate umask "
    "unlink utime wait waitpid walk write"
).split():
    globals()[_name] = _refused(_name)
del _name

sys.modules["os.path"] = path
