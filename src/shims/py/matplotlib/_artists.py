"""What a figure consists of. An artist keeps its data; how it looks in a terminal is decided elsewhere."""

# Arguments that change only how an artist looks on paper.
STYLE = frozenset(
    "alpha animated antialiased aa aspect backgroundcolor bbox bbox_to_anchor borderaxespad boxstyle c capsize clip_on cmap "
    "color colors dashes dpi drawstyle ec ecolor edgecolor edgecolors elinewidth extent facecolor facecolors fancybox fc "
    "family figure fill fontdict fontfamily fontproperties fontsize fontstyle fontweight format frameon framealpha "
    "gridspec_kw ha handlelength hatch height horizontalalignment in_layout interpolation labelcolor labelpad labelsize layout "
    "left length linestyle linestyles linewidth linewidths loc location lw ls ma margins marker markeredgecolor "
    "markeredgewidth markerfacecolor markersize markevery math_fontfamily mec mew mfc minor ms multialignment name ncol ncols norm "
    "orientation origin pad path_effects picker rasterized right rotation rotation_mode rstride s shadow shrink size "
    "solid_capstyle stretch style subplot_kw title_fontsize top transform usetex va variant verticalalignment vmax vmin visible weight "
    "width which wrap xycoords y x zorder arrowprops textcoords cstride fraction drawedges bottom colorbar position axis both "
    "constrained_layout tight_layout squeeze fontname direction labeltop labelbottom labelleft labelright labelrotation "
    "linspacing linespacing plotnonfinite markerscale ncols".split()
)


def ignored(*args, **words):
    """What changes only how a plot looks on paper, or when it is drawn."""


def style(owner, words):
    """Refuses what no artist has."""
    for word in words:
        if word not in STYLE:
            raise AttributeError(f"{owner}.set() got an unexpected keyword argument {word!r}")


def numbers(data):
    """The numbers of a tensor, an array, a list or a range; nested lists stay nested."""
    if getattr(data, "requires_grad", False):
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if hasattr(data, "tolist"):
        return data.tolist()
    if isinstance(data, (str, bytes)) or not hasattr(data, "__iter__"):
        return data
    return [numbers(item) for item in data]


def row(data):
    """One list of numbers (or names)."""
    values = numbers(data)
    if not isinstance(values, list):
        values = [values]
    while values and all(isinstance(value, list) and len(value) == 1 for value in values):
        values = [value[0] for value in values]
    return values


def columns(data):
    """The columns of a table, or the one column of a list."""
    values = row(data)
    if values and isinstance(values[0], list):
        return [list(column) for column in zip(*values)]
    return [values]


def array(values, dtype=None):
    """The numbers as NumPy's array, which is what matplotlib returns."""
    import numpy

    return numpy.array(values, dtype)


class Artist:
    """A part of a figure: places along x and y, and the other side of a band."""

    _child = "_child0"
    _text = ""

    def __init__(self, x=(), y=(), to=(), label=None, **words):
        style(type(self).__name__, words)
        self._x, self._y, self._to, self._label, self._words = list(x), list(y), list(to), label, words

    def _word(self, *names, default=None):
        """The first of these arguments that was given."""
        return next((self._words[name] for name in names if self._words.get(name) is not None), default)

    def span(self):
        """The limits of its data along x and along y, None where it has none, and the edges that get no margin."""
        x, y = _extent(self._x), _extent(self._y + self._to)
        return None if self._kind == "level" else x, None if self._kind == "upright" else y, (), ()

    def mark(self):
        """What is drawn, as plain data."""
        return {"kind": self._kind, "label": self._label, "x": self._x, "y": self._y, "to": self._to, "text": self._text}

    def set(self, **words):
        style(type(self).__name__, words)

    def set_visible(self, visible):
        self._visible = visible

    def get_label(self):
        return self._label

    def set_label(self, label):
        self._label = label

    def __getattr__(self, name):
        # Whatever else is set changes only how it looks.
        if name.startswith("set_") and name[4:] in STYLE:
            return lambda *args, **words: None
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _extent(values):
    values = [value for value in values if isinstance(value, (int, float)) and value - value == 0]
    return (float(min(values)), float(max(values))) if values else None


class Line2D(Artist):
    __module__ = "matplotlib.lines"
    _kind = "line"
    _order = 0

    def __init__(self, xdata, ydata, label=None, **words):
        super().__init__(xdata, ydata, label=label, **words)

    def __str__(self):
        return f"Line2D({self._label if self._label is not None else self._child})"

    def _as(self, kind):
        self._kind = kind
        return self

    def get_xdata(self, orig=True):
        return array(self._x)

    def get_ydata(self, orig=True):
        return array(self._y)

    def get_xydata(self):
        return array([list(point) for point in zip(self._x, self._y)], "float64")

    def get_label(self):
        return self._child if self._label is None else self._label

    def get_color(self):
        """What was given; of a colour that matplotlib chooses, its place among them."""
        return self._word("color", "c", default=f"C{self._order}")

    def set_data(self, x, y):
        self._x, self._y = row(x), row(y)


