"""Colours and how numbers become them: a terminal has its own."""

from ._colormaps import Colormap, Colour


def to_rgba(c, alpha=None):
    return Colour(c)


to_rgb = to_hex = to_rgba


class Normalize:
    def __init__(self, vmin=None, vmax=None, clip=False):
        self.vmin, self.vmax = vmin, vmax


class LogNorm(Normalize):
    pass


class TwoSlopeNorm(Normalize):
    def __init__(self, vcenter, vmin=None, vmax=None):
        super().__init__(vmin, vmax)


class ListedColormap(Colormap):
    def __init__(self, colors, name="from_list", N=None):
        super().__init__(name, len(colors) if N is None else N)


class LinearSegmentedColormap(Colormap):
    def __init__(self, name, segmentdata, N=256, gamma=1.0):
        super().__init__(name, N)

    @classmethod
    def from_list(cls, name, colors, N=256):
        return cls(name, colors, N)
