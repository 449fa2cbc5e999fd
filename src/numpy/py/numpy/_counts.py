"""Covariance, counts, differences and different elements."""

import numpy
import _torch
from _numpy import _axes, _of
from numpy import asarray
from numpy._methods import _alike, _warn


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
    weights = None if weights is None else asarray(weights).astype("float64")
    if weights is not None and weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    return _of(_torch.bincount(x._tensor, None if weights is None else weights._tensor, int(minlength)))


def histogram(a, bins=10, range=None, density=None):
    a = asarray(a).reshape(-1)
    a = a.astype("uint8") if a.dtype.kind == "b" else a
    edges = _edges(a, bins, range)
    place = numpy.searchsorted(edges, a, "right") - (a == edges[-1])
    inside = (place >= 1) & (place <= len(edges) - 1)
    counts = bincount(place[inside] - 1, None, len(edges) - 1)
    return (counts / diff(edges).astype("float64") / counts.sum() if density else counts), edges


def _edges(a, bins, range):
    if isinstance(bins, str):
        raise NotImplementedError(f"histogram(bins={bins!r}) is not part of attn's numpy: say how many, or the edges")
    if numpy.ndim(bins):
        edges = asarray(bins)
        if numpy.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low, high = range if range is not None else (a.min(), a.max()) if a.size else (0, 1)
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if not (numpy.isfinite(low) and numpy.isfinite(high)):
        which = "autodetected" if range is None else "supplied"
        raise ValueError(f"{which} range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return numpy.linspace(low, high, int(bins) + 1, dtype=numpy.result_type(low, high, a.dtype) if a.dtype.kind == "f" else None)


def diff(a, n=1, axis=-1):
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    a = asarray(a)
    return _of(_torch.diff(a._tensor, n, *_axes(axis, a.ndim)))


def convolve(a, v, mode="full"):
    a, v = numpy.array(a, ndmin=1), numpy.array(v, ndmin=1)
    if len(v) > len(a):
        a, v = v, a
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    m, kind = len(v), numpy.promote_types(a.dtype, v.dtype)
    before = {"full": m - 1, "same": m // 2, "valid": 0}[mode]
    after = {"full": m - 1, "same": m - 1 - m // 2, "valid": 0}[mode]
    count = len(a) + before + after - m + 1
    a = numpy.concatenate((numpy.zeros(before, kind), a.astype(kind), numpy.zeros(after, kind)))
    # One after the other, which decides the last digits.
    total = numpy.zeros(count, kind)
    for at, factor in enumerate(v[::-1]):
        total = total + a[at : at + count] * factor
    return total


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    if axis is not None:
        raise NotImplementedError("unique(axis=) is not part of attn's numpy: unique() of all elements is")
    flat = asarray(ar).reshape(-1)
    order = numpy.argsort(flat, kind="stable")
    ordered = flat[order]
    new = numpy.ones(ordered.shape, "bool")
    new[1:] = ordered[1:] != ordered[:-1]
    if equal_nan and flat.dtype.kind == "f" and flat.size and numpy.isnan(ordered[-1]):
        start = int(numpy.searchsorted(numpy.isnan(ordered).astype("int64"), 1))
        new[start + 1:] = False
    wanted = [order[new]] if return_index else []
    if return_inverse:
        inverse = numpy.empty(flat.shape, "int64")
        inverse[order] = numpy.cumsum(new) - 1
        wanted.append(inverse)
    if return_counts:
        wanted.append(diff(numpy.append(numpy.flatnonzero(new), flat.size)))
    return (ordered[new], *wanted) if wanted else ordered[new]


def isin(element, test_elements, assume_unique=False, invert=False):
    return asarray(_of(_torch.isin(*_alike(element, test_elements), invert=bool(invert))))


def setdiff1d(ar1, ar2, assume_unique=False):
    own = asarray(ar1).reshape(-1) if assume_unique else unique(ar1)
    return own[isin(own, ar2, invert=True)]
