"""torch.nn.functional: the operations behind the modules.

Most are native and come from the table of operations.
"""

import _torch
from torch._names import absent_in

from ._native import *

# The files of the functions that are built from others; each is loaded when one of them is first asked for.
_PLACES = {
    "_attention": "multi_head_attention_forward",
    "_composed": "conv2d dropout2d relu unfold",
    "_pooling": "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool2d avg_pool2d max_pool2d",
    "_resized": "interpolate",
}
_FILES = {name: "torch.nn." + file for file, names in _PLACES.items() for name in names.split()}

# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []

__getattr__ = absent_in("torch.nn.functional", [*_torch._functional, *_FILES], (), _FILES)


def __dir__():
    return sorted({*_torch._functional, *_FILES})
