"""Paths, and the files that a session may open."""

import os.path

__all__ = ["Path", "PosixPath", "PurePath", "PurePosixPath"]


class PurePath:
    def __new__(cls, *parts):
        return object.__new__(PurePosixPath if cls is PurePath else cls)

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


class PurePosixPath(PurePath):
    pass


class Path(PurePath):
    def __new__(cls, *parts):
        return object.__new__(PosixPath if cls is Path else cls)

    @classmethod
    def cwd(cls):
        return cls(os.getcwd())

    home = cwd

    def exists(self, *, follow_symlinks=True):
        return os.path.exists(self) if follow_symlinks else os.path.lexists(self)

    is_file, is_dir, is_symlink = os.path.isfile, os.path.isdir, os.path.islink
    samefile, stat, lstat, rmdir = os.path.samefile, os.stat, os.lstat, os.rmdir

    def resolve(self, strict=False):
        return type(self)(os.path.abspath(self._path))

    absolute = resolve

    def expanduser(self):
        return self

    def open(self, mode="r", buffering=-1, encoding=None, errors=None, newline=None):
        import io

        return io.open(self, mode, buffering, encoding, errors, newline)

    def read_text(self, encoding=None, errors=None, newline=None):
        with self.open("r", encoding=encoding, errors=errors, newline=newline) as file:
            return file.read()

    def read_bytes(self):
        with self.open("rb") as file:
            return file.read()

    def write_text(self, data, encoding=None, errors=None, newline=None):
        if not isinstance(data, str):
            raise TypeError(f"data must be str, not {type(data).__name__}")
        with self.open("w", encoding=encoding, errors=errors, newline=newline) as file:
            return file.write(data)

    def write_bytes(self, data):
        with self.open("wb") as file:
            return file.write(data)

    def touch(self, mode=0o666, exist_ok=True):
        self.open("ab" if exist_ok else "xb").close()

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        if parents:
            return os.makedirs(self, exist_ok=exist_ok)
        try:
            os.mkdir(self)
        except FileExistsError:
            if not exist_ok or not self.is_dir():
                raise

    def unlink(self, missing_ok=False):
        try:
            os.remove(self)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rename(self, target):
        os.rename(self, target)
        return type(self)(target)

    replace = rename

    def iterdir(self):
        return iter([self / name for name in os.listdir(self)])

    def glob(self, pattern):
        import glob

        return iter([self / found for found in glob.glob(os.fspath(pattern), root_dir=self, recursive=True)])

    def rglob(self, pattern):
        return self.glob("**/" + os.fspath(pattern))


def _refused(method):
    def refuse(self, *args, **kwargs):
        raise PermissionError("Path." + method + ": attn changes nothing of the system")

    refuse.__name__ = method
    return refuse


for _name in "chmod symlink_to hardlink_to readlink owner group".split():
    setattr(Path, _name, _refused(_name))
del _name


class PosixPath(Path):
    pass
