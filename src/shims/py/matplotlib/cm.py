"""Colour maps, by name."""

from ._artists import ignored
from ._colormaps import get_cmap as get_cmap, names


def __getattr__(name):
    if name.startswith("_") or name not in names():
        raise AttributeError(f"module 'matplotlib.cm' has no attribute {name!r}")
    return get_cmap(name)


class ScalarMappable:
    def __init__(self, norm=None, cmap=None):
        pass

    set_array = ignored
