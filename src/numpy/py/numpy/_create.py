"""Arrays from nothing and from data."""

import _numpy
from _numpy import _array, _full, _op, _own, dtype as _dtype, ndarray

__all__ = (
    "array asarray asanyarray ascontiguousarray asfortranarray copy zeros ones empty full zeros_like ones_like "
    "empty_like full_like arange linspace logspace geomspace eye identity meshgrid fromfunction fromiter"
).split()


def _order(order, allowed=("C", "K", "A", None)):
    if order not in allowed:
        if order in ("F", "C", "A", "K"):
            raise NotImplementedError(f"order={order!r} is not part of attn's numpy: new arrays are row-major")
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")


def _like(like):
    if like is not None:
        raise NotImplementedError("like= is not part of attn's numpy")


def _foreign(data, dtype, copy):
    """An array that is none of real numbers; raises again what these raised if nothing else is asked for."""
    from numpy import _foreign as place

    return place.array(data, dtype, copy)


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """An array of a number, nested sequences or another array's elements. Copies."""
    _like(like)
    try:
        made = _array(object, dtype, bool(copy))
    except (NotImplementedError, TypeError):
        made = _foreign(object, dtype, copy)
    if order == "F":
        made = asfortranarray(made)
    else:
        _order(order)
    if ndmin > made.ndim:
        made = made[(None,) * (ndmin - made.ndim)]
    return made


def asarray(a, dtype=None, order=None, *, like=None):
    """An array: itself if it is one of this dtype."""
    if type(a) is ndarray and dtype is None and order is None and like is None:
        return a
    _like(like)
    if order == "F":
        return asfortranarray(a, dtype)
    _order(order)
    if type(a) is ndarray and dtype is None:
        return ascontiguousarray(a) if order == "C" else a
    try:
        made = _array(a, dtype, False)
    except (NotImplementedError, TypeError):
        return _foreign(a, dtype, False)
    return ascontiguousarray(made) if order == "C" else made


def asanyarray(a, dtype=None, order=None, *, like=None):
    return asarray(a, dtype, order, like=like)


def ascontiguousarray(a, dtype=None, *, like=None):
    _like(like)
    made = _array(a, dtype, False)
    if made.ndim == 0:
        return made.reshape(1)
    return made if made._is_row_major else _op("contiguous", made)


def asfortranarray(a, dtype=None, *, like=None):
    """The same elements, column-major in memory."""
    _like(like)
    made = _array(a, dtype, False)
    return made if made.ndim < 2 or made.T._is_row_major else _own(_op("contiguous", made.T).T)


def copy(a, order="K", subok=False):
    return array(a, order=order)


def _shape(shape):
    return tuple(shape) if isinstance(shape, (tuple, list, ndarray)) else (shape,)


def _is_native(dtype):
    return dtype is None or type(_dtype(dtype)) is _dtype


def _filled(shape, value, dtype, order):
    if order == "F" and _is_native(dtype) and not isinstance(value, complex):
        return _own(_full(_shape(shape)[::-1], value, dtype).T)
    _order(order)
    try:
        return _full(_shape(shape), value, dtype)
    except (NotImplementedError, TypeError):
        from numpy import _foreign

        return _foreign.filled(_shape(shape), value, dtype)


_float = _dtype("float64")


def zeros(shape, dtype=float, order="C", *, like=None):
    """An array of zeros."""
    _like(like)
    return _filled(shape, 0, _float if dtype is None else dtype, order)


def ones(shape, dtype=None, order="C", *, like=None):
    """An array of ones."""
    _like(like)
    return _filled(shape, 1, _float if dtype is None else dtype, order)


def empty(shape, dtype=float, order="C", *, like=None):
    """An array whose elements are to be set: they are zeros here."""
    _like(like)
    value = None if not _is_native(dtype) and _dtype(dtype).kind == "O" else 0
    return _filled(shape, value, _float if dtype is None else dtype, order)


def full(shape, fill_value, dtype=None, order="C", *, like=None):
    """An array of one value."""
    _like(like)
    value = asarray(fill_value)
    if value.ndim == 0:
        if dtype is None and value.dtype.kind in "OU":
            dtype = value.dtype
        return _filled(shape, value[()], dtype, order)
    made = _filled(shape, 0, dtype or value.dtype, order)
    made[...] = value
    return made


def _as(a, dtype, shape):
    a = asarray(a)
    return (a.shape if shape is None else shape), dtype or a.dtype


def zeros_like(a, dtype=None, order="K", subok=True, shape=None):
    shape, dtype = _as(a, dtype, shape)
    return _filled(shape, 0, dtype, order)


def ones_like(a, dtype=None, order="K", subok=True, shape=None):
    shape, dtype = _as(a, dtype, shape)
    return _filled(shape, 1, dtype, order)


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None):
    shape, dtype = _as(prototype, dtype, shape)
    return _filled(shape, 0, dtype, order)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    shape, dtype = _as(a, dtype, shape)
    made = _filled(shape, 0, dtype, order)
    made[...] = fill_value
    return made


