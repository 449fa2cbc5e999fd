"""The methods of arrays: each takes the array first. Names that begin with `_` are none."""

import _numpy
from _numpy import _array, _axes, _fold, _item, _op, _result, ndarray, dtype as _dtype

_min, _max, _sum, _any = min, max, sum, any
_float64 = _dtype("float64")


def _module(name):
    import importlib

    return importlib.import_module("numpy." + name)


def _into(out, made):
    if out is None:
        return made
    if isinstance(out, tuple):
        (out,) = out
    if not isinstance(out, ndarray):
        raise TypeError("return arrays must be of ArrayType")
    if out.shape != getattr(made, "shape", ()):
        raise ValueError(f"output parameter for reduction operation has the wrong shape {out.shape}")
    _numpy._copy_into(out, made)
    return out


def _masked(a, where, value):
    """The array with `value` where the mask is false."""
    if where is True:
        return a
    import numpy

    return numpy.where(where, a, value)


def _number(initial, made):
    return made if initial is None else made + initial


# Shape.


def reshape(self, *shape, order="C"):
    if len(shape) == 1 and not isinstance(shape[0], int) and hasattr(shape[0], "__len__"):
        shape = tuple(shape[0])
    shape = tuple(int(size) for size in shape)
    if order == "F":
        return _reshaped(self.T, shape[::-1]).T
    if order not in ("C", "A"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    return _reshaped(self, shape)


def _reshaped(self, shape):
    known, unknown = 1, 0
    for size in shape:
        if size < 0:
            unknown += 1
        else:
            known *= size
    text = str(shape).replace(" ", "") if len(shape) != 1 else f"({shape[0]},)"
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    size = self.size
    if (unknown and (known == 0 or size % known)) or (not unknown and known != size):
        raise ValueError(f"cannot reshape array of size {size} into shape {text}")
    if unknown:
        shape = tuple(size // known if one < 0 else one for one in shape)
    return _op("reshape", self, shape)


def ravel(self, order="C"):
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    is_other = order in ("A", "K") and not self._is_row_major
    if is_other and order == "K" and not self.T._is_row_major:
        steps = self._layout[0]
        axes = sorted(range(self.ndim), key=lambda at: -steps[at])
        return _op("reshape", _op("permute", self, tuple(axes)), (-1,))
    if order == "F" or is_other and self.T._is_row_major:
        return _op("reshape", self.T, (-1,))
    return _op("reshape", self, (-1,))


def flatten(self, order="C"):
    source = self.T if order == "F" else self
    return _numpy._own(_op("reshape", _op("clone", source), (-1,))) if source._is_row_major else _op("reshape", source, (-1,))


def transpose(self, *axes):
    if len(axes) == 1 and (axes[0] is None or hasattr(axes[0], "__len__")):
        axes = axes[0]
    if not axes:
        return self.T
    if len(axes) != self.ndim:
        raise ValueError("axes don't match array")
    axes = [axis.__index__() for axis in axes]
    if len({axis % _max(self.ndim, 1) for axis in axes}) < len(axes):
        raise ValueError("repeated axis in transpose")
    return _op("permute", self, _axes(tuple(axes), self.ndim))


def swapaxes(self, axis1, axis2):
    (a,), (b,) = _axes(axis1, self.ndim), _axes(axis2, self.ndim)
    return _op("transpose", self, a, b)


def squeeze(self, axis=None):
    axes = [at for at, size in enumerate(self.shape) if size == 1] if axis is None else _axes(axis, self.ndim)
    for at in axes:
        if self.shape[at] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return self[tuple(0 if at in axes else slice(None) for at in range(self.ndim))] if axes and self.ndim > len(axes) else (
        _op("reshape", self, ()) if axes else self
    )


def repeat(self, repeats, axis=None):
    return _module("_shape").repeat(self, repeats, axis)


def view(self, dtype=None, type=None):
    if type not in (None, ndarray):
        raise NotImplementedError("view() as another class is not part of attn's numpy")
    if dtype is None or dtype is ndarray or _dtype(dtype) == self.dtype:
        return self[...]
    if _dtype(dtype).kind == "c":
        return _module("_complex").view_of(self, _dtype(dtype))
    raise NotImplementedError("view() in another dtype is not part of attn's numpy: astype() converts")


# Copies and conversions.


def copy(self, order="C"):
    if order == "F":
        return _numpy._own(_op("clone", self.T).T)
    made = _op("clone", self)
    return made if order == "K" or made._is_row_major else _op("contiguous", made)


def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    kind = dtype if type(dtype) is _dtype else _dtype(dtype)
    if type(kind) is not _dtype:
        return _module("_foreign").converted(self, kind)
    if not _numpy._can_cast(self.dtype, kind, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {kind!r} according to the rule '{casting}'")
    if kind == self.dtype:
        return _op("clone", self) if copy else self
    return _array(self, kind, True)


def item(self, *at):
    if not at:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return _item(_op("reshape", self, ()))
    if len(at) == 1 and isinstance(at[0], tuple):
        at = at[0]
    return _item(self.reshape(-1)[at[0]] if len(at) == 1 else self[at])


def fill(self, value):
    self[...] = value


def tobytes(self, order="C"):
    return _module("_files").tobytes(self, order)


def _copy(self, memo=None):
    return _op("clone", self)


def _reduce(self, *protocol):
    import numpy

    return (numpy.array, (self.tolist(), str(self.dtype)))


def _as_array(self, dtype=None):
    return self if dtype is None else astype(self, dtype, copy=False)


# Reductions.


def _summed(self, dtype):
    if dtype is not None:
        return _array(self, dtype, False)
    return self if self.dtype.kind == "f" else _array(self, "int64", False)


def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    made = _fold(_masked(_summed(self, dtype), where, 0), axis, bool(keepdims), False)
    return _into(out, _number(initial, made))


def prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    made = _fold(_masked(_summed(self, dtype), where, 1), axis, bool(keepdims), True)
    return _into(out, made if initial is None else made * initial)


def _count(self, axis, where):
    if where is True:
        count = 1
        for at in _axes(axis, self.ndim):
            count *= self.shape[at]
        return count
    import numpy

    return _fold(numpy.broadcast_to(_array(where, "bool", False), self.shape).astype("int64"), axis, False, False)


def _warn(text):
    import warnings

    warnings.warn(text, RuntimeWarning, stacklevel=3)


def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    count = _count(self, axis, where)
    if where is True and count == 0:
        _warn("Mean of empty slice.")
    kind = self.dtype
    wide = dtype or ("float64" if kind.kind in "biu" else "float32" if kind == "float16" else None)
    total = _fold(_masked(_array(self, wide, False), where, 0), axis, bool(keepdims), False)
    if where is not True and keepdims:
        count = _fold(_module("_shape").broadcast_to(_array(where, "bool", False), self.shape).astype("int64"), axis, True, False)
    made = _quotient(total, count)
    if dtype is None and kind == "float16":
        made = _result(_array(made, "float16", False))
    return _into(out, made)


def _quotient(total, count):
    import numpy

    made = numpy.true_divide(total, count)
    return _result(_array(made, total.dtype, False)) if total.dtype.kind == "f" and made.dtype != total.dtype else made


def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    import numpy

    count = _count(self, axis, where)
    if where is True and count - ddof <= 0:
        _warn("Degrees of freedom <= 0 for slice")
    kind = self.dtype
    wide = dtype or ("float64" if kind.kind in "biu" else "float32" if kind == "float16" else None)
    values = _array(self, wide, False)
    total = _fold(_masked(values, where, 0), axis, True, False)
    parts = count if where is True else _fold(
        numpy.broadcast_to(_array(where, "bool", False), self.shape).astype("int64"), axis, True, False
    )
    x = values - _quotient(_array(total, None, False), parts)
    x = x * x
    x = _array(x, None, False)
    folded = _fold(_masked(x, where, 0), axis, bool(keepdims), False)
    if where is not True and keepdims:
        count = parts
    made = _quotient(folded, numpy.maximum(count - ddof, 0))
    if dtype is None and kind == "float16":
        made = _result(_array(made, "float16", False))
    return _into(out, made)


def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    import numpy

    made = numpy.sqrt(var(self, axis, dtype, None, ddof, keepdims, where=where))
    return _into(out, made)


def _extreme(self, name, axis, keepdims, initial, where, empty):
    import numpy

    if where is not True:
        if initial is None:
            raise ValueError(f"reduction operation '{empty}' does not have an identity, so to use a where mask one has to "
                             "specify 'initial'")
        self = _masked(self, where, initial)
    axes = _axes(axis, self.ndim)
    if _any(self.shape[at] == 0 for at in axes):
        if initial is None:
            raise ValueError(f"zero-size array to reduction operation {empty} which has no identity")
        shape = [1 if at in axes else size for at, size in enumerate(self.shape) if keepdims or at not in axes]
        return _result(numpy.full(shape, initial, self.dtype))
    made = _result(_op(name, self, axes, bool(keepdims))) if self.ndim else self[()]
    if initial is not None:
        made = getattr(numpy, empty)(made, initial)
    return made


def max(self, axis=None, out=None, keepdims=False, initial=None, where=True):
    return _into(out, _extreme(self, "amax", axis, keepdims, initial, where, "maximum"))


def min(self, axis=None, out=None, keepdims=False, initial=None, where=True):
    return _into(out, _extreme(self, "amin", axis, keepdims, initial, where, "minimum"))


def ptp(self, axis=None, out=None, keepdims=False):
    import numpy

    return _into(out, numpy.subtract(max(self, axis, None, keepdims), min(self, axis, None, keepdims)))


def _truth(self, name, axis, keepdims, where, otherwise):
    mask = _array(_masked(_array(self, "bool", False), where, otherwise), "bool", False)
    axes = _axes(axis, mask.ndim)
    if not axes:
        return _result(mask)
    return _result(_op(name, mask, axes, bool(keepdims)))


def any(self, axis=None, out=None, keepdims=False, *, where=True):
    return _into(out, _truth(self, "any", axis, keepdims, where, False))


def all(self, axis=None, out=None, keepdims=False, *, where=True):
    return _into(out, _truth(self, "all", axis, keepdims, where, True))


def _place(self, name, axis, out, keepdims):
    if axis is None:
        if self.size == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        made = _op(name, self.reshape(-1).astype("int64") if self.dtype.kind == "b" else self.reshape(-1), 0)
        return _into(out, made.reshape((1,) * self.ndim) if keepdims else _result(made))
    (axis,) = _axes(axis, self.ndim)
    if self.shape[axis] == 0:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    source = self.astype("int64") if self.dtype.kind == "b" else self
    return _into(out, _result(_op(name, source, axis, bool(keepdims))))


def argmax(self, axis=None, out=None, *, keepdims=False):
    return _place(self, "argmax", axis, out, keepdims)


def argmin(self, axis=None, out=None, *, keepdims=False):
    return _place(self, "argmin", axis, out, keepdims)


def _running(self, name, axis, dtype, out):
    source = _summed(self, dtype)
    if axis is None:
        source, axis = source.reshape(-1), 0
    else:
        (axis,) = _axes(axis, source.ndim)
    return _into(out, _op(name, source, axis))


def cumsum(self, axis=None, dtype=None, out=None):
    return _running(self, "cumsum", axis, dtype, out)


def cumprod(self, axis=None, dtype=None, out=None):
    return _running(self, "cumprod", axis, dtype, out)


def _loaded(home, name):
    def method(self, *args, **words):
        return getattr(_module(home), name)(self, *args, **words)

    method.__name__ = name
    return method


for _home, _names in (
    ("_numeric", "clip round"),
    ("_order", "argsort nonzero searchsorted take argpartition"),
    ("_indices", "diagonal trace"),
    ("_linear", "dot"),
):
    for _name in _names.split():
        globals()[_name] = _loaded(_home, _name)


def sort(self, axis=-1, kind=None, order=None):
    """Sorts in place."""
    self[...] = _module("_order").sort(self, axis, kind, order)


def partition(self, kth, axis=-1, kind="introselect", order=None):
    self[...] = _module("_order").partition(self, kth, axis, kind, order)


def conj(self):
    return self


conjugate = conj


def setflags(self, write=None, align=None, uic=None):
    if write is not None and not write:
        raise NotImplementedError("read-only arrays are not part of attn's numpy")


def _flags(self):
    from numpy._flat import Flags

    return Flags(self)


def _flat(self):
    from numpy._flat import flatiter

    return flatiter(self)


def _set_flat(self, value):
    flatiter = _flat(self)
    flatiter[:] = value


def _real(self):
    return self


def _set_real(self, value):
    self[...] = value


def _imag(self):
    import numpy

    return numpy.zeros_like(self)


_PROPERTIES = {
    "flags": _flags,
    "imag": _imag,
    "__array__": lambda self: lambda dtype=None: _as_array(self, dtype),
    "__reduce__": lambda self: lambda: _reduce(self),
}


def _missing(self, name):
    import difflib

    if name in ("ctypes", "data", "dump", "dumps", "tostring", "getfield", "setfield", "newbyteorder"):
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}' in attn")
    known = [known for known in globals() if not known.startswith("_")]
    near = difflib.get_close_matches(name, [*known, "shape", "dtype", "ndim", "size", "tolist"], 1)
    hint = f". Did you mean: '{near[0]}'?" if near else ""
    error = AttributeError(f"'numpy.ndarray' object has no attribute '{name}'{hint}")
    raise error
