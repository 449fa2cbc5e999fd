"""Sums, moments, order statistics, counts."""

import numpy
from _numpy import _axes, _result
from numpy import asarray, mean, sum, var
from numpy._methods import _into


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    a = asarray(a)
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        scale = a.size // asarray(made).size if a.size else 0
        return (made, numpy.full(numpy.shape(made), float(scale))[()]) if returned else made
    weights = asarray(weights)
    if a.shape != weights.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.ndim != 1:
            raise TypeError("1D weights expected when shapes of a and weights differ.")
        if weights.shape[0] != a.shape[axis]:
            raise ValueError("Length of weights not compatible with specified axis.")
        (at,) = _axes(axis, a.ndim)
        weights = weights.reshape((1,) * at + (-1,) + (1,) * (a.ndim - at - 1))
        weights = numpy.broadcast_to(weights, a.shape)
    kind = numpy.result_type(a.dtype, weights.dtype, "float64" if a.dtype.kind in "biu" else a.dtype)
    scale = sum(weights, axis, dtype=kind, keepdims=keepdims)
    if numpy.any(scale == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    made = sum(numpy.multiply(a, weights).astype(kind), axis, keepdims=keepdims) / scale
    return (made, numpy.broadcast_to(scale, numpy.shape(made))[()]) if returned else made


# Order statistics.


def _flattened(a, axis):
    """The axes as one, the last."""
    a = asarray(a)
    axes = _axes(tuple(axis) if isinstance(axis, (list, tuple)) else axis, a.ndim)
    moved = numpy.moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    return moved.reshape(moved.shape[: a.ndim - len(axes)] + (-1,)), axes


def _kept(made, a, axes, keepdims):
    if not keepdims:
        return made
    shape = tuple(1 if at in axes else size for at, size in enumerate(asarray(a).shape))
    return asarray(made).reshape(shape)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    values, axes = _flattened(a, axis)
    ordered = numpy.sort(values, axis=-1)
    count = ordered.shape[-1]
    if count == 0:
        return _into(out, _kept(mean(ordered, axis=-1), a, axes, keepdims))
    low = (count - 1) // 2
    made = mean(ordered[..., low:count // 2 + 1], axis=-1)
    if values.dtype.kind == "f":
        bad = numpy.isnan(values).any(axis=-1)
        if numpy.any(bad):
            made = _result(asarray(numpy.where(bad, numpy.nan, made)))
    return _into(out, _kept(made, a, axes, keepdims))


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, interpolation=None):
    q = asarray(q)
    if not numpy.all((q >= 0) & (q <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return _quantile(a, q, axis, out, interpolation or method, keepdims)


def _quantile(a, q, axis, out, method, keepdims):
    if method not in _METHODS:
        raise NotImplementedError(f"quantiles with method={method!r} are not part of attn's numpy: it has {', '.join(_METHODS)}")
    values, axes = _flattened(a, axis)
    ordered = numpy.sort(values, axis=-1)
    count = ordered.shape[-1]
    made = [_at(ordered, count, float(one), method) for one in q.reshape(-1)]
    if values.dtype.kind == "f":
        bad = numpy.isnan(values).any(axis=-1)
        if numpy.any(bad):
            made = [_result(asarray(numpy.where(bad, numpy.nan, one))) for one in made]
    made = [_kept(one, a, axes, keepdims) for one in made]
    if q.ndim == 0:
        return _into(out, made[0])
    made = numpy.stack([asarray(one) for one in made])
    return _into(out, made.reshape(q.shape + made.shape[1:]))


def _at(ordered, count, q, method):
    import math

    place = (count - 1) * q
    if method in ("lower", "higher", "nearest"):
        at = {"lower": math.floor, "higher": math.ceil, "nearest": lambda x: int(numpy.rint(x))}[method](place)
        return ordered[..., at]
    if method == "midpoint":
        place = 0.5 * (math.floor(place) + math.ceil(place))
    low = math.floor(place)
    high = min(low + 1, count - 1)
    part = place - low
    if ordered.dtype.kind == "f":
        part = ordered.dtype.type(part)
    a, b = ordered[..., low], ordered[..., high]
    if ordered.dtype.kind == "b":
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                        "or the logical_xor function instead.")
    step = b - a
    return a + step * part if part < 0.5 else b - step * (1 - part)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, interpolation=None):
    q = numpy.true_divide(q, 100)
    q = asarray(q)
    if not numpy.all((q >= 0) & (q <= 1)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _quantile(a, q, axis, out, interpolation or method, keepdims)


# Without nan.


def _without(a, value):
    a = asarray(a)
    return (a, None) if a.dtype.kind != "f" else (numpy.where(numpy.isnan(a), a.dtype.type(value), a), ~numpy.isnan(a))


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    return sum(_without(a, 0)[0], axis, dtype, out, keepdims)


def _over(total, count):
    """The quotient in the dtype of the sum."""
    made = numpy.true_divide(total, count)
    return _result(asarray(made).astype(total.dtype)) if total.dtype.kind == "f" else made


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    values, good = _without(a, 0)
    if good is None:
        return mean(values, axis, dtype, out, keepdims)
    return _into(out, _over(sum(values, axis, dtype, keepdims=keepdims), sum(good, axis, keepdims=keepdims)))


def _nan_extreme(function, far):
    def extreme(a, axis=None, out=None, keepdims=False):
        values, good = _without(a, far)
        made = function(values, axis, None, keepdims)
        if good is not None:
            made = numpy.where(good.any(axis, keepdims=keepdims), made, values.dtype.type(numpy.nan))
            made = _result(made.astype(values.dtype))
        return _into(out, made)

    return extreme


nanmax, nanmin = _nan_extreme(numpy.max, -numpy.inf), _nan_extreme(numpy.min, numpy.inf)
