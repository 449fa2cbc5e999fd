"""Attributes of arrays that are seldom asked for; the others are native."""

import types
import warnings

import numpy
from _numpy import ndarray
from numpy._kinds import complex_of, dtype as _dtype, part_of


def view(self, dtype=None, type=None):
    if type not in (None, ndarray):
        raise NotImplementedError("view() as another class is not part of attn's numpy")
    if dtype is None or dtype is ndarray or _dtype(dtype) == self.dtype:
        return self[...]
    kind = complex_of(dtype)
    if kind is not None and part_of(kind) == self.dtype and self._is_row_major and self.ndim and self.shape[-1] % 2 == 0:
        from numpy import _complex

        return _complex.ndarray(self.reshape(self.shape[:-1] + (-1, 2)))
    raise NotImplementedError("view() in another dtype is not part of attn's numpy: astype() converts")


def tobytes(self, order="C"):
    from numpy import _files

    return _files.tobytes(self, order)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return numpy.sum(numpy.diagonal(a, offset, axis1, axis2), -1, dtype, out)


def _array(self, dtype=None):
    return self if dtype is None else self.astype(dtype, copy=False)


def _reduce(self, *protocol):
    return (numpy.array, (self.tolist(), str(self.dtype)))


def _warn(text):
    warnings.warn(text, RuntimeWarning, stacklevel=3)


METHODS = {"view": view, "tobytes": tobytes, "trace": trace}
_PROTOCOLS = {"__array__": _array, "__reduce__": _reduce}

# Attributes that are left out, and what to use.
_INSTEAD = {
    "flat": "reshape(-1)", "ptp": "max() and min()", "ctypes": "tolist()", "data": "tobytes()",
    "dump": "numpy.save()", "dumps": "tobytes()", "tostring": "tobytes()", "setflags": "copy()", "itemset": "a[index] = value",
}


def attribute(self, name):
    """An attribute that the class has not. Errors: there is none."""
    if name in METHODS or name in _PROTOCOLS:
        return types.MethodType(METHODS.get(name) or _PROTOCOLS[name], self)
    if name == "flags":
        from numpy import _shape

        return _shape.Flags(self)
    if name in _INSTEAD:
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}' in attn: use {_INSTEAD[name]}")
    import difflib

    known = [known for known in [*METHODS, *dir(ndarray)] if not known.startswith("_")]
    near = difflib.get_close_matches(name, known, 1)
    raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'" + (f". Did you mean: '{near[0]}'?" if near else ""))
