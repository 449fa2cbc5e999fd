"""Folders for a short time, beside the notebook: with --allow-write alone."""

import os

__all__ = ["TemporaryDirectory", "mkdtemp"]


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


def __getattr__(name):
    if name in ("gettempdir", "NamedTemporaryFile", "SpooledTemporaryFile", "TemporaryFile", "mkstemp"):
        raise AttributeError(f"tempfile.{name} is not part of attn: open a file in a TemporaryDirectory()")
    raise AttributeError(f"module 'tempfile' has no attribute {name!r}")
