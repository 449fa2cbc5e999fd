"""Arrays from nothing and from data."""

import numpy


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    """Powers of base whose exponents are at equal distances."""
    made = numpy.power(base, numpy.linspace(start, stop, num, endpoint))
    return made if dtype is None else made.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None):
    """Numbers from start to stop in equal ratios."""
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0 and stop < 0 else 1.0
    low, high = start * sign, stop * sign
    y = logspace(numpy.log10(low), numpy.log10(high), num=num, endpoint=endpoint, base=10.0)
    if num > 0:
        y[0] = low
        if num > 1 and endpoint:
            y[-1] = high
    y = y * sign
    return y if dtype is None else y.astype(dtype)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinates of a grid, one array for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    made = [numpy.asarray(x).reshape((1,) * i + (-1,) + (1,) * (ndim - 1 - i)) for i, x in enumerate(xi)]
    if indexing == "xy" and ndim > 1:
        made[0] = made[0].reshape((1, -1) + (1,) * (ndim - 2))
        made[1] = made[1].reshape((-1, 1) + (1,) * (ndim - 2))
    if not sparse:
        made = numpy.broadcast_arrays(*made)
    return [x.copy() for x in made] if copy else list(made)


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """function(i, j, ..) of the index arrays of a shape."""
    return function(*numpy.indices(shape, dtype=dtype), **kwargs)


def fromiter(iter, dtype, count=-1):
    items = []
    for item in iter:
        if len(items) == count:
            break
        items.append(item)
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return numpy.array(items, dtype)
