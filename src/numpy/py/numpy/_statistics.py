"""Sums, moments, order statistics, counts."""

import numpy
from _numpy import _array, _axes, _op, _result, ndarray
from numpy import _methods
from numpy._create import asarray

_sum, _any, _max, _min = sum, any, max, min


def own_method(a, name):
    """The method of an object of another class, which is called in place of the function: a tensor's. Or `None`."""
    if type(a) is ndarray or isinstance(a, (ndarray, list, tuple, int, float, numpy.generic)):
        return None
    return getattr(a, name, None)


def _words(keepdims=False, initial=None, where=True, **words):
    """The words that were given, of those with which such a method is called."""
    words.update({"keepdims": keepdims} if keepdims else {})
    words.update({"initial": initial} if initial is not None else {})
    words.update({"where": where} if where is not True else {})
    return words


def _dtyped(dtype, **words):
    return {**words, "dtype": dtype} if dtype is not None else words


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The sum of the elements, over all or along axes."""
    # Often called with small arrays: nothing but the sum itself should take time.
    if type(a) is ndarray:
        return _methods.sum(a, axis, dtype, out, keepdims, initial, where)
    method = own_method(a, "sum")
    if method is not None:
        return method(**_words(keepdims, initial, where, **_dtyped(dtype, out=out, axis=axis)))
    return _methods.sum(asarray(a), axis, dtype, out, keepdims, initial, where)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    method = own_method(a, "prod")
    if method is not None:
        return method(**_words(keepdims, initial, where, **_dtyped(dtype, out=out, axis=axis)))
    return _methods.prod(asarray(a), axis, dtype, out, keepdims, initial, where)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean of the elements, over all or along axes."""
    method = own_method(a, "mean")
    if method is not None:
        return method(**_words(keepdims, None, where, dtype=dtype, out=out, axis=axis))
    return _methods.mean(asarray(a), axis, dtype, out, keepdims, where=where)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    method = own_method(a, "std")
    if method is not None:
        return method(**_words(keepdims, None, where, ddof=ddof, dtype=dtype, out=out, axis=axis))
    return _methods.std(asarray(a), axis, dtype, out, ddof, keepdims, where=where)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    method = own_method(a, "var")
    if method is not None:
        return method(**_words(keepdims, None, where, ddof=ddof, dtype=dtype, out=out, axis=axis))
    return _methods.var(asarray(a), axis, dtype, out, ddof, keepdims, where=where)


def any(a, axis=None, out=None, keepdims=False, *, where=True):
    method = own_method(a, "any")
    if method is not None:
        return method(**_words(keepdims, None, where, out=out, axis=axis))
    return _methods.any(asarray(a), axis, out, keepdims, where=where)


def all(a, axis=None, out=None, keepdims=False, *, where=True):
    method = own_method(a, "all")
    if method is not None:
        return method(**_words(keepdims, None, where, out=out, axis=axis))
    return _methods.all(asarray(a), axis, out, keepdims, where=where)


def cumsum(a, axis=None, dtype=None, out=None):
    return _methods.cumsum(asarray(a), axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    return _methods.cumprod(asarray(a), axis, dtype, out)


def ptp(a, axis=None, out=None, keepdims=False):
    return _methods.ptp(asarray(a), axis, out, keepdims)


def argmax(a, axis=None, out=None, *, keepdims=False):
    return _methods.argmax(asarray(a), axis, out, keepdims=keepdims)


def argmin(a, axis=None, out=None, *, keepdims=False):
    return _methods.argmin(asarray(a), axis, out, keepdims=keepdims)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    a = asarray(a)
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        scale = _methods._count(a, axis, True)
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


def count_nonzero(a, axis=None, *, keepdims=False):
    made = _methods.sum(asarray(a).astype("bool"), axis, "int64", None, keepdims)
    return int(made) if axis is None and not keepdims else made


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
        return _methods._into(out, _kept(mean(ordered, axis=-1), a, axes, keepdims))
    low = (count - 1) // 2
    made = mean(ordered[..., low:count // 2 + 1], axis=-1)
    if values.dtype.kind == "f":
        bad = numpy.isnan(values).any(axis=-1)
        if numpy.any(bad):
            made = _result(asarray(numpy.where(bad, numpy.nan, made)))
    return _methods._into(out, _kept(made, a, axes, keepdims))


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
        return _methods._into(out, made[0])
    made = numpy.stack([asarray(one) for one in made])
    return _methods._into(out, made.reshape(q.shape + made.shape[1:]))


def _at(ordered, count, q, method):
    import math

    place = (count - 1) * q
    if method in ("lower", "higher", "nearest"):
        at = {"lower": math.floor, "higher": math.ceil, "nearest": lambda x: int(numpy.rint(x))}[method](place)
        return ordered[..., at]
    if method == "midpoint":
        place = 0.5 * (math.floor(place) + math.ceil(place))
    low = math.floor(place)
    high = _min(low + 1, count - 1)
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


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return sum(_without(a, 0)[0], axis, dtype, out, keepdims, initial, where)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    values, good = _without(a, 0)
    if good is None:
        return mean(values, axis, dtype, out, keepdims, where=where)
    if where is not True:
        good = good & where
    count = sum(good, axis, "int64", keepdims=keepdims)
    total = sum(values, axis, dtype, keepdims=keepdims, where=where)
    return _methods._into(out, _methods._quotient(total, count))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    values, good = _without(a, 0)
    if good is None:
        return var(values, axis, dtype, out, ddof, keepdims, where=where)
    if where is not True:
        good = good & where
    count = sum(good, axis, "int64", keepdims=True)
    centre = _methods._quotient(asarray(sum(values, axis, keepdims=True)), count)
    apart = numpy.where(good, values - centre, values.dtype.type(0))
    total = sum(apart * apart, axis, dtype, keepdims=keepdims)
    parts = sum(good, axis, "int64", keepdims=keepdims) - ddof
    return _methods._into(out, _methods._quotient(total, parts))


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    return _methods._into(out, numpy.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims, where=where)))


def _nan_extreme(a, axis, out, keepdims, initial, where, name, far):
    a = asarray(a)
    if a.dtype.kind == "f":
        bad = numpy.isnan(a)
        made = getattr(_methods, name)(numpy.where(bad, a.dtype.type(far), a), axis, None, keepdims, initial, where)
        made = numpy.where(bad.all(axis, keepdims=keepdims), a.dtype.type(numpy.nan), made)
        return _methods._into(out, _result(asarray(made).astype(a.dtype)))
    return getattr(_methods, name)(a, axis, out, keepdims, initial, where)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return _nan_extreme(a, axis, out, keepdims, initial, where, "max", -numpy.inf)


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return _nan_extreme(a, axis, out, keepdims, initial, where, "min", numpy.inf)
