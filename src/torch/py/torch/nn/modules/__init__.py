"""The modules of torch.nn, a file for each family."""

from .module import Module


def __getattr__(name):
    from torch import nn
    import importlib

    if name in nn._PLACES:
        return importlib.import_module("torch.nn.modules." + name)
    return getattr(nn, name)
