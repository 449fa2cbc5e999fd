"""torch.utils: data loading, and handles of hooks."""

from torch._names import absent_in

_MODULES = ("data", "hooks", "checkpoint")

__getattr__ = absent_in("torch.utils", _MODULES, _MODULES)
