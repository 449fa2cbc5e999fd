"""Colours and colour maps. A terminal draws with colours of its own, so a colour has no numbers here: it can be passed on, as in
`plt.plot(x, color=plt.cm.viridis(0.5))`.
"""

_NAMES = (
    "Accent Blues BrBG BuGn BuPu CMRmap Dark2 GnBu Grays Greens Greys OrRd Oranges PRGn Paired Pastel1 Pastel2 PiYG PuBu PuBuGn "
    "PuOr PuRd Purples RdBu RdGy RdPu RdYlBu RdYlGn Reds Set1 Set2 Set3 Spectral Wistia YlGn YlGnBu YlOrBr YlOrRd afmhot autumn "
    "binary bone brg bwr cividis cool coolwarm copper cubehelix flag gist_earth gist_gray gist_grey gist_heat gist_ncar "
    "gist_rainbow gist_stern gist_yarg gist_yerg gnuplot gnuplot2 gray grey hot hsv inferno jet magma nipy_spectral ocean pink "
    "plasma prism rainbow seismic spring summer tab10 tab20 tab20b tab20c terrain turbo twilight twilight_shifted viridis winter"
).split()
# The maps of a few colours.
_COUNTS = {
    "Accent": 8, "Dark2": 8, "Paired": 12, "Pastel1": 9, "Pastel2": 8, "Set1": 9, "Set2": 8, "Set3": 12, "tab10": 10,
    "tab20": 20, "tab20b": 20, "tab20c": 20,
}  # fmt: skip


class Colour:
    """A colour without numbers."""

    def __init__(self, words):
        self._words = words

    def __repr__(self):
        return f"<colour {self._words}>"

    def _refuse(self, *args):
        raise NotImplementedError("attn has no numbers of colours: a terminal draws with its own. A colour can be passed as color=")

    __str__ = __format__ = __getitem__ = __iter__ = __mul__ = __rmul__ = __add__ = __array__ = tolist = _refuse


class Colormap:
    """Colours for numbers."""

    def __init__(self, name, N=256):
        self.name, self.N = name, int(N)

    def __call__(self, X, alpha=None, bytes=False):
        if hasattr(X, "tolist"):
            X = X.tolist()
        if isinstance(X, (list, tuple, range)):
            return [self(one, alpha) for one in X]
        return Colour(f"{self.name}({X})")

    @property
    def colors(self):
        return self([*range(self.N)])

    def copy(self):
        return Colormap(self.name, self.N)

    def reversed(self, name=None):
        return Colormap(name or (self.name.removesuffix("_r") if self.name.endswith("_r") else self.name + "_r"), self.N)

    def set_bad(self, color="k", alpha=None):
        """Accepted: a terminal has its own colours."""

    set_under = set_over = set_bad


def get_cmap(name="viridis", lut=None):
    if isinstance(name, Colormap):
        return name
    name = name or "viridis"
    if name not in names():
        raise ValueError(f"{name!r} is not a valid value for cmap; supported values are {', '.join(map(repr, names()))}")
    return Colormap(name, lut or _COUNTS.get(name.removesuffix("_r"), 256))


class Registry:
    """The maps by name: `matplotlib.colormaps`."""

    def __getitem__(self, name):
        if name not in names():
            raise KeyError(f"{name!r} is not a known colormap name")
        return get_cmap(name)

    def __contains__(self, name):
        return name in names()

    get_cmap = staticmethod(get_cmap)


def names():
    """The names of all maps that matplotlib has."""
    return sorted(_NAMES + [name + "_r" for name in _NAMES])
