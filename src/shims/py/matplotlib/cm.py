"""Colour maps, by name."""

from . import Colormap, get_cmap as get_cmap


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return Colormap(name)


class ScalarMappable:
    def __init__(self, norm=None, cmap=None):
        pass

    def set_array(self, array):
        pass
