"""Axes: one coordinate system of a figure, with what was drawn in it."""

import math

from ._artists import (
    Annotation,
    AxesImage,
    BarContainer,
    Legend,
    Line2D,
    PathCollection,
    PolyCollection,
    QuadMesh,
    Rectangle,
    Text,
    XTick,
    YTick,
    array,
    columns,
    ignored,
    row,
    style,
)
from ._axis import _Axis, _Spines, _axis, _dtype, _edges, _mark, _table


def _both(method):
    """A method of one of the axes, whose name it takes first, as two: for x and for y."""

    def of(which):
        return lambda self, *args, **words: method(self, which, *args, **words)

    return map(of, "xy")


class Axes:
    """One coordinate system."""

    __module__ = "matplotlib.axes._axes"

    def __init__(self, figure, place=(1, 1, 1)):
        self.figure, self._place = figure, place
        self.spines = _Spines()
        self.cla()

    def cla(self):
        self.xaxis, self.yaxis = _Axis(), _Axis()
        self._artists, self._title, self._legend, self._off, self._inverted = [], "", None, False, False
        self._drawn, self._margins = 0, [0.05, 0.05]
        # The axes that have the same limits along x and along y, itself among them.
        self._shared = {"x": [self], "y": [self]}

    clear = cla

    def _axis(self, which):
        return self.xaxis if which == "x" else self.yaxis

    def _add(self, artist):
        before = sum(len(other) if isinstance(other, BarContainer) else 1 for other in self._artists)
        artist._child = f"_child{before}"
        self._artists.append(artist)
        return artist

    def _those(kind):
        return property(lambda self: [artist for artist in self._artists if isinstance(artist, kind)])

    lines, images, texts = map(_those, (Line2D, AxesImage, Text))

    @property
    def patches(self):
        return [bar for artist in self._artists if isinstance(artist, BarContainer) for bar in artist.patches]

    # Curves and points

    def plot(self, *args, label=None, data=None, scalex=True, scaley=True, **words):
        if data is not None:
            raise NotImplementedError("plot(data=...) is not here: give the numbers themselves")
        drawn = []
        args = list(args)
        while args:
            first = args.pop(0)
            ys = args.pop(0) if args and not isinstance(args[0], str) else None
            if args and isinstance(args[0], str):
                # A format such as "b--" changes only how the line looks.
                args.pop(0)
            if ys is None:
                ys, xs = columns(first), None
            else:
                ys, xs = columns(ys), columns(first)
            labels = label if isinstance(label, (list, tuple)) else [label] * len(ys)
            for at, y in enumerate(ys):
                x = list(range(len(y))) if xs is None else xs[at if len(xs) > 1 else 0]
                if len(x) != len(y):
                    raise ValueError(
                        f"x and y must have same first dimension, but have shapes ({len(x)},) and ({len(y)},)"
                    )
                line = Line2D(x, y, labels[at], **words)
                line._order = self._drawn
                self._drawn += line._word("color", "c") is None
                drawn.append(self._add(line))
        return drawn

    def _logarithmic(along):
        def plot(self, *args, **words):
            for which in along:
                self._axis(which).scale = "log"
            return self.plot(*args, **words)

        return plot

    semilogx, semilogy, loglog = map(_logarithmic, ("x", "y", "xy"))

    def step(self, x, y, *args, where="pre", **words):
        return self.plot(x, y, **words)

    def scatter(self, x, y, s=None, c=None, label=None, **words):
        style("PathCollection", words)
        x, y = row(x), row(y)
        if len(x) != len(y):
            raise ValueError("x and y must be the same size")
        return self._add(PathCollection(x, y, label=label))

    def fill_between(self, x, y1, y2=0, where=None, label=None, **words):
        style("PolyCollection", words)
        x, low, high = row(x), row(y1), row(y2)
        low, high = (side * len(x) if len(side) == 1 else side for side in (low, high))
        return self._add(PolyCollection(x, low, high, label))

    def axhline(self, y=0, xmin=0, xmax=1, label=None, **words):
        return self._add(Line2D([xmin, xmax], [y, y], label, **words))._as("level")

    def axvline(self, x=0, ymin=0, ymax=1, label=None, **words):
        return self._add(Line2D([x, x], [ymin, ymax], label, **words))._as("upright")

    def hlines(self, y, xmin, xmax, label="", **words):
        for level in row(y):
            self._add(Line2D([xmin, xmax], [level, level], label, **words))

    def vlines(self, x, ymin, ymax, label="", **words):
        for place in row(x):
            self._add(Line2D([place, place], [ymin, ymax], label, **words))

    # Bars

    def bar(self, x, height, width=0.8, bottom=None, label=None, tick_label=None, **words):
        return self._bars(x, height, False, label, tick_label, words)

    def barh(self, y, width, height=0.8, left=None, label=None, tick_label=None, **words):
        return self._bars(y, width, True, label, tick_label, words)

    def _bars(self, names, lengths, horizontal, label, tick_label, words):
        words.pop("yerr", None), words.pop("xerr", None), words.pop("align", None)
        style("Rectangle", words)
        names, lengths = row(names), row(lengths)
        if len(lengths) == 1:
            lengths = lengths * len(names)
        if len(names) != len(lengths):
            raise ValueError(
                f"shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 with shape "
                f"({len(names)},) and arg 1 with shape ({len(lengths)},)."
            )
        places = [at if isinstance(name, str) else name for at, name in enumerate(names)]
        if horizontal:
            bars = [Rectangle((0, place - 0.4), length, 0.8) for place, length in zip(places, lengths)]
        else:
            bars = [Rectangle((place - 0.4, 0), 0.8, length) for place, length in zip(places, lengths)]
        shown = names if tick_label is None else [str(name) for name in tick_label]
        return self._add(BarContainer(bars, shown, lengths, horizontal, label))

    def bar_label(self, container, labels=None, **words):
        return [Text(text=text) for text in labels or [f"{height:g}" for height in container._heights]]

    def hist(self, x, bins=10, range=None, density=False, label=None, **words):
        values = [value for column in columns(x) for value in column]
        style("Rectangle", {word: words[word] for word in words if word not in ("histtype", "align", "cumulative", "log", "stacked", "rwidth", "weights")})
        for word in ("cumulative", "log", "stacked", "weights"):
            if words.get(word) not in (None, False):
                raise NotImplementedError(f"hist({word}=...) is not here")
        import numpy

        counts, edges = numpy.histogram(values, bins if isinstance(bins, (int, str)) else row(bins), range, density)
        counts, places = counts.astype(float), edges.tolist()
        cells = list(zip(places, places[1:], counts.tolist()))
        bars = [Rectangle((low, 0), high - low, count) for low, high, count in cells]
        centres = [(low + high) / 2 for low, high, _ in cells]
        return counts, edges, self._add(BarContainer(bars, centres, [count for _, _, count in cells], False, label))

    # Pictures of tables

    def imshow(self, X, **words):
        self.xaxis.limits = self.yaxis.limits = None
        image = self._add(AxesImage(_table(X), _dtype(X), **words))
        low, high = image.get_extent()[2:]
        self._inverted = low > high
        return image

    matshow = imshow

    def pcolormesh(self, *args, shading=None, **words):
        mesh = QuadMesh(_table(args[-1]), _dtype(args[-1]), **words)
        if len(args) == 3:
            mesh._sides = (*_edges(args[0], len(mesh._rows[0]), False), *_edges(args[1], len(mesh._rows), True))
        return self._add(mesh)

    pcolor = pcolormesh

    # Words

    def text(self, x, y, s, fontdict=None, **words):
        return self._add(Text(x, y, s, **words))

    def annotate(self, text, xy, xytext=None, **words):
        return self._add(Annotation(*(xytext or xy), text, **words))

    def set_title(self, label, fontdict=None, loc=None, pad=None, **words):
        style("Text", words)
        self._title = str(label)
        return Text(0.5, 1.0, label)

    def set_xlabel(self, xlabel, fontdict=None, labelpad=None, **words):
        style("Text", words)
        self.xaxis.label = str(xlabel)
        return Text(0.5, 0, xlabel)

    def set_ylabel(self, ylabel, fontdict=None, labelpad=None, **words):
        style("Text", words)
        self.yaxis.label = str(ylabel)
        return Text(0, 0.5, ylabel)

    def get_title(self):
        return self._title

    def get_xlabel(self):
        return self.xaxis.label

    def get_ylabel(self):
        return self.yaxis.label

    def legend(self, *args, **words):
        handles, title = words.pop("handles", None), words.pop("title", None)
        labels = words.pop("labels", None) or (args[-1] if args else None)
        if labels is not None and (handles is not None or len(args) == 2):
            shown = [str(label) for label in labels]
        elif handles is not None:
            shown = [str(handle.get_label()) for handle in handles]
        elif labels is not None:
            shown = [str(label) for label, _ in zip(labels, [one for one in self._artists if not isinstance(one, Text)])]
        else:
            shown = self.get_legend_handles_labels()[1]
        style("Legend", words)
        if labels is not None:
            named = [artist for artist in self._artists if not isinstance(artist, Text)]
            for artist, label in zip(named, labels):
                artist._label = str(label)
        self._legend = Legend(shown, title)
        return self._legend

    def get_legend_handles_labels(self):
        named = [one for one in self._artists if getattr(one, "_label", None) and not str(one._label).startswith("_")]
        return named, [artist._label for artist in named]

    # Axes

    def _set_ticks(self, which, ticks, labels=None, minor=False, **words):
        axis = self._axis(which)
        axis.set_ticks(ticks, labels, **words)
        return [(XTick if which == "x" else YTick)() for _ in axis.ticks]

    def _set_tick_labels(self, which, labels, **words):
        self._axis(which).set_ticklabels(labels, **words)
        return self._tick_labels(which)

    def _tick_labels(self, which, *args, **words):
        axis = self._axis(which)
        names = axis.names if axis.names is not None else [""] * len(axis.ticks or ())
        ticks = axis.ticks if axis.ticks is not None else list(range(len(names)))
        return [Text(*((tick, 0) if which == "x" else (0, tick)), name) for tick, name in zip(ticks, names)]

    def _get_ticks(self, which):
        return array(list(self._axis(which).ticks or []))

    def _set_scale(self, which, value, **words):
        self._axis(which).scale = value

    def _share_with(self, which, other):
        self._share([*other._shared[which], self], which)

    set_xticks, set_yticks = _both(_set_ticks)
    set_xticklabels, set_yticklabels = _both(_set_tick_labels)
    get_xticklabels, get_yticklabels = _both(_tick_labels)
    get_xticks, get_yticks = _both(_get_ticks)
    set_xscale, set_yscale = _both(_set_scale)
    sharex, sharey = _both(_share_with)

    def _limits(self, which):
        """From low to high, as matplotlib chooses them: the data and a margin, which stops at the edges of images and at
        the foot of bars."""
        axis = self._axis(which)
        if axis.limits is not None:
            return axis.limits
        at = 0 if which == "x" else 1
        artists = [artist for axes in self._shared[which] for artist in axes._artists]
        spans = [artist.span() for artist in artists if not isinstance(artist, Text)]
        found = [span[at] for span in spans if span[at] is not None]
        if not found:
            return (0.0, 1.0)
        low, high = min(one[0] for one in found), max(one[1] for one in found)
        if low == high:
            low, high = (low - 0.05 * abs(low), high + 0.05 * abs(high)) if low else (-0.05, 0.05)
        edges, near = [edge for span in spans for edge in span[2 + at]], 1e-5 * abs(high - low)
        is_log = axis.scale == "log" and low > 0
        ends = (math.log10(low), math.log10(high)) if is_log else (low, high)
        margin = (ends[1] - ends[0]) * self._margins[at]
        ends = (ends[0] - margin, ends[1] + margin)
        ends = (10.0 ** ends[0], 10.0 ** ends[1]) if is_log else ends
        below = [edge for edge in edges if edge < low + near]
        above = [edge for edge in edges if edge >= high - near]
        return max([ends[0], *below]), min([ends[1], *above])

    def get_xlim(self):
        return self._limits("x")

    def get_ylim(self):
        low, high = self._limits("y")
        return (high, low) if self._inverted else (low, high)

    def _set_limits(self, which, low, high):
        if isinstance(low, (list, tuple)):
            low, high = low
        before = self.get_xlim() if which == "x" else self.get_ylim()
        low, high = float(before[0] if low is None else low), float(before[1] if high is None else high)
        for axes in self._shared[which]:
            if which == "y":
                axes._inverted = low > high
            limits = (high, low) if which == "y" and low > high else (low, high)
            axes._axis(which).limits = limits
        return low, high

    def _share(self, others, which):
        """Has the same limits as other axes from now on."""
        for axes in others:
            axes._shared[which] = others

    def set_xlim(self, left=None, right=None, xmin=None, xmax=None, **words):
        return self._set_limits("x", left if xmin is None else xmin, right if xmax is None else xmax)

    def set_ylim(self, bottom=None, top=None, ymin=None, ymax=None, **words):
        return self._set_limits("y", bottom if ymin is None else ymin, top if ymax is None else ymax)

    def axis(self, arg=None, **words):
        if arg == "off":
            self._off = True
        elif isinstance(arg, (list, tuple)):
            self.set_xlim(*arg[:2]), self.set_ylim(*arg[2:])
        return (*self.get_xlim(), *self.get_ylim())

    def set_axis_off(self):
        self._off = True

    def invert_yaxis(self):
        self._inverted = not self._inverted

    invert_xaxis = grid = tick_params = set_aspect = set_facecolor = set_box_aspect = set_axisbelow = label_outer = ignored
    minorticks_on = ticklabel_format = set_position = autoscale = relim = autoscale_view = set_prop_cycle = ignored

    def margins(self, *margins, x=None, y=None, tight=True):
        if margins:
            x, y = margins if len(margins) == 2 else margins * 2
        self._margins = [old if new is None else new for old, new in zip(self._margins, (x, y))]
        return None if x is not None or y is not None else tuple(self._margins)

    def twinx(self):
        return self.figure._twin(self)

    twiny = twinx

    def set(self, **words):
        for word, value in words.items():
            getattr(self, "set_" + word)(value)

    def remove(self):
        self.figure.axes.remove(self)

    def picture(self):
        """What is drawn, as plain data."""
        # The cells of a table are numbered by their middles, those of a mesh by their edges.
        is_mesh = any(isinstance(artist, QuadMesh) for artist in self._artists)
        x, y = _axis(self.xaxis, is_mesh), _axis(self.yaxis, is_mesh)
        for which, described in (("x", x), ("y", y)):
            if len(self._shared[which]) > 1 and not is_mesh:
                described["limits"] = list(self._limits(which))
        return {
            "title": self._title,
            "x": x,
            "y": y,
            "inverted": self._inverted,
            "marks": [_mark(artist.mark(), x) for artist in self._artists if not getattr(artist, "_of_table", False)],
        }

    def __getattr__(self, name):
        raise AttributeError(f"'Axes' object has no attribute {name!r} here: attn draws curves, points, bars and tables")

    def __repr__(self):
        title = f", title={{'center': {self._title!r}}}" if self._title else ""
        return f"<Axes:{title.removeprefix(',')}>" if title else "<Axes: >"
