"""Plots as scripts write them: one current figure with one current axes. A figure is shown when the cell ends."""

from . import cm, get_cmap as get_cmap, rc as rc, rc_context as rc_context, rcParams as rcParams, style as style
from ._artists import ignored
from .figure import Figure

_figures = {}
_current = None


def figure(num=None, figsize=None, dpi=None, clear=False, FigureClass=Figure, **words):
    global _current
    if isinstance(num, Figure):
        num = num.number
    if num is None:
        num = max((number for number in _figures if isinstance(number, int)), default=0) + 1
    if num not in _figures:
        _figures[num] = Figure(num, figsize, dpi)
    elif clear:
        _figures[num].clf()
    _current = _figures[num]
    return _current


def gcf():
    return _current or figure()


def gca():
    return gcf().gca()


def sca(ax):
    global _current
    _current = ax.figure
    ax.figure.sca(ax)


def subplots(nrows=1, ncols=1, *, figsize=None, dpi=None, num=None, **words):
    made = figure(num, figsize, dpi)
    return made, made.subplots(nrows, ncols, **words)


def get_fignums():
    return sorted(number for number in _figures if isinstance(number, int))


def close(fig=None):
    global _current
    if fig == "all":
        _figures.clear()
    elif fig is None:
        _figures.pop(getattr(_current, "number", None), None)
    else:
        _figures.pop(getattr(fig, "number", fig), None)
    if _current is not None and _current.number not in _figures:
        _current = None


def show(*args, **words):
    """Shows the open figures, and closes them."""
    for number in sorted(_figures, key=str):
        _figures[number].show()
    close("all")


# What the session calls when a cell ends.
flush = show


tight_layout = subplots_adjust = set_cmap = switch_backend = ion = ioff = draw = pause = setp = ignored


def _of(current, name, method):
    """The method of the current figure or axes as a function."""

    def function(*args, **words):
        return getattr(current(), method)(*args, **words)

    function.__name__ = function.__qualname__ = name
    return function


_RENAMED = {name: "set_" + name for name in ("title", "xlabel", "ylabel", "xscale", "yscale")}
_RENAMED |= {"axes": "add_axes", "subplot": "add_subplot"}
for _whose, _names in (
    (gcf, "axes subplot clf savefig suptitle colorbar"),
    (
        gca,
        "cla plot scatter bar barh bar_label hist imshow pcolormesh pcolor step fill_between axhline axvline hlines vlines semilogx "
        "semilogy loglog text annotate legend grid axis margins tick_params twinx title xlabel ylabel xscale yscale",
    ),
):
    for _name in _names.split():
        globals()[_name] = _of(_whose, _name, _RENAMED.get(_name, _name))
del _whose, _names, _name


def matshow(A, fignum=None, **words):
    return figure().gca().matshow(A, **words)


def _limits_of(axis):
    def limits(*args, **words):
        which = "set" if args or words else "get"
        return getattr(gca(), f"{which}_{axis}lim")(*args, **words)

    return limits


def _ticks_of(axis):
    def ticks(ticks=None, labels=None, **words):
        axes = gca()
        drawn = getattr(axes, f"set_{axis}ticks")(ticks, labels, **words) if ticks is not None else []
        return drawn, getattr(axes, f"get_{axis}ticklabels")()

    return ticks


xlim, ylim = map(_limits_of, "xy")
xticks, yticks = map(_ticks_of, "xy")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"module 'matplotlib.pyplot' has no attribute {name!r} here: attn draws curves, points, bars and tables")
