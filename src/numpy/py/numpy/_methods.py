"""The methods of arrays that are seldom called; the others are native. Each takes the array first. Names that begin with `_`
are none."""

from _numpy import ndarray, dtype as _dtype


def _module(name):
    import importlib

    return importlib.import_module("numpy." + name)


def view(self, dtype=None, type=None):
    if type not in (None, ndarray):
        raise NotImplementedError("view() as another class is not part of attn's numpy")
    if dtype is None or dtype is ndarray or _dtype(dtype) == self.dtype:
        return self[...]
    if getattr(_dtype(dtype), "part", None) == self.dtype and self._is_row_major and self.ndim and self.shape[-1] % 2 == 0:
        return _module("_complex").ndarray(self.reshape(self.shape[:-1] + (-1, 2)))
    raise NotImplementedError("view() in another dtype is not part of attn's numpy: astype() converts")


def tobytes(self, order="C"):
    return _module("_files").tobytes(self, order)


def _reduce(self, *protocol):
    import numpy

    return (numpy.array, (self.tolist(), str(self.dtype)))


def _warn(text):
    import warnings

    warnings.warn(text, RuntimeWarning, stacklevel=3)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    import numpy

    return numpy.sum(numpy.diagonal(a, offset, axis1, axis2), -1, dtype, out)


_PROPERTIES = {
    "flags": lambda self: _module("_shape").Flags(self),
    "__array__": lambda self: lambda dtype=None: self if dtype is None else self.astype(dtype, copy=False),
    "__reduce__": lambda self: lambda: _reduce(self),
}


# Attributes that are left out, and what to use.
_INSTEAD = {
    "flat": "reshape(-1)", "ptp": "max() and min()", "ctypes": "tolist()", "data": "tobytes()",
    "dump": "numpy.save()", "dumps": "tobytes()", "tostring": "tobytes()", "setflags": "copy()", "itemset": "a[index] = value",
}


def _missing(self, name):
    import difflib

    if name in _INSTEAD:
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}' in attn: use {_INSTEAD[name]}")
    known = [known for known in [*globals(), *dir(ndarray)] if not known.startswith("_")]
    near = difflib.get_close_matches(name, known, 1)
    hint = f". Did you mean: '{near[0]}'?" if near else ""
    error = AttributeError(f"'numpy.ndarray' object has no attribute '{name}'{hint}")
    raise error
