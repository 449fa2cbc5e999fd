"""The methods of elementwise functions: `reduce`, `accumulate`, `outer`, `at`."""

import numpy
from numpy._methods import _into
from numpy._no_value import NO_VALUE
from _numpy import _axes

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
    start = None if initial is NO_VALUE else initial
    axes = _axes(axis, array.ndim)
    moved = numpy.moveaxis(array, axes, range(len(axes)))
    rows = moved.reshape((-1,) + moved.shape[len(axes):])
    if len(rows) == 0:
        made = ufunc.identity if start is None else start
        if made is None:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        made = numpy.full(rows.shape[1:], made, array.dtype)[()]
    else:
        made = rows[0] if start is None else ufunc(start, rows[0])
        for row in rows[1:]:
            made = ufunc(made, row)
    if keepdims:
        made = numpy.asarray(made).reshape([1 if at in axes else size for at, size in enumerate(array.shape)])
    return _into(out, made)


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    _two(ufunc)
    array = numpy.asarray(array)
    if dtype is not None:
        array = array.astype(dtype)
    if ufunc.__name__ in ("add", "multiply"):
        return (numpy.cumsum if ufunc.__name__ == "add" else numpy.cumprod)(array, axis, out=out)
    rows = numpy.moveaxis(array, axis, 0)
    made = [rows[0]] if len(rows) else []
    for row in rows[1:]:
        made.append(ufunc(made[-1], row))
    return _into(out, numpy.moveaxis(numpy.stack(made), 0, axis) if made else array)


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