class PathCollection(Artist):
    __module__ = "matplotlib.collections"
    _kind = "points"


class PolyCollection(Artist):
    __module__ = "matplotlib.collections"
    _kind = "band"


class Rectangle(Artist):
    __module__ = "matplotlib.patches"

    def __init__(self, xy=(0, 0), width=0, height=0, **words):
        super().__init__(**words)
        self._xy, self._width, self._height = xy, width, height

    def get_height(self):
        return self._height

    def get_width(self):
        return self._width

    def get_x(self):
        return self._xy[0]

    def get_y(self):
        return self._xy[1]

    def __repr__(self):
        x, y = self._xy
        return f"<matplotlib.patches.Rectangle(xy=({x:g}, {y:g}), width={self._width:g}, height={self._height:g}, angle=0)>"


class BarContainer(tuple):
    """Bars side by side."""

    __module__ = "matplotlib.container"

    def __new__(cls, patches, names, heights, horizontal, label=None):
        self = super().__new__(cls, patches)
        self.patches = list(patches)
        self._names, self._heights, self._horizontal, self._label = names, heights, horizontal, label
        return self

    def get_label(self):
        return self._label

    def span(self):
        boxes = [(bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()) for bar in self.patches]
        x = _extent([side for left, _, width, _ in boxes for side in (left, left + width)])
        y = _extent([side for _, low, _, height in boxes for side in (low, low + height)])
        return x, y, (0.0,) if self._horizontal else (), () if self._horizontal else (0.0,)

    def mark(self):
        return {"kind": "bars", "label": self._label, "x": self._names, "y": self._heights}

    def __repr__(self):
        return f"<BarContainer object of {len(self)} artists>"


class AxesImage(Artist):
    __module__ = "matplotlib.image"

    def __init__(self, rows, dtype=None, **words):
        super().__init__(**words)
        self._rows, self._dtype = rows, dtype
        self._low, self._high = words.get("vmin"), words.get("vmax")

    def set_data(self, data):
        self._rows = numbers(data)

    def set_clim(self, vmin=None, vmax=None):
        self._low, self._high = vmin, vmax

    def get_array(self):
        return array(self._rows, self._dtype)

    def get_clim(self):
        import numpy

        values = self.get_array()
        values = values[~numpy.isnan(values)] if not numpy.isnan(values).all() else values
        low = values.min() if self._low is None else self._low
        return low, values.max() if self._high is None else self._high

    def get_extent(self):
        extent = self._word("extent")
        if extent is not None:
            return list(extent)
        height, width = len(self._rows), len(self._rows[0])
        ends = [-0.5, height - 0.5] if self._word("origin") == "lower" else [height - 0.5, -0.5]
        return [-0.5, width - 0.5, *ends]

    def get_cmap(self):
        from . import get_cmap, rcParams

        return get_cmap(self._word("cmap", default=rcParams.get("image.cmap", "viridis")))

    def span(self):
        x, y = self.get_extent()[:2], self.get_extent()[2:]
        return _extent(x), _extent(y), tuple(map(float, x)), tuple(map(float, y))

    def mark(self):
        return {"kind": "image", "rows": self._rows}


class QuadMesh(AxesImage):
    __module__ = "matplotlib.collections"

    _sides = None

    def get_extent(self):
        return list(self._sides or (0.0, float(len(self._rows[0])), 0.0, float(len(self._rows))))


class Text(Artist):
    """Words at a place."""

    __module__ = "matplotlib.text"
    _kind = "text"

    def __init__(self, x=0, y=0, text="", **words):
        super().__init__([x], [y], **words)
        self._text = str(text)

    def get_text(self):
        return self._text

    def set_text(self, text):
        self._text = str(text)

    def __repr__(self):
        return f"Text({self._x[0]!r}, {self._y[0]!r}, {self._text!r})"


class Annotation(Text):
    __module__ = "matplotlib.text"


class Legend(Artist):
    __module__ = "matplotlib.legend"

    def __init__(self, labels=(), title=None):
        super().__init__()
        self._texts, self._heading = [Text(0, 0, label) for label in labels], Text(0, 0, title or "")

    def get_texts(self):
        return self._texts

    def set_title(self, title, prop=None):
        self._heading.set_text(title)

    def __str__(self):
        return "Legend"


class Colorbar(Artist):
    __module__ = "matplotlib.colorbar"

    def __init__(self, ax):
        super().__init__()
        self.ax = ax

    def set_label(self, label, **words):
        style("Colorbar", words)
        self.ax.set_ylabel(label)

    set_ticks = set_ticklabels = ignored


class XTick(Artist):
    __module__ = "matplotlib.axis"


class YTick(Artist):
    __module__ = "matplotlib.axis"
