"""What both families of numpy.random draw, given their streams of units and normals."""

import math

import numpy
from _numpy import _array, _own, ndarray
from numpy import asarray


def _size(size):
    """The shape, and how many elements; None for one number."""
    if size is None:
        return None, 1
    shape = tuple(size) if isinstance(size, (tuple, list, ndarray)) else (size,)
    shape = tuple(one.__index__() for one in shape)
    if any(one < 0 for one in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape, math.prod(shape)


# The largest rate of a Poisson distribution: its counts are int64.


def _check_probabilities(rows):
    if any(not 0.0 <= p <= 1.0 for row in rows for p in row):
        raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if any(math.fsum(row[:-1]) > 1.0 + 1e-12 for row in rows):
        raise ValueError("sum(pvals[:-1]) > 1.0")


class _Draws:
    """What both families draw. `_is_legacy` says which of them this is."""

    def _units(self, size):
        shape, count = _size(size)
        return self._stream.unit() if shape is None else _own(self._stream.units(count).reshape(shape))

    def _normals(self, size):
        shape, count = _size(size)
        return self._stream.normal() if shape is None else _own(self._stream.normals(count).reshape(shape))

    def _spread(self, draw, size, *params):
        """Draws for parameters that may be arrays: one for each of their elements."""
        params = [asarray(one) for one in params]
        if all(one.ndim == 0 for one in params):
            return draw(size), [one.item() for one in params]
        shape = numpy.broadcast_shapes(*[one.shape for one in params])
        return draw(shape if size is None else size), params

    def normal(self, loc=0.0, scale=1.0, size=None):
        if numpy.any(asarray(scale) < 0):
            raise ValueError("scale < 0")
        z, (loc, scale) = self._spread(self._normals, size, loc, scale)
        return loc + scale * z

    def uniform(self, low=0.0, high=1.0, size=None):
        u, (low, high) = self._spread(self._units, size, low, high)
        if not numpy.all(numpy.isfinite(numpy.subtract(high, low))):
            raise OverflowError("Range exceeds valid bounds")
        return low + (high - low) * u

    def _each(self, size, function):
        shape, count = _size(size)
        if shape is None:
            return function()
        return _own(_array([function() for _ in range(count)], "float64", True).reshape(shape))

    def _exponential(self):
        return self._stream.exponential()

    def exponential(self, scale=1.0, size=None):
        if numpy.ndim(scale):
            raise NotImplementedError("exponential() of arrays is not part of attn's numpy")
        if scale < 0:
            raise ValueError("scale < 0")
        return self._each(size, lambda: self._exponential() * scale)

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        def one():
            while True:
                u = 1.0 - self._stream.unit()
                if u < 1.0:
                    return loc - scale * math.log(-math.log(u))

        return self._each(size, one)

    def binomial(self, n, p, size=None):
        if numpy.ndim(n) or numpy.ndim(p):
            raise NotImplementedError("binomial() of arrays is not part of attn's numpy")
        if not 0 <= p <= 1:
            raise ValueError("p < 0, p > 1 or p is NaN")
        if n < 0:
            raise ValueError("n < 0")
        shape, count = _size(size)
        made = [self._stream.binomial(int(n), float(p)) for _ in range(count)]
        return made[0] if shape is None else _own(_array(made, "int64", True).reshape(shape))

    def multinomial(self, n, pvals, size=None):
        n, pvals = asarray(n), asarray(pvals).astype("float64")
        if not self._is_legacy and (n.ndim or pvals.ndim > 1):
            return self._multinomials(n, pvals, size)
        pvals = pvals.tolist()
        _check_probabilities([pvals])
        shape, count = _size(size)
        made = _array(self._rows_of([(int(n), pvals)] * count), "int64", True)
        return made[0] if shape is None else _own(made.reshape(shape + (len(pvals),)))

    def _multinomials(self, n, pvals, size):
        """Numbers of trials and rows of probabilities, broadcast."""
        shape = numpy.broadcast_shapes(n.shape, pvals.shape[:-1])
        size = shape if size is None else _size(size)[0]
        try:
            fits = numpy.broadcast_shapes(shape, size) == size
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"Output size {size} is not compatible with broadcast dimensions of inputs {shape}.")
        width = pvals.shape[-1]
        trials = numpy.broadcast_to(n, size).reshape(-1).tolist()
        rows = numpy.broadcast_to(pvals, size + (width,)).reshape(-1, width).tolist()
        _check_probabilities(rows)
        return _own(_array(self._rows_of(list(zip(trials, rows))), "int64", True).reshape(size + (width,)))

    def _rows_of(self, pairs):
        rows = []
        for n, pvals in pairs:
            row, left, rest = [0] * len(pvals), n, 1.0
            for at in range(len(pvals) - 1):
                p = pvals[at] / rest
                row[at] = self._stream.binomial(left, p)
                left -= row[at]
                if left <= 0:
                    break
                rest -= pvals[at]
            if left > 0:
                row[-1] = left
            rows.append(row)
        return rows

    def _shuffle(self, x, first=1):
        order = self._stream.shuffled(len(x), first, True)
        if isinstance(x, ndarray):
            x[...] = x[order]
        else:
            x[:] = [x[at] for at in order.tolist()]

    def __getattr__(self, name):
        raise AttributeError(f"numpy.random has no '{name}' in attn")


