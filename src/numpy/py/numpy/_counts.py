"""Covariance, counts and differences."""

import numpy
from _numpy import _axes, _op
from numpy import asarray
from numpy._methods import _warn
from numpy._no_value import NO_VALUE


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    X = numpy.array(m, ndmin=2, dtype=numpy.result_type(asarray(m).dtype, "float64"))
    if not rowvar and X.shape[0] != 1:
        X = X.T
    if y is not None:
        y = numpy.array(y, ndmin=2, dtype=X.dtype)
        X = numpy.concatenate((X, y.T if not rowvar and y.shape[0] != 1 else y), axis=0)
    parts = X.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    if parts <= 0:
        _warn("Degrees of freedom <= 0 for slice")
        parts = 0.0
    X = X - X.mean(axis=1)[:, None]
    return numpy.squeeze(numpy.dot(X, X.T) * numpy.true_divide(1, parts))


def corrcoef(x, y=None, rowvar=True):
    c = cov(x, y, rowvar)
    if numpy.ndim(c) == 0:
        return c / c
    stddev = numpy.sqrt(numpy.diag(c))
    c = c / stddev[:, None]
    c = c / stddev[None, :]
    return numpy.clip(c, -1, 1)


def bincount(x, weights=None, minlength=0):
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("object too deep for desired array" if x.ndim > 1 else "object of too small depth for desired array")
    if x.dtype.kind not in "biu" and x.size:
        raise TypeError("Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'")
    x = x.astype("int64")
    if x.size and x.min() < 0:
        raise ValueError("'list' argument must have no negative elements")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is None:
        return _op("bincount", x, None, int(minlength))
    weights = asarray(weights).astype("float64")
    if weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    return _op("bincount", x, weights, int(minlength))


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    a = asarray(a).reshape(-1)
    if isinstance(bins, str):
        raise NotImplementedError(f"histogram(bins={bins!r}) is not part of attn's numpy: say how many, or the edges")
    if numpy.ndim(bins) == 0:
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        low, high = _outer(a, range)
        return numpy.linspace(low, high, int(bins) + 1, dtype=numpy.result_type(low, high, a.dtype) if a.dtype.kind == "f" else None)
    edges = asarray(bins)
    if numpy.any(edges[:-1] > edges[1:]):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def _outer(a, range):
    if range is not None:
        low, high = range
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (numpy.isfinite(low) and numpy.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    elif a.size == 0:
        low, high = 0, 1
    else:
        low, high = a.min(), a.max()
        if not (numpy.isfinite(low) and numpy.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return low, high


def histogram(a, bins=10, range=None, density=None, weights=None):
    a = asarray(a)
    if a.dtype.kind == "b":
        a = a.astype("uint8")
    a = a.reshape(-1)
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.reshape(-1)
    edges = histogram_bin_edges(a, bins, range, weights)
    place = numpy.searchsorted(edges, a, "right")
    place = place - (a == edges[-1])
    inside = (place >= 1) & (place <= len(edges) - 1)
    counts = bincount((place[inside] - 1), None if weights is None else weights[inside], len(edges) - 1)
    if density:
        widths = diff(edges).astype("float64")
        return counts / widths / counts.sum(), edges
    return counts, edges


def digitize(x, bins, right=False):
    x, bins = asarray(x), asarray(bins)
    steps = diff(bins)
    if numpy.all(steps >= 0):
        return numpy.searchsorted(bins, x, "left" if right else "right")
    if not numpy.all(steps <= 0):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return len(bins) - numpy.searchsorted(bins[::-1], x, "right" if right else "left")


def diff(a, n=1, axis=-1, prepend=NO_VALUE, append=NO_VALUE):
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    (axis,) = _axes(axis, a.ndim)
    parts = [a]
    for given, at in ((prepend, 0), (append, len(parts) + 1)):
        if given is not NO_VALUE:
            given = asarray(given)
            if given.ndim == 0:
                shape = list(a.shape)
                shape[axis] = 1
                given = numpy.broadcast_to(given, tuple(shape))
            parts.insert(at, given)
    a = numpy.concatenate(parts, axis) if len(parts) > 1 else a
    after = (slice(None),) * axis + (slice(1, None),)
    before = (slice(None),) * axis + (slice(None, -1),)
    function = numpy.not_equal if a.dtype.kind == "b" else numpy.subtract
    while n:
        a = function(a[after], a[before])
        n -= 1
    return a


def gradient(f, *varargs, axis=None, edge_order=1):
    f = asarray(f)
    if edge_order != 1:
        raise NotImplementedError("gradient(edge_order=2) is not part of attn's numpy")
    axes = _axes(tuple(axis) if isinstance(axis, (tuple, list)) else axis, f.ndim)
    steps = list(varargs) or [1.0]
    if any(numpy.ndim(step) for step in steps):
        raise NotImplementedError("gradient() at unequal distances is not part of attn's numpy")
    if len(steps) == 1:
        steps = steps * len(axes)
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    if f.dtype.kind in "biu":
        f = f.astype("float64")
    made = []
    for at, step in zip(axes, steps):
        if f.shape[at] < 2:
            raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
                             "elements are required.")
        y = numpy.moveaxis(f, at, 0)
        out = numpy.empty_like(y)
        out[1:-1] = (y[2:] - y[:-2]) / (2.0 * step)
        out[0] = (y[1] - y[0]) / step
        out[-1] = (y[-1] - y[-2]) / step
        made.append(numpy.moveaxis(out, 0, at))
    return made[0] if len(axes) == 1 else made


def convolve(a, v, mode="full"):
    a, v = numpy.array(a, ndmin=1), numpy.array(v, ndmin=1)
    if len(v) > len(a):
        a, v = v, a
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")
    return _correlate(a, v[::-1], mode)


def _correlate(a, v, mode):
    """Sums of products of `v` laid over `a`, which is not shorter."""
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    n, m = len(a), len(v)
    kind = numpy.promote_types(a.dtype, v.dtype)
    before = {"full": m - 1, "same": m // 2, "valid": 0}[mode]
    after = {"full": m - 1, "same": m - 1 - m // 2, "valid": 0}[mode]
    a = numpy.concatenate((numpy.zeros(before, kind), a.astype(kind), numpy.zeros(after, kind)))
    total = numpy.zeros(n + before + after - m + 1, kind)
    for at in range(m):
        total = total + a[at:at + len(total)] * v[at]
    return total
