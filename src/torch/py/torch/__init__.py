"""torch, as far as attention needs it.

Operations, tensors and random numbers are native; what is built from them stands in this folder
in plain Python, to be read. What lessons seldom ask for is loaded when they do (`_more`).
"""

from _torch import *
import _torch
from _torch import _default_generator as default_generator

__version__ = "2.6.0"

inf = 1e400
nan = inf - inf
pi = 3.141592653589793
e = 2.718281828459045
newaxis = None


class _Word:
    """A named constant: it prints as its name."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return "torch." + self._name

    def __reduce__(self):
        return self._name


layout = memory_format = _Word
strided = _Word("strided")
sparse_coo = _Word("sparse_coo")
contiguous_format = _Word("contiguous_format")
preserve_format = _Word("preserve_format")
channels_last = _Word("channels_last")


class _GradMode:
    """Turns recording for gradients on or off: as a context, or around a function."""

    def __init__(self, mode):
        self._mode = mode
        self._before = []

    def __enter__(self):
        self._before.append(_torch.is_grad_enabled())
        _torch._set_grad_enabled(self._mode)

    def __exit__(self, *error):
        _torch._set_grad_enabled(self._before.pop())

    def __call__(self, function):
        from torch._more import around

        return around(self, function)

    def clone(self):
        return type(self)()


class no_grad(_GradMode):
    """Within it nothing is recorded for gradients."""

    def __new__(cls, orig_func=None):
        self = object.__new__(cls)
        if orig_func is None:
            return self
        self.__init__()
        return self(orig_func)

    def __init__(self, orig_func=None):
        super().__init__(False)


class enable_grad(no_grad):
    """Within it operations are recorded for gradients, even inside `no_grad`."""

    def __init__(self, orig_func=None):
        _GradMode.__init__(self, True)


class inference_mode(_GradMode):
    """As `no_grad`."""

    def __new__(cls, mode=True):
        self = object.__new__(cls)
        if isinstance(mode, _bool):
            return self
        self.__init__()
        return self(mode)

    def __init__(self, mode=True):
        super().__init__(not mode)


class set_grad_enabled(_GradMode):
    """Sets recording at once; as a context, until its end."""

    def __init__(self, mode):
        super().__init__(mode)
        self._before.append(_torch.is_grad_enabled())
        _torch._set_grad_enabled(mode)

    def __enter__(self):
        pass

    def __call__(self, function):
        # Used around a function it changes nothing outside of it.
        _torch._set_grad_enabled(self._before.pop())
        from torch._more import around

        return around(_GradMode(self._mode), function)


_bool = type(True)

_SUBMODULES = (
    "amp autograd backends cuda distributed distributions functional jit linalg mps nn optim random return_types "
    "serialization storage testing types utils version"
).split()


def __getattr__(name):
    if name in _SUBMODULES:
        import importlib

        return importlib.import_module("torch." + name)
    if name in ("save", "load") or name.endswith("Storage"):
        from torch import serialization

        if name in serialization.STORAGES:
            return serialization.STORAGES[name]
        if name in ("save", "load"):
            return getattr(serialization, name)
    if not name.startswith("_"):
        import torch._more as _more

        if name in _more.__all__:
            value = getattr(_more, name)
            globals()[name] = value
            return value
        import torch._autocast as _autocast

        if name in _autocast.__all__:
            return getattr(_autocast, name)
        import torch._complex as _complex

        if name in _complex.__all__:
            # Not kept in this module: `complex` has the name of one of Python's own.
            return getattr(_complex, name)
    raise _torch._missing("torch", name, [])
