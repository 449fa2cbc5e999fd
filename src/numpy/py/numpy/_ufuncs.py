"""The methods of elementwise functions: `reduce`, `accumulate`, `outer`, `at`."""

import types

import numpy
from _numpy import ndarray as numbers

# The functions that compute the same.
_REDUCED = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}


def reduce(ufunc, array, axis=0, *args, **words):
    name, array = ufunc.__name__, numpy.asarray(array)
    if name not in _REDUCED:
        raise NotImplementedError(f"{name}.reduce is not part of attn's numpy: it has that of {', '.join(_REDUCED)}")
    return getattr(numpy, _REDUCED[name])(array, axis if array.ndim else None, *args, **words)


def accumulate(ufunc, array, axis=0):
    """One element after the other, each with what came before."""
    result = numpy.array(array)
    along = numpy.moveaxis(result, axis, 0)
    for at in range(1, len(along)):
        along[at] = ufunc(along[at - 1], along[at])
    return result


def outer(ufunc, a, b, **words):
    a, b = numpy.asarray(a), numpy.asarray(b)
    return ufunc(a.reshape(a.shape + (1,) * b.ndim), b, **words)


def at(ufunc, a, indices, b=None):
    """In place, one index after the other: repeated ones count each time."""
    places = numpy.asarray(numpy.arange(a.size).reshape(a.shape)[indices])
    values = None if b is None else numpy.broadcast_to(b, a[indices].shape).reshape(-1)
    flat, is_copy = a.reshape(-1), not a._is_row_major
    if values is not None and ufunc in (numpy.add, numpy.subtract) and values.dtype == a.dtype and isinstance(values, numbers):
        # One operation, so that a gradient which is added up so is one result.
        flat._tensor.index_add_(0, places.reshape(-1)._tensor, (values if ufunc is numpy.add else -values)._tensor)
        places = places[:0]
    for number, place in enumerate(places.reshape(-1).tolist()):
        flat[place] = ufunc(flat[place]) if values is None else ufunc(flat[place], values[number])
    if is_copy:
        a[...] = flat.reshape(a.shape)


def attribute(ufunc, name):
    """A method of an elementwise function. Errors: there is none of this name."""
    if name not in ("reduce", "accumulate", "outer", "at"):
        raise AttributeError(f"'numpy.ufunc' object has no attribute '{name}'")
    return types.MethodType(globals()[name], ufunc)
