"""Figures: axes side by side, shown in the terminal when the cell ends."""

import warnings

from ._artists import Colorbar, Legend, Text, ignored, style
from .axes import Axes

# Arguments of savefig that decide how the paper looks around the plot.
_SAVED_WITH = ("backend", "bbox_extra_artists", "bbox_inches", "metadata", "orientation", "pad_inches", "papertype", "transparent")


class ndarray:
    """The axes of `subplots`, as NumPy's array of objects shows them. An array of their numbers is indexed in place of them."""

    __module__ = "numpy"

    def __init__(self, axes, numbers):
        self._axes, self._numbers = axes, numbers

    @property
    def __class__(self):
        import numpy

        return numpy.ndarray

    shape, ndim, size = (property(lambda self, name=name: getattr(self._numbers, name)) for name in ("shape", "ndim", "size"))
    T = property(lambda self: self.transpose())
    flat = property(lambda self: iter(self.ravel()))

    def _of(self, numbers):
        """The axes with these numbers, or with this one."""
        return AxesArray(self._axes, numbers) if numbers.ndim else self._axes[int(numbers)]

    def _rearranged(name):
        return lambda self, *args: self._of(getattr(self._numbers, name)(*args))

    transpose, ravel, flatten, reshape, squeeze = map(_rearranged, ("transpose", "ravel", "flatten", "reshape", "squeeze"))

    def __getitem__(self, index):
        return self._of(self._numbers[index])

    def __len__(self):
        return len(self._numbers)

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def tolist(self):
        return [row.tolist() if isinstance(row, AxesArray) else row for row in self]

    def __repr__(self):
        rows = self.tolist()
        if self.ndim == 1:
            return "array(" + repr(rows) + ", dtype=object)"
        return "array([" + ",\n       ".join(map(repr, rows)) + "], dtype=object)"


AxesArray = ndarray


class Figure:
    """A figure with its axes."""

    __module__ = "matplotlib.figure"

    def __init__(self, number, figsize=None, dpi=None):
        from . import rcParams

        self.number = number
        self._size = tuple(figsize) if figsize is not None else tuple(rcParams["figure.figsize"])
        self._dpi = dpi or rcParams["figure.dpi"]
        self.axes, self._title, self._current = [], "", None

    def add_subplot(self, *args, sharex=None, sharey=None, **words):
        axes = self._subplot(*args, **words)
        if sharex is not None:
            axes.sharex(sharex)
        if sharey is not None:
            axes.sharey(sharey)
        return axes

    def _subplot(self, *args, **words):
        for word in ("projection", "polar"):
            if words.pop(word, None) not in (None, False):
                raise NotImplementedError(f"add_subplot({word}=...) is not here: attn draws flat axes")
        place = (1, 1, 1)
        if len(args) == 1 and isinstance(args[0], int):
            place = tuple(int(digit) for digit in str(args[0]))
        elif len(args) == 1:
            place = args[0]
        elif args:
            place = tuple(args)
        for axes in self.axes:
            if axes._place == place:
                self._current = axes
                return axes
        return self._new(place)

    def add_axes(self, rect=None, **words):
        return self._new((1, 1, 1))

    def add_gridspec(self, nrows=1, ncols=1, **words):
        from .gridspec import GridSpec

        return GridSpec(nrows, ncols)

    def _new(self, place):
        axes = Axes(self, place)
        self.axes.append(axes)
        self._current = axes
        return axes

    def _twin(self, axes):
        return self._new((*axes._place, "twin"))

    def gca(self):
        return self._current or self._new((1, 1, 1))

    def sca(self, axes):
        self._current = axes

    def subplots(self, nrows=1, ncols=1, *, sharex=False, sharey=False, squeeze=True, **words):
        import numpy

        style("Figure", {word: words[word] for word in words if word not in ("width_ratios", "height_ratios")})
        rows = [[self._new((nrows, ncols, row * ncols + column + 1)) for column in range(ncols)] for row in range(nrows)]
        self._current = rows[-1][-1]
        for which, shares in (("x", sharex), ("y", sharey)):
            groups = {
                True: [sum(rows, [])], "all": [sum(rows, [])], "row": rows, "col": [list(column) for column in zip(*rows)]
            }.get(shares, [])
            for group in groups:
                group[0]._share(group, which)
        made = AxesArray(sum(rows, []), numpy.arange(nrows * ncols).reshape(nrows, ncols))
        return made.squeeze() if squeeze else made

    def suptitle(self, t, **words):
        style("Text", words)
        self._title = str(t)
        return Text(0.5, 0.98, t)

    def colorbar(self, mappable=None, cax=None, ax=None, label=None, **words):
        style("Colorbar", words)
        axes = Axes(self, ("colorbar",)) if cax is None else cax
        if cax is None:
            self.axes.append(axes)
        bar = Colorbar(axes)
        if label is not None:
            bar.set_label(label)
        return bar

    def legend(self, *args, **words):
        return Legend()

    tight_layout = subplots_adjust = autofmt_xdate = set_tight_layout = set_facecolor = ignored
    set_constrained_layout = align_labels = ignored

    def set_size_inches(self, w, h=None):
        self._size = tuple(w) if h is None else (w, h)

    def clf(self):
        self.axes, self._title, self._current = [], "", None

    clear = clf

    def show(self):
        import _plots

        _plots.show(repr(self), self.picture())

    def savefig(self, fname, *, format=None, dpi=None, **words):
        """Writes nothing, and says where the figure is seen."""
        style("savefig", {word: words[word] for word in words if word not in _SAVED_WITH})
        name = "the figure" if hasattr(fname, "write") else fname
        where = "attn draws figures that are not closed in the terminal, and attn export -o page.html on a page"
        warnings.warn(f"{name} is not written: {where}", stacklevel=2)

    def delaxes(self, ax):
        self.axes.remove(ax)

    def __repr__(self):
        width, height = (length * self._dpi for length in self._size)
        return f"<Figure size {width:g}x{height:g} with {len(self.axes)} Axes>"

    def __str__(self):
        width, height = (length * self._dpi for length in self._size)
        return f"Figure({width:g}x{height:g})"

    def picture(self):
        """What is drawn, as plain data."""
        shown = [axes.picture() for axes in self.axes if axes._place != ("colorbar",) and (axes._artists or axes._title)]
        return {"title": self._title, "axes": shown}
