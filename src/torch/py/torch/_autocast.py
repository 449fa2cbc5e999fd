"""torch.autocast: in its context, products run in a lower precision and losses in float32. Which operation does what is in
the table of operations; parameters are converted once while the outermost context lasts."""

import functools
import warnings

import _torch
import torch
from torch._arguments import only_defaults
from torch._more import around

__all__ = (
    "autocast clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype "
    "is_autocast_cpu_enabled is_autocast_enabled"
).split()

# Of devices that are not there: whether it is on, and the dtype.
_others = {"cuda": (False, torch.float16), "mps": (False, torch.float16), "xpu": (False, torch.float16)}


def is_autocast_available(device_type):
    return device_type == "cpu" or device_type in _others


def _settings(device_type):
    if not is_autocast_available(device_type):
        raise RuntimeError(f"unknown device type for autocast in get_autocast_dispatch_key_from_device_type: {device_type}")
    return _torch._autocast() if device_type == "cpu" else _others[device_type]


def _set(device_type, enabled, dtype):
    if device_type == "cpu":
        _torch._set_autocast(enabled, dtype)
    else:
        _others[device_type] = enabled, dtype


def is_autocast_enabled(device_type="cuda", /):
    return _settings(device_type)[0]


def get_autocast_dtype(device_type, /):
    return _settings(device_type)[1]


is_autocast_cpu_enabled = functools.partial(is_autocast_enabled, "cpu")
get_autocast_cpu_dtype = functools.partial(get_autocast_dtype, "cpu")
get_autocast_gpu_dtype = functools.partial(get_autocast_dtype, "cuda")
clear_autocast_cache = _torch._clear_autocast_cache


class autocast:
    """A context, or a decorator, in which `torch` chooses the dtype of products and losses."""

    __module__ = "torch.amp.autocast_mode"

    # How many contexts are open.
    _depth = 0

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        only_defaults("autocast", cache_enabled=cache_enabled is False)
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        if enabled and device_type == "cuda":
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling")
            enabled = False
        if enabled and device_type == "cpu" and self.fast_dtype not in (torch.bfloat16, torch.float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtype of torch.bfloat16, torch.float16 currently."
            )
            enabled = False
        self._enabled = enabled
        self._before = []

    def __enter__(self):
        self._before.append(_settings(self.device))
        _set(self.device, self._enabled, self.fast_dtype)
        autocast._depth += 1
        return self

    def __exit__(self, *error):
        autocast._depth -= 1
        if autocast._depth == 0:
            clear_autocast_cache()
        _set(self.device, *self._before.pop())
        return False

    def __call__(self, function):
        return around(self, function)


def in_lower_precision(function):
    """A function of several operations that converts its tensors as one product does."""

    @functools.wraps(function)
    def converting(*args, **kwargs):
        if not _torch._autocast()[0]:
            return function(*args, **kwargs)
        args = [_torch._autocast_operand(value) for value in args]
        kwargs = {name: _torch._autocast_operand(value) for name, value in kwargs.items()}
        return function(*args, **kwargs)

    return converting
