"""torch.nn.functional: the operations behind the modules.

Most are native and come from the table of operations.
"""

import _torch

from ._native import *

# The files of the functions that are built from others; each is loaded when one of them is first asked for.
_PLACES = {
    "_attention": "multi_head_attention_forward",
    "_composed": "conv2d cosine_embedding_loss dropout2d relu triplet_margin_loss unfold",
    "_pooling": "adaptive_avg_pool1d adaptive_avg_pool2d avg_pool2d max_pool2d",
    "_resized": "interpolate",
}
_FILES = {name: file for file, names in _PLACES.items() for name in names.split()}


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")
    if name in _FILES:
        import importlib

        value = getattr(importlib.import_module("torch.nn." + _FILES[name]), name)
        globals()[name] = value
        return value
    from torch._names import missing

    raise missing("torch.nn.functional", name, __dir__())


def __dir__():
    return sorted({*_torch._functional, *_FILES})
