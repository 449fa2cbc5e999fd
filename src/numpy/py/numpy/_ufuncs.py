"""The methods of elementwise functions: `reduce`, `outer`, `at`."""

import numpy
from numpy._no_value import NO_VALUE

# The functions that compute the same.
_REDUCED = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}


def _two(ufunc):
    if ufunc.nin != 2:
        raise ValueError("reduce only supported for binary functions")


def reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=NO_VALUE):
    _two(ufunc)
    array = numpy.asarray(array)
    name = ufunc.__name__
    if array.ndim == 0:
        return array[()]
    if name in _REDUCED:
        words = {"dtype": dtype} if dtype is not None else {}
        if initial is not NO_VALUE:
            words["initial"] = initial
        return getattr(numpy, _REDUCED[name])(array, axis, out=out, keepdims=keepdims, **words)
    raise NotImplementedError(f"{name}.reduce is not part of attn's numpy: it has that of {', '.join(_REDUCED)}")


def outer(ufunc, a, b, **words):
    _two(ufunc)
    a, b = numpy.asarray(a), numpy.asarray(b)
    return ufunc(a.reshape(a.shape + (1,) * b.ndim), b, **words)


def at(ufunc, a, indices, b=NO_VALUE):
    """In place, one index after the other: repeated ones count each time."""
    places = numpy.arange(a.size).reshape(a.shape)[indices]
    places = numpy.asarray(places).reshape(-1)
    flat = a.reshape(-1)
    values = None if b is NO_VALUE else numpy.broadcast_to(b, numpy.asarray(a[indices]).shape).reshape(-1)
    for number, place in enumerate(places.tolist()):
        flat[place] = ufunc(flat[place]) if values is None else ufunc(flat[place], values[number])
    if flat._address != a._address:
        a[...] = flat.reshape(a.shape)
