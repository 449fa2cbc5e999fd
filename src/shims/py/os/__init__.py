"""`os`: paths, and the files that a session may open (`_files` decides); no processes, an empty environment."""

import builtins
import sys
from abc import ABC, abstractmethod

name = "posix"
sep = "/"
altsep = None
extsep = "."
curdir = "."
pardir = ".."
pathsep = ":"
linesep = "\n"
devnull = "/dev/null"
O_RDONLY, O_WRONLY, O_CREAT, O_EXCL = 0, 1, 0o100, 0o200
SEEK_SET, SEEK_CUR, SEEK_END = range(3)
error = OSError

environ = {}


def getenv(key, default=None):
    return environ.get(key, default)


def getcwd():
    """The folder in which relative paths begin; "/" if no file is open to cells."""
    import _files

    return _files.home() or "/"


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


class PathLike(ABC):
    @abstractmethod
    def __fspath__(self):
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, subclass):
        return hasattr(subclass, "__fspath__") if cls is PathLike else NotImplemented


class terminal_size(tuple):
    columns = property(lambda self: self[0])
    lines = property(lambda self: self[1])


def get_terminal_size(fd=1):
    return terminal_size((80, 24))


_KINDS = {"file": 0o100644, "dir": 0o040755, "link": 0o120777, "other": 0}


class stat_result(tuple):
    """What is known of a file: its kind and size, and when it was changed. The rest is 0."""

    st_mode = property(lambda self: self[0])
    st_dev = st_uid = st_gid = property(lambda self: 0)
    # Different for different paths, so that `samefile` tells them apart.
    st_ino = property(lambda self: self._number)
    st_nlink = property(lambda self: 1)
    st_size = property(lambda self: self[6])
    st_mtime = st_atime = st_ctime = property(lambda self: self._time)
    st_mtime_ns = property(lambda self: int(self._time * 1e9))


def _ask(function, file, *more):
    """What the module `_files` answers, which there is not yet when this one is loaded."""
    import _files

    return getattr(_files, function)(fsdecode(file), *more)


def _number_of(name):
    return abs(hash(path.abspath(fsdecode(name))))


def stat(path, *, follow_symlinks=True):
    kind, size, changed = _ask("stat", path, follow_symlinks)
    seconds = int(changed)
    result = stat_result((_KINDS[kind], 0, 0, 1, 0, 0, size, seconds, seconds, seconds))
    result._time, result._number = changed, _number_of(path)
    return result


def lstat(path):
    return stat(path, follow_symlinks=False)


class DirEntry:
    """A name in a folder, as `scandir` lists it."""

    def __init__(self, folder, name, is_folder):
        self.name, self.path, self._is_folder = name, path.join(folder, name), is_folder

    def is_dir(self, *, follow_symlinks=True):
        return self._is_folder or (follow_symlinks and path.isdir(self.path))

    def is_file(self, *, follow_symlinks=True):
        return not self._is_folder and path.isfile(self.path) and (follow_symlinks or not self.is_symlink())

    def is_symlink(self):
        return path.islink(self.path)

    def stat(self, *, follow_symlinks=True):
        return stat(self.path, follow_symlinks=follow_symlinks)

    def __fspath__(self):
        return self.path


class _Entries(list):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    close = __exit__


def scandir(folder="."):
    return _Entries(DirEntry(fsdecode(folder), name, is_folder) for name, is_folder in _ask("names", folder))


def listdir(folder="."):
    return [name for name, _ in _ask("names", folder)]


# What `Path.walk` gives for links that are not followed: here they never are.
_walk_symlinks_as_files = False


def walk(top, topdown=True, onerror=None, followlinks=False):
    """Folders below `top`: for each its path, the names of folders and those of files. Links are not followed."""
    if followlinks:
        raise NotImplementedError("os.walk(followlinks=True): attn follows no links")
    try:
        entries = list(scandir(top))
    except OSError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    files = [entry.name for entry in entries if entry.name not in folders]
    if topdown:
        yield fspath(top), folders, files
    for name in folders:
        yield from walk(path.join(fspath(top), name), topdown, onerror)
    if not topdown:
        yield fspath(top), folders, files


def mkdir(folder, mode=0o777):
    _ask("mkdir", folder)


def makedirs(folder, mode=0o777, exist_ok=False):
    folder = fsdecode(folder)
    above, name = path.split(folder.rstrip("/") or folder)
    if above and name and not path.exists(above):
        makedirs(above, exist_ok=True)
    try:
        mkdir(folder)
    except FileExistsError:
        if not exist_ok or not path.isdir(folder):
            raise


def remove(file):
    _ask("remove", file)


unlink = remove


def rmdir(folder):
    _ask("rmdir", folder)


def rename(source, target):
    _ask("rename", source, fsdecode(target))


replace = rename


def access(file, mode):
    return path.exists(file)


def open(file, flags, mode=0o777):
    """Creates a file, as `Path.touch` does: files have no numbers here."""
    if not flags & O_CREAT:
        raise PermissionError("os.open: attn opens files with open() alone")
    builtins.open(file, "xb" if flags & O_EXCL else "ab").close()
    return -1


def close(fd):
    pass


F_OK, R_OK, W_OK, X_OK = 0, 4, 2, 1


def _refused(function):
    def refuse(*args, **kwargs):
        raise PermissionError("os." + function + ": attn runs no processes and changes nothing of the system")

    refuse.__name__ = refuse.__qualname__ = function
    return refuse


for _name in (
    "abort chdir chmod chown copy_file_range execv execve execvp fstat getlogin getxattr kill link "
    "mkfifo pipe popen posix_spawn read readlink removedirs "
    "renames sendfile spawnl spawnv startfile statvfs symlink system truncate umask "
    "utime wait waitpid write"
).split():
    globals()[_name] = _refused(_name)
del _name

# At the end: it imports this module.
import posixpath as path

sys.modules["os.path"] = path
