"""Colours and how numbers become them: a terminal has its own."""

from ._colormaps import Colormap, mixed, rows_between
from ._rgba import to_rgba as to_rgba


def to_rgb(c):
    return to_rgba(c)[:3]


def to_hex(c, keep_alpha=False):
    parts = to_rgba(c)
    return "#" + "".join(f"{round(part * 255):02x}" for part in (parts if keep_alpha else parts[:3]))


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
        colors = [colors] if isinstance(colors, str) else list(colors)
        super().__init__(name, len(colors) if N is None else N)
        self._listed = colors

    def _colors(self):
        colors = [to_rgba(color) for color in self._listed]
        return [colors[at % len(colors)] for at in range(self.N)]

    @property
    def colors(self):
        return self._listed

    def reversed(self, name=None):
        made = ListedColormap(self._listed[::-1], name or self.name + "_r", self.N)
        made._bad, made._under, made._over = self._bad, self._over, self._under
        return made

    def resampled(self, lutsize):
        return ListedColormap([self(at / max(lutsize - 1, 1)) for at in range(lutsize)], self.name)


class LinearSegmentedColormap(Colormap):
    def __init__(self, name, segmentdata, N=256, gamma=1.0):
        raise NotImplementedError("attn makes colour maps by LinearSegmentedColormap.from_list")

    def _colors(self):
        return mixed(self._rows, self.N)

    @classmethod
    def from_list(cls, name, colors, N=256):
        colors = list(colors)
        places = None
        if len(colors[0]) == 2 and not isinstance(colors[0], str):
            places, colors = zip(*colors)
        rows = rows_between([to_rgba(color) for color in colors])
        if places is not None:
            rows = {part: [(float(at), *row[1:]) for at, row in zip(places, rows[part])] for part in rows}
        made = cls.__new__(cls)
        Colormap.__init__(made, name, N)
        made._rows = rows
        return made

    @property
    def colors(self):
        raise AttributeError("'LinearSegmentedColormap' object has no attribute 'colors'")

    def reversed(self, name=None):
        made = self.copy()
        made.name, made._table = name or self.name + "_r", None
        made._rows = {part: [(1.0 - at, after, before) for at, before, after in rows[::-1]] for part, rows in self._rows.items()}
        made._under, made._over = self._over, self._under
        return made

    def resampled(self, lutsize):
        made = self.copy()
        made.N, made._table = int(lutsize), None
        return made
