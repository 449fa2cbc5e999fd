"""Plots, as far as a terminal can show them: curves, points, bars, bands and tables, with titles, ticks and legends."""

from ._artists import ignored
from ._colormaps import Colormap as Colormap, Registry, get_cmap as get_cmap

__version__ = "3.9.2"


# Settings. Those of size decide what a figure says of itself; the others change nothing in a terminal.
rcParams = {"figure.figsize": [6.4, 4.8], "figure.dpi": 100.0, "font.size": 10.0}


def rc(group, **words):
    for word, value in words.items():
        rcParams[f"{group}.{word}"] = value


class rc_context:
    """Settings for the time of a `with`."""

    def __init__(self, rc=None, fname=None):
        self._rc = rc or {}

    def __enter__(self):
        self._before = dict(rcParams)
        rcParams.update(self._rc)

    def __exit__(self, *error):
        rcParams.clear()
        rcParams.update(self._before)


use = ignored
colormaps = Registry()


class _Styles:
    """Styles are accepted and change nothing in a terminal."""

    available = ["default", "classic", "ggplot", "seaborn-v0_8", "seaborn-v0_8-whitegrid", "fivethirtyeight", "bmh"]

    use = ignored

    def context(self, name, after_reset=False):
        return rc_context()


style = _Styles()
