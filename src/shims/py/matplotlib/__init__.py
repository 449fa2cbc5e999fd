"""Plots, as far as a terminal can show them: curves, points, bars, bands and tables, with titles, ticks and legends."""

__version__ = "3.9.2"


class RcParams(dict):
    """Settings. Those of size decide what a figure says of itself; the others change nothing in a terminal."""

    def copy(self):
        return RcParams(self)


rcParams = RcParams({"figure.figsize": [6.4, 4.8], "figure.dpi": 100.0, "font.size": 10.0})
rcParamsDefault = rcParams.copy()


def rc(group, **words):
    for word, value in words.items():
        rcParams[f"{group}.{word}"] = value


def rcdefaults():
    rcParams.clear()
    rcParams.update(rcParamsDefault)


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


def use(backend, **words):
    pass


def get_backend():
    return "inline"


class Colormap:
    """A name: a terminal has its own colours."""

    def __init__(self, name):
        self.name = name

    def __call__(self, value, *args, **words):
        if hasattr(value, "tolist"):
            value = value.tolist()
        return [self(one) for one in value] if isinstance(value, list) else (float(value), float(value), float(value), 1.0)


def get_cmap(name="viridis", lut=None):
    return name if isinstance(name, Colormap) else Colormap(name)


class _Styles:
    """Styles are accepted and change nothing in a terminal."""

    available = ["default", "classic", "ggplot", "seaborn-v0_8", "seaborn-v0_8-whitegrid", "fivethirtyeight", "bmh"]

    def use(self, name):
        pass

    def context(self, name, after_reset=False):
        return rc_context()


style = _Styles()