def arange(start=None, stop=None, step=None, dtype=None, *, like=None):
    """start, start + step, ... below stop."""
    _like(like)
    if start is None and stop is None:
        raise TypeError("arange() requires stop to be specified.")
    if stop is None:
        start, stop = 0, start
    if start is None:
        start = 0
    if step is None:
        step = 1
    if step == 0:
        raise ZeroDivisionError("division by zero")
    kind = _numpy.result_type(start, stop, step) if dtype is None else _dtype(dtype)
    import math

    count = math.ceil((_numpy._item(stop) - _numpy._item(start)) / _numpy._item(step))
    if count <= 0:
        return _full((0,), 0, kind)
    if kind.kind in "iu" and dtype is None:
        return _op("arange", start, start + count * step, step, dtype=kind)
    # As NumPy: the first two are computed, and their difference is added again and again.
    first, second = _array(start, None, False).astype(kind)[()], _array(start + step, None, False).astype(kind)[()]
    steps = _op("arange", 0, count, 1, dtype=_dtype("int64"))
    return (first + steps * (second - first)).astype(kind)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """num numbers from start to stop, at equal distances."""
    import numpy
    import operator

    num = operator.index(num)
    if num < 0:
        raise ValueError("Number of samples, %s, must be non-negative." % num)
    parts = num - 1 if endpoint else num
    start, stop = asarray(start) * 1.0, asarray(stop) * 1.0
    kind = numpy.result_type(start, stop, float(num))
    if dtype is None:
        dtype, whole = kind, False
    else:
        whole = _dtype(dtype).kind in "iu"
    delta = asarray(stop - start)
    shape = (-1,) + (1,) * delta.ndim
    y = arange(0, num).reshape(shape).astype(kind)
    if parts > 0:
        step = delta / parts
        if numpy.any(step == 0):
            y = y / parts * delta
        else:
            y = y * step
    else:
        step = numpy.nan
        y = y * delta
    y = y + start
    if endpoint and num > 1:
        y[-1, ...] = stop
    if axis != 0:
        y = numpy.moveaxis(y, 0, axis)
    if whole:
        y = numpy.floor(y)
    y = y.astype(dtype)
    return (y, _numpy._result(step) if isinstance(step, ndarray) else step) if retstep else y


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of base whose exponents are at equal distances."""
    import numpy

    if numpy.ndim(base):
        dims = len(numpy.broadcast_shapes(numpy.shape(start), numpy.shape(stop), numpy.shape(base)))
        start, stop, base = (array(one, ndmin=dims) for one in (start, stop, base))
        base = numpy.expand_dims(base, axis)
    y = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    made = numpy.power(base, y)
    return made if dtype is None else made.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers from start to stop in equal ratios."""
    import numpy

    start, stop = asarray(start) * 1.0, asarray(stop) * 1.0
    if numpy.any(start == 0) or numpy.any(stop == 0):
        raise ValueError("Geometric sequence cannot include zero")
    sign = numpy.where((numpy.sign(start) == -1) & (numpy.sign(stop) == -1), -1.0, 1.0)
    low, high = start * sign, stop * sign
    y = logspace(numpy.log10(low), numpy.log10(high), num=num, endpoint=endpoint, base=10.0)
    if num > 0:
        y[0] = low
        if num > 1 and endpoint:
            y[-1] = high
    y = y * sign
    if axis != 0:
        y = numpy.moveaxis(y, 0, axis)
    return y if dtype is None else y.astype(dtype)


def new_array(shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    """`numpy.ndarray(shape, ..)`: an array whose elements are to be set."""
    if buffer is not None or offset or strides is not None:
        raise NotImplementedError("ndarray(buffer=, offset=, strides=) is not part of attn's numpy: frombuffer() reads bytes")
    return empty(_shape(shape), dtype, order or "C")


def eye(N, M=None, k=0, dtype=float, order="C", *, like=None):
    """Ones on a diagonal, zeros elsewhere."""
    _like(like)
    _order(order)
    M = N if M is None else M
    made = _filled((N, M), 0, _float if dtype is None else dtype, "C")
    for row in range(max(0, -k), min(N, M - k)):
        made[row, row + k] = 1
    return made


def identity(n, dtype=None, *, like=None):
    _like(like)
    return eye(n, dtype=dtype or _float)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinates of a grid, one array for each axis."""
    import numpy

    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    made = [asanyarray(x).reshape((1,) * i + (-1,) + (1,) * (ndim - 1 - i)) for i, x in enumerate(xi)]
    if indexing == "xy" and ndim > 1:
        made[0] = made[0].reshape((1, -1) + (1,) * (ndim - 2))
        made[1] = made[1].reshape((-1, 1) + (1,) * (ndim - 2))
    if not sparse:
        made = numpy.broadcast_arrays(*made)
    return [x.copy() for x in made] if copy else list(made)


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """function(i, j, ..) of the index arrays of a shape."""
    import numpy

    _like(like)
    return function(*numpy.indices(shape, dtype=dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    _like(like)
    items = []
    for item in iter:
        if len(items) == count:
            break
        items.append(item)
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return _array(items, dtype, True)
