"""What people use of seaborn around attention: heat maps."""

from matplotlib import pyplot as plt
from matplotlib._artists import ignored, numbers

__version__ = "0.13.2"


def heatmap(
    data, *, vmin=None, vmax=None, cmap=None, center=None, robust=False, annot=None, fmt=".2g", annot_kws=None, linewidths=0,
    linecolor="white", cbar=True, cbar_kws=None, cbar_ax=None, square=False, xticklabels="auto", yticklabels="auto", mask=None,
    ax=None, **words,
):
    """A table as shades, with names of its rows and columns."""
    axes = ax or plt.gca()
    shown = axes.pcolormesh(data, vmin=vmin, vmax=vmax, **words)
    rows = shown._rows
    axes.set(xlim=(0, len(rows[0])), ylim=(len(rows), 0))
    if mask is not None:
        hidden = mask.tolist() if hasattr(mask, "tolist") else mask
        shown._rows = [[None if gone else value for value, gone in zip(*both)] for both in zip(rows, hidden)]
    for axis, labels, count in ((axes.xaxis, xticklabels, len(rows[0])), (axes.yaxis, yticklabels, len(rows))):
        if labels is False:
            axis.set_ticks([], [])
        elif not isinstance(labels, (str, bool, int)):
            axis.set_ticks([at + 0.5 for at in range(count)], [str(label) for label in labels][:count])
    if annot is not None and annot is not False:
        values = rows if annot is True else numbers(annot)
        for row, (shades, line) in enumerate(zip(shown._rows, values)):
            for column, (shade, value) in enumerate(zip(shades, line)):
                if shade is not None:
                    text = value if isinstance(value, str) else format(value, fmt)
                    axes.text(column + 0.5, row + 0.5, text)._of_table = True
    if cbar:
        axes.figure.colorbar(shown)
        axes.figure.sca(axes)
    return axes


set = set_theme = set_style = set_context = set_palette = despine = ignored


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"module 'seaborn' has no attribute {name!r} here: heatmap() is; matplotlib has curves, points and bars")
