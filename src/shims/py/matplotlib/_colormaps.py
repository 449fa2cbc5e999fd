"""Colour maps: colours for the numbers from 0 to 1. A terminal draws with colours of its own; these are for code that
asks for them. Source: matplotlib 3.9, `colors.py` and `cm.py`.
"""


class Colormap:
    def __init__(self, name, N=256):
        self.name, self.N = name, int(N)
        self._table = None
        self._bad, self._under, self._over = (0.0, 0.0, 0.0, 0.0), None, None

    def _colors(self):
        """N colours: red, green, blue and alpha."""
        return named(self.name, self.N)

    def _color(self, place, alpha):
        """The colour at a place: from 0 to N, or a whole number below N."""
        if self._table is None:
            self._table = self._colors()
        if isinstance(place, float) and place == self.N:
            place = self.N - 1
        if place != place:
            color = self._bad
            if not any(color):
                return color
        elif place < 0:
            color = self._under or self._table[0]
        elif place >= self.N:
            color = self._over or self._table[-1]
        else:
            color = self._table[int(place)]
        return color if alpha is None else (*color[:3], min(max(float(alpha), 0.0), 1.0))

    def __call__(self, X, alpha=None, bytes=False):
        if alpha is not None and not isinstance(alpha, (int, float)):
            raise NotImplementedError("attn takes one alpha for all colours of a colour map")
        if isinstance(X, (int, float)):
            color = self._color(X if isinstance(X, int) else X * self.N, alpha)
            return tuple(int(part * 255) for part in color) if bytes else color
        import numpy

        values = numpy.asarray(X)
        if values.dtype.kind not in "fiub":
            raise TypeError(f"a colour map takes numbers, not {values.dtype}")
        places = values * self.N if values.dtype.kind == "f" else values.astype(int)
        colors = [self._color(place, alpha) for place in places.reshape(-1).tolist()]
        out = numpy.array(colors, dtype=float).reshape(*values.shape, 4)
        if bytes:
            out = (out * 255).astype(numpy.uint8)
        return out if values.ndim else tuple(out.tolist())

    @property
    def colors(self):
        from . import _colormap_data as data

        name = self.name.removesuffix("_r")
        if name not in data.TABLES and name not in data.LISTED:
            raise AttributeError("'LinearSegmentedColormap' object has no attribute 'colors'")
        colors = [color[:3] for color in self._colors()]
        return tuple(colors) if name in data.LISTED else [list(color) for color in colors]

    def copy(self):
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def reversed(self, name=None):
        made = Colormap(_reverse(self.name), self.N)
        made._bad, made._under, made._over = self._bad, self._over, self._under
        made.name = name or made.name
        made._table = named(_reverse(self.name), self.N)
        return made

    def resampled(self, lutsize):
        from . import _colormap_data as data

        made = self.copy()
        made.N, made._table = int(lutsize), None
        if self.name.removesuffix("_r") in (*data.TABLES, *data.LISTED):
            made._table = [self(step) for step in _steps(made.N)]
        return made

    def set_bad(self, color="k", alpha=None):
        from ._rgba import to_rgba

        self._bad = to_rgba(color, alpha)

    def set_under(self, color="k", alpha=None):
        from ._rgba import to_rgba

        self._under = to_rgba(color, alpha)

    def set_over(self, color="k", alpha=None):
        from ._rgba import to_rgba

        self._over = to_rgba(color, alpha)


def get_cmap(name="viridis", lut=None):
    if isinstance(name, Colormap):
        return name
    name = name or "viridis"
    if name not in names():
        raise ValueError(f"{name!r} is not a valid value for cmap; supported values are {', '.join(map(repr, names()))}")
    from . import _colormap_data as data

    listed = data.LISTED.get(name.removesuffix("_r"))
    made = Colormap(name, 256 if listed is None else len(listed) // 6)
    return made if lut is None else made.resampled(lut)


class Registry:
    """The maps by name: `matplotlib.colormaps`."""

    def __getitem__(self, name):
        if name not in names():
            raise KeyError(f"{name!r} is not a known colormap name")
        return get_cmap(name)

    def __iter__(self):
        return iter(names())

    def __len__(self):
        return len(names())

    def __contains__(self, name):
        return name in names()

    def __call__(self):
        return names()

    get_cmap = staticmethod(get_cmap)


def names():
    """The names of all maps that matplotlib has."""
    from . import _colormap_data as data

    tables = (data.TABLES, data.MIXED, data.FRACTIONS, data.LISTED, data.SEGMENTS, data.ALIASES, data.OTHERS.split())
    plain = [name for table in tables for name in table]
    return sorted(plain + [name + "_r" for name in plain])


def _reverse(name):
    return name.removesuffix("_r") if name.endswith("_r") else name + "_r"


def _steps(count):
    """`count` numbers from 0 to 1, as numpy.linspace makes them."""
    if count < 2:
        return [0.0] * count
    step = 1.0 / (count - 1)
    return [index * step for index in range(count - 1)] + [1.0]


def named(name, count=256):
    """`count` colours of a map."""
    from . import _colormap_data as data

    is_reversed = name.endswith("_r")
    name = name.removesuffix("_r")
    name = data.ALIASES.get(name, name)
    if name in data.TABLES or name in data.LISTED:
        width, most, text = (5, 10**6, data.TABLES[name]) if name in data.TABLES else (2, 255, data.LISTED[name])
        colors = [(*color, 1.0) for color in _triples(text, width, most)]
        return colors[::-1] if is_reversed else colors
    if name in data.SEGMENTS:
        rows = data.SEGMENTS[name]
    elif name in data.MIXED or name in data.FRACTIONS:
        rows = rows_between(data.FRACTIONS.get(name) or _triples(data.MIXED[name], 2, 255))
    else:
        raise NotImplementedError(f"attn does not have the colours of the map {name!r}")
    if is_reversed:
        rows = {part: [(1.0 - at, after, before) for at, before, after in row[::-1]] for part, row in rows.items()}
    return mixed(rows, count)


def _triples(text, width, most):
    parts = [int(text[at : at + width], 16) / most for at in range(0, len(text), width)]
    return [tuple(parts[at : at + 3]) for at in range(0, len(parts), 3)]


def rows_between(colors):
    """The rows of a map between colours at equal distances."""
    places = _steps(len(colors))
    return {
        part: [(place, color[number], color[number]) for place, color in zip(places, colors)]
        for number, part in enumerate("rgba"[: len(colors[0])])
    }


def mixed(rows, count):
    """`count` colours from rows of places, with the value before and after each place."""
    parts = [_mixed_part(rows[part], count) for part in "rgb"]
    alpha = _mixed_part(rows["a"], count) if "a" in rows else [1.0] * count
    return list(zip(*parts, alpha))


def _mixed_part(row, count):
    if count == 1:
        return [min(max(row[-1][1], 0.0), 1.0)]
    places = [place * (count - 1) for place, _, _ in row]
    values, right = [row[0][2]], 1
    for step in _steps(count)[1:-1]:
        at = (count - 1) * step
        while places[right] < at:
            right += 1
        share = (at - places[right - 1]) / (places[right] - places[right - 1])
        left = row[right - 1][2]
        values.append(share * (row[right][1] - left) + left)
    values.append(row[-1][1])
    return [min(max(value, 0.0), 1.0) for value in values]
