"""Arrays from nothing and from data."""

import numpy


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    """Powers of base whose exponents are at equal distances."""
    made = numpy.power(base, numpy.linspace(start, stop, num, endpoint))
    return made if dtype is None else made.astype(dtype)


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
