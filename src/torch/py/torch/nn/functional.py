"""torch.nn.functional: the operations behind the modules.

Most are native and come from the table of operations; those that are built from others stand in
`_composed`, `_pooling`, `_resized` and `_attention`.
"""

import _torch

from ._native import *

_ATTENTION = ("multi_head_attention_forward",)


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")
    if name in _ATTENTION:
        import torch.nn._attention as place
    elif "_pool" in name:
        import torch.nn._pooling as place
    elif name == "interpolate":
        import torch.nn._resized as place
    else:
        import torch.nn._composed as place
    if name in place.__all__:
        value = getattr(place, name)
        globals()[name] = value
        return value
    from torch._names import missing

    raise missing("torch.nn.functional", name, __dir__())


def __dir__():
    import torch.nn._composed as composed
    import torch.nn._pooling as pooling
    import torch.nn._resized as resized

    return sorted({*_torch._functional, *composed.__all__, *pooling.__all__, *resized.__all__, *_ATTENTION})
