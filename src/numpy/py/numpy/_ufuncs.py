"""The methods of elementwise functions: `reduce`, `accumulate`, `outer`, `at`."""

import numpy
from numpy import _methods
from numpy._no_value import NO_VALUE
from _numpy import _axes

_REDUCED = {
    "add": _methods.sum,
    "multiply": _methods.prod,
    "maximum": _methods.max,
    "minimum": _methods.min,
    "logical_and": lambda a, axis, out, keepdims, where: _methods.all(a, axis, out, keepdims, where=where),
    "logical_or": lambda a, axis, out, keepdims, where: _methods.any(a, axis, out, keepdims, where=where),
}



def _two(ufunc):
    if ufunc.nin != 2:
        raise ValueError("reduce only supported for binary functions")


def reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=NO_VALUE, where=True):
    _two(ufunc)
    array = numpy.asarray(array)
    name = ufunc.__name__
    start = None if initial is NO_VALUE else initial
    if array.ndim == 0:
        return array[()]
    if array.dtype.kind == "c" and name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or"):
        function = {"add": numpy.sum, "multiply": numpy.prod, "maximum": numpy.max, "minimum": numpy.min,
                    "logical_and": numpy.all, "logical_or": numpy.any}[name]
        return function(array, axis, out=out, keepdims=keepdims)
    if name in ("add", "multiply"):
        kind = dtype
        if kind is None and array.dtype.kind == "b" and name == "add":
            kind = "int64"
        return _REDUCED[name](array, axis, kind, out, keepdims, start, where)
    if name in ("maximum", "minimum"):
        return _REDUCED[name](array, axis, out, keepdims, start, where)
    if name in ("logical_and", "logical_or"):
        return _REDUCED[name](array, axis, out, keepdims, where)
    if where is not True:
        raise NotImplementedError(f"{name}.reduce with where= is not part of attn's numpy")
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
    return _methods._into(out, made)


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    _two(ufunc)
    array = numpy.asarray(array)
    if dtype is not None:
        array = array.astype(dtype)
    if array.dtype.kind == "c" and ufunc.__name__ in ("add", "multiply"):
        return (numpy.cumsum if ufunc.__name__ == "add" else numpy.cumprod)(array, axis, dtype, out)
    if ufunc.__name__ == "add":
        return _methods.cumsum(array, axis, dtype, out)
    if ufunc.__name__ == "multiply":
        return _methods.cumprod(array, axis, dtype, out)
    rows = numpy.moveaxis(array, axis, 0)
    made = [rows[0]] if len(rows) else []
    for row in rows[1:]:
        made.append(ufunc(made[-1], row))
    return _methods._into(out, numpy.moveaxis(numpy.stack(made), 0, axis) if made else array)


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
