"""Files for a short time, beside the notebook: with --allow-write alone."""

import io
import os

__all__ = ["NamedTemporaryFile", "SpooledTemporaryFile", "TemporaryDirectory", "TemporaryFile", "gettempdir", "mkdtemp"]

tempdir = None


def gettempdir():
    """The folder for such files: the current one, since attn opens no other."""
    return os.getcwd()


def _free(suffix, prefix, folder):
    """A name that is not taken."""
    number = 0
    while True:
        name = os.path.join(folder or ".", f"{prefix or 'tmp'}{number:08x}{suffix or ''}")
        if not os.path.exists(name):
            return os.path.abspath(name)
        number += 1


def mkdtemp(suffix=None, prefix=None, dir=None):
    name = _free(suffix, prefix, dir)
    os.mkdir(name)
    return name


class TemporaryDirectory:
    """A folder that is removed at the end of its block."""

    def __init__(self, suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False, *, delete=True):
        self.name, self._ignores, self._delete = mkdtemp(suffix, prefix, dir), ignore_cleanup_errors, delete

    def cleanup(self):
        import shutil

        if os.path.exists(self.name):
            shutil.rmtree(self.name, ignore_errors=self._ignores)

    def __enter__(self):
        return self.name

    def __exit__(self, *error):
        if self._delete:
            self.cleanup()

    def __repr__(self):
        return f"<TemporaryDirectory {self.name!r}>"


class _NamedFile:
    """A file with a name that is removed when it is closed."""

    def __init__(self, file, name, delete):
        self.file, self.name, self.delete = file, name, delete

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __iter__(self):
        return iter(self.file)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        self.file.close()
        if self.delete and os.path.exists(self.name):
            os.remove(self.name)


def NamedTemporaryFile(mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None,
                       delete=True, *, errors=None, delete_on_close=True):
    name = _free(suffix, prefix, dir)
    return _NamedFile(open(name, mode, buffering, encoding, errors, newline), name, delete)


def TemporaryFile(mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, *, errors=None):
    """A file that nobody else can name: in memory."""
    return io.BytesIO() if "b" in mode else io.StringIO()


def SpooledTemporaryFile(max_size=0, mode="w+b", *args, **words):
    return TemporaryFile(mode)
