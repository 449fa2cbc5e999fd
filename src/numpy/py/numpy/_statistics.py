"""Sums, moments, order statistics, counts."""

import numpy
from numpy import asarray, mean, sum


def average(a, axis=None, weights=None):
    a = asarray(a)
    if weights is None:
        return mean(a, axis)
    weights = asarray(weights)
    if a.shape != weights.shape:
        if axis is None or weights.ndim != 1:
            raise TypeError("1D weights and an axis expected when shapes of a and weights differ.")
        weights = numpy.broadcast_to(weights.reshape((-1,) + (1,) * (a.ndim - 1 - axis % a.ndim)), a.shape)
    kind = numpy.result_type(a.dtype, weights.dtype, "float64" if a.dtype.kind in "biu" else a.dtype)
    scale = sum(weights, axis, dtype=kind)
    if numpy.any(scale == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return sum(numpy.multiply(a, weights).astype(kind), axis) / scale


def count_nonzero(a, axis=None, *, keepdims=False):
    made = sum(asarray(a).astype("bool"), axis, "int64", keepdims=keepdims)
    return int(made) if axis is None and not keepdims else made


# Order statistics.


def _along(a, axis):
    """The elements along an axis, or all of them, as the last axis."""
    a = asarray(a)
    return a.reshape(-1) if axis is None else numpy.moveaxis(a, axis, -1)


def _with_nan(made, values):
    """What was computed, and nan where one of the values was."""
    bad = (values != values).any(axis=-1)
    return numpy.where(bad, numpy.nan, made)[()] if numpy.any(bad) else made


def median(a, axis=None):
    values = _along(a, axis)
    ordered = numpy.sort(values, axis=-1)
    count = ordered.shape[-1]
    low = (count - 1) // 2
    return _with_nan(mean(ordered[..., low:count // 2 + 1], axis=-1), values)


def quantile(a, q, axis=None):
    q = asarray(q)
    if not numpy.all((q >= 0) & (q <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    values = _along(a, axis)
    ordered = numpy.sort(values, axis=-1)
    made = [_with_nan(_at(ordered, one), values) for one in q.reshape(-1).tolist()]
    if q.ndim == 0:
        return made[0]
    made = numpy.stack([asarray(one) for one in made])
    return made.reshape(q.shape + made.shape[1:])


def _at(ordered, q):
    place = (ordered.shape[-1] - 1) * q
    low = int(place)
    part = place - low
    a, b = ordered[..., low], ordered[..., min(low + 1, ordered.shape[-1] - 1)]
    # The difference has the dtype of the values, what is computed with a place that of places.
    a, b, step = (asarray(it).astype("float64") for it in (a, b, b - a))
    return a + step * part if part < 0.5 else b - step * (1 - part)


def percentile(a, q, axis=None):
    q = numpy.true_divide(q, 100)
    if not numpy.all((q >= 0) & (q <= 1)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return quantile(a, q, axis)
