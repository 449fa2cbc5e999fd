"""The width of the terminal; whatever would touch a file is refused."""

from os import get_terminal_size as _size


def get_terminal_size(fallback=(80, 24)):
    return _size()


def which(cmd, mode=None, path=None):
    return None


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'shutil' has no attribute {name!r}")

    def refuse(*args, **kwargs):
        raise PermissionError("shutil." + name + ": attn runs lessons without files")

    return refuse
