"""matplotlib.pylab: the names of pyplot, and numpy's."""


def __getattr__(name):
    import importlib

    for place in ("matplotlib.pyplot", "numpy"):
        try:
            return getattr(importlib.import_module(place), name)
        except AttributeError:
            pass
    return getattr(importlib.import_module("matplotlib.pyplot"), name)
