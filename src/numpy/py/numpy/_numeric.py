"""Rounding, comparing, dtypes, printing, and functions over axes."""

import numpy
import _numpy
from _numpy import _array, _axes, _result, ndarray, dtype as _dtype
from numpy import asarray
from numpy._no_value import NO_VALUE

_abs, _max, _min, _round, _all, _any, _sum, _divmod = abs, max, min, round, all, any, sum, divmod


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    x, y = asarray(a), asarray(b)
    y = y.astype("float64") if y.dtype.kind in "biu" else y
    finite = numpy.isfinite(x) & numpy.isfinite(y)
    near = numpy.less_equal(abs(x - y), atol + rtol * abs(y))
    made = numpy.where(finite, near, x == y) if not _all(numpy.atleast_1d(finite).reshape(-1).tolist()) else near
    if equal_nan:
        made = made | (numpy.isnan(x) & numpy.isnan(y))
    return _result(made) if isinstance(made, ndarray) else made


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(numpy.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    try:
        a1, a2 = asarray(a1), asarray(a2)
    except Exception:
        return False
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan:
        same = same | (numpy.isnan(a1) & numpy.isnan(a2))
    return bool(numpy.all(same))


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    x = _array(x, None, bool(copy))
    if x.dtype.kind != "f":
        return _result(x)
    info = numpy.finfo(x.dtype)
    made = numpy.where(numpy.isnan(x), x.dtype.type(nan), x)
    made = numpy.where(made == numpy.inf, x.dtype.type(info.max if posinf is None else posinf), made)
    made = numpy.where(made == -numpy.inf, x.dtype.type(info.min if neginf is None else neginf), made)
    x[...] = made
    return _result(x)


def interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = asarray(x).astype("float64"), asarray(xp).astype("float64"), asarray(fp).astype("float64")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period, left, right = _abs(period), None, None
        x, xp = x % period, xp % period
        order = numpy.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = numpy.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = numpy.concatenate((fp[-1:], fp, fp[:1]))
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    if len(xp) == 1:
        made = numpy.where(x < xp[0], left, numpy.where(x > xp[0], right, fp[0]))
        return _result(made)
    at = numpy.clip(numpy.searchsorted(xp, x, "right") - 1, 0, len(xp) - 2)
    slope = (fp[at + 1] - fp[at]) / (xp[at + 1] - xp[at])
    made = slope * (x - xp[at]) + fp[at]
    made = numpy.where(x == xp[-1], fp[-1], made)
    made = numpy.where(x < xp[0], left, numpy.where(x > xp[-1], right, made))
    return _result(made) if isinstance(made, ndarray) else made


def angle(z, deg=False):
    made = numpy.where(asarray(z) < 0, numpy.pi, 0.0)
    return _result(made * 180 / numpy.pi if deg else made)


def real(val):
    return val if isinstance(val, ndarray) else _result(asarray(val))


def imag(val):
    return _result(numpy.zeros_like(asarray(val)))


def isrealobj(x):
    return not iscomplexobj(x)


def iscomplexobj(x):
    return asarray(x).dtype.kind == "c"


def isscalar(element):
    import numbers

    return isinstance(element, (numpy.generic, str, bytes, memoryview, numbers.Number))


def divmod(x1, x2):
    return numpy.floor_divide(x1, x2), numpy.remainder(x1, x2)


# Functions over axes.


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = asarray(arr)
    (axis,) = _axes(axis, arr.ndim)
    moved = numpy.moveaxis(arr, axis, -1)
    shape = moved.shape[:-1]
    if 0 in shape:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = [asarray(func1d(moved[at], *args, **kwargs)) for at in numpy.ndindex(shape)]
    joined = numpy.stack(made).reshape(shape + made[0].shape)
    own = tuple(range(len(shape), joined.ndim))
    return numpy.moveaxis(joined, own, tuple(range(axis, axis + len(own)))) if own else joined


class vectorize:
    """A function of numbers as a function of arrays, by a loop."""

    def __init__(self, pyfunc=NO_VALUE, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if signature is not None:
            raise NotImplementedError("vectorize(signature=) is not part of attn's numpy: a loop over the rows serves")
        self.excluded, self._doc = set(excluded or ()), doc
        self.pyfunc = pyfunc
        self.otypes = otypes
        if pyfunc is not NO_VALUE:
            self.__name__ = getattr(pyfunc, "__name__", "vectorized")
            self.__doc__ = doc or getattr(pyfunc, "__doc__", None)

    def __call__(self, *args, **kwargs):
        if self.pyfunc is NO_VALUE:
            self.pyfunc = args[0]
            self.__name__ = getattr(self.pyfunc, "__name__", "vectorized")
            self.__doc__ = self._doc or getattr(self.pyfunc, "__doc__", None)
            return self
        if self.excluded:
            return self._without_excluded(args, kwargs)
        return self._called(self.pyfunc, args, kwargs)

    def _without_excluded(self, args, kwargs):
        """A call in which some arguments are given as they are."""
        kept = [at for at in range(len(args)) if at not in self.excluded]
        words = [word for word in kwargs if word not in self.excluded]

        def function(*given):
            every, all_words = list(args), dict(kwargs)
            for at, one in zip(kept, given):
                every[at] = one
            all_words.update(zip(words, given[len(kept):]))
            return self.pyfunc(*every, **all_words)

        return self._called(function, [args[at] for at in kept] + [kwargs[word] for word in words], {})

    def _called(self, function, args, kwargs):
        arrays = numpy.broadcast_arrays(*args)
        words = list(kwargs)
        if words:
            arrays = numpy.broadcast_arrays(*args, *kwargs.values())
        shape = arrays[0].shape
        if arrays[0].size == 0 and self.otypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        made = []
        count = len(args)
        if self.otypes is None:
            # As NumPy does, the first call finds out the dtype and is made again with the others.
            first = [array.reshape(-1)[0] for array in arrays]
            function(*first[:count], **dict(zip(words, first[count:])))
        for row in zip(*[array.reshape(-1) for array in arrays]):
            made.append(function(*row[:count], **dict(zip(words, row[count:]))))
        if made and isinstance(made[0], tuple):
            return tuple(_one(list(column), self.otypes, at, shape) for at, column in enumerate(zip(*made)))
        return _one(made, self.otypes, 0, shape)


def _one(values, otypes, at, shape):
    kind = None if otypes is None else _dtype(otypes[at])
    if kind is None and values:
        kind = asarray(values[0]).dtype
    return numpy.array(values, kind).reshape(shape)


def may_share_memory(a, b, max_work=None):
    return isinstance(a, ndarray) and isinstance(b, ndarray) and a._address == b._address


def shares_memory(a, b, max_work=None):
    if not may_share_memory(a, b):
        return False

    def places(x):
        steps, offset = x._layout
        found = {offset}
        for size, step in zip(x.shape, steps):
            found = {at + i * step for at in found for i in range(size)}
        return found

    return bool(places(a) & places(b))


def kron(a, b):
    a, b = numpy.asarray(a), numpy.asarray(b)
    dims = max(a.ndim, b.ndim)
    a, b = a.reshape((1,) * (dims - a.ndim) + a.shape), b.reshape((1,) * (dims - b.ndim) + b.shape)
    first = a.reshape([size for one in a.shape for size in (one, 1)])
    second = b.reshape([size for one in b.shape for size in (1, one)])
    return numpy.asarray(first * second).reshape([x * y for x, y in zip(a.shape, b.shape)])