def _probabilities(p, count):
    p = asarray(p).astype("float64")
    if p.ndim != 1:
        raise ValueError("'p' must be 1-dimensional" if p.ndim else "p must be 1-dimensional")
    if p.size != count:
        raise ValueError("'a' and 'p' must have same size")
    if not numpy.all(numpy.isfinite(p)):
        raise ValueError("probabilities contain NaN")
    if numpy.any(p < 0):
        raise ValueError("probabilities are not non-negative")
    if abs(math.fsum(p.tolist()) - 1.0) > 1.5e-8:
        raise ValueError("probabilities do not sum to 1")
    return p


def _population(a):
    """What is chosen from, and how many there are. Text stays a list."""
    if isinstance(a, (list, tuple)) and any(isinstance(one, (str, tuple, list)) for one in a):
        return list(a), len(a)
    array = asarray(a)
    if array.ndim == 0:
        if array.dtype.kind not in "iu":
            raise ValueError("a must be 1-dimensional or an integer")
        count = array.item()
        if count < 0:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        return None, count
    return array, array.shape[0]


def _rows(population, index):
    if population is None:
        return index
    if isinstance(population, list):
        if numpy.ndim(index) == 0:
            return population[int(index)]
        return numpy.array(population)[index]
    return population[index]


_LIMITS = {"bool": (0, 2), "int8": (-128, 128), "uint8": (0, 256), "int16": (-32768, 32768), "int32": (-(1 << 31), 1 << 31),
           "int64": (-(1 << 63), 1 << 63)}


def _integers(stream, low, high, size, dtype, endpoint):
    if high is None:
        low, high = 0, low
    kind = numpy.dtype(dtype)
    if kind.name not in _LIMITS:
        raise TypeError(f"Unsupported dtype {kind!r} for randint")
    if numpy.ndim(low) or numpy.ndim(high):
        lows, highs = numpy.broadcast_arrays(low, high)
        if kind.itemsize < 4:
            raise NotImplementedError(f"integers of {kind.name} between arrays of bounds are not part of attn's numpy")
        shape = lows.shape if size is None else _size(size)[0]
        lows, highs = numpy.broadcast_to(lows, shape), numpy.broadcast_to(highs, shape)
        made = [
            _integers(stream, one, two, 1, dtype, endpoint)[0]
            for one, two in zip(lows.reshape(-1).tolist(), highs.reshape(-1).tolist())
        ]
        return _own(_array(made, kind, True).reshape(shape))
    low, high = int(low), int(high)
    last = high if endpoint else high - 1
    first_allowed, end_allowed = _LIMITS[kind.name]
    if low < first_allowed:
        raise ValueError(f"low is out of bounds for {kind.name}")
    if last >= end_allowed:
        raise ValueError(f"high is out of bounds for {kind.name}")
    if low > last:
        raise ValueError("low > high" if endpoint else "low >= high")
    shape, count = _size(size)
    bits = {"bool": 1, "int8": 8, "uint8": 8, "int16": 16}.get(kind.name)
    if bits is not None:
        made = stream.short_integers(low, last - low, bits, count)
    else:
        made = stream.integers(low, last - low, count)
    made = made.astype(kind, copy=False)
    return _own(made.reshape(shape)) if shape is not None else made
