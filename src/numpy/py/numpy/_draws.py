"""What both families of numpy.random draw, given their streams of units and normals."""

import math

import numpy
from _numpy import _array, _own, ndarray
from numpy._create import asarray


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
_MOST_EVENTS = 2**63 - 1 - math.sqrt(2**63 - 1) * 10


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

    def laplace(self, loc=0.0, scale=1.0, size=None):
        def one():
            while True:
                u = self._stream.unit()
                if u >= 0.5:
                    return loc - scale * math.log(2.0 - u - u)
                if u > 0.0:
                    return loc + scale * math.log(u + u)

        return self._each(size, one)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        def one():
            while True:
                u = 1.0 - self._stream.unit()
                if u < 1.0:
                    return loc - scale * math.log(-math.log(u))

        return self._each(size, one)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        def one():
            while True:
                u = self._stream.unit()
                if u > 0.0:
                    return loc + scale * math.log(u / (1.0 - u))

        return self._each(size, one)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return numpy.exp(self.normal(mean, sigma, size))

    def rayleigh(self, scale=1.0, size=None):
        if self._is_legacy:
            return self._each(size, lambda: scale * math.sqrt(-2.0 * math.log(1.0 - self._stream.unit())))
        return self._each(size, lambda: scale * math.sqrt(2.0 * self._exponential()))

    def poisson(self, lam=1.0, size=None):
        """Counts of events that come `lam` times on average."""
        if numpy.ndim(lam):
            lams = asarray(lam)
            if size is not None:
                lams = numpy.broadcast_to(lams, _size(size)[0])
            made = [self._events(float(one)) for one in lams.reshape(-1).tolist()]
            return _own(_array(made, "int64", True).reshape(lams.shape))
        shape, count = _size(size)
        made = [self._events(float(lam)) for _ in range(count)]
        return made[0] if shape is None else _own(_array(made, "int64", True).reshape(shape))

    def _events(self, lam):
        # Source: random_poisson of NumPy: the product of uniform numbers, or Hoermann's PTRS from 10 on.
        if not lam >= 0:
            raise ValueError("lam < 0 or lam is NaN")
        if lam > _MOST_EVENTS:
            raise ValueError("lam value too large")
        unit = self._stream.unit
        if lam == 0:
            return 0
        if lam < 10:
            least, count, product = math.exp(-lam), 0, 1.0
            while True:
                product *= unit()
                if product <= least:
                    return count
                count += 1
        root, log = math.sqrt(lam), math.log(lam)
        b = 0.931 + 2.53 * root
        a = -0.059 + 0.02483 * b
        inverse, v_r = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
        while True:
            u, v = unit() - 0.5, unit()
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + lam + 0.43)
            if us >= 0.07 and v <= v_r:
                return k
            if k < 0 or us < 0.013 and v > us:
                continue
            if math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= -lam + k * log - _log_gamma(k + 1):
                return k

    def standard_gamma(self, shape, size=None):
        return self.gamma(shape, 1.0, size)

    def gamma(self, shape, scale=1.0, size=None):
        if numpy.ndim(shape) or numpy.ndim(scale):
            raise NotImplementedError("gamma() of arrays is not part of attn's numpy")
        if not shape >= 0:
            raise ValueError("shape < 0")
        if not scale >= 0:
            raise ValueError("scale < 0")
        return self._each(size, lambda: scale * self._gamma(float(shape)))

    def _gamma(self, shape):
        # Source: legacy_standard_gamma and random_standard_gamma of NumPy (Marsaglia and Tsang 2000; Best 1983 below 1).
        unit = self._stream.unit
        if shape == 1.0:
            return self._exponential()
        if shape == 0.0:
            return 0.0
        if shape < 1.0:
            while True:
                u, v = unit(), self._exponential()
                if u <= 1.0 - shape:
                    x = u ** (1.0 / shape)
                    if x <= v:
                        return x
                else:
                    y = -math.log((1 - u) / shape)
                    x = (1.0 - shape + shape * y) ** (1.0 / shape)
                    if x <= v + y:
                        return x
        b = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9 * b)
        while True:
            v = 0.0
            while v <= 0.0:
                x = self._stream.normal()
                v = 1.0 + c * x
            v, u = v * v * v, unit()
            if u < 1.0 - 0.0331 * (x * x) * (x * x) or math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
                return b * v

    def beta(self, a, b, size=None):
        if numpy.ndim(a) or numpy.ndim(b):
            raise NotImplementedError("beta() of arrays is not part of attn's numpy")
        if not (a > 0 and b > 0):
            raise ValueError("a <= 0" if not a > 0 else "b <= 0")
        a, b = float(a), float(b)

        def one():
            if a > 1.0 or b > 1.0:
                first, second = self._gamma(a), self._gamma(b)
                return first / (first + second)
            while True:
                u, v = self._stream.unit(), self._stream.unit()
                x, y = u ** (1.0 / a), v ** (1.0 / b)
                if x + y <= 1.0 and x + y > 0:
                    return x / (x + y)
                if x + y <= 1.0:
                    log_x, log_y = math.log(u) / a, math.log(v) / b
                    most = max(log_x, log_y)
                    log_x, log_y = log_x - most, log_y - most
                    return math.exp(log_x - math.log(math.exp(log_x) + math.exp(log_y)))

        return self._each(size, one)

    def dirichlet(self, alpha, size=None):
        alpha = [float(one) for one in alpha]
        if not all(one > 0 for one in alpha):
            raise ValueError("alpha <= 0")
        if not self._is_legacy and max(alpha) < 0.1:
            raise NotImplementedError("Generator.dirichlet(alpha < 0.1) is not part of attn's numpy")
        shape, count = _size(size)
        rows = []
        for _ in range(count):
            parts, total = [], 0.0
            for one in alpha:
                parts.append(self._gamma(one))
                total = total + parts[-1]
            rows.append([part * (1 / total) for part in parts])
        made = _array(rows, "float64", True)
        return made[0] if shape is None else _own(made.reshape(shape + (len(alpha),)))

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

    def bytes(self, length):
        draw = self.randint if self._is_legacy else self.integers
        words = draw(0, 1 << 32, (max(length - 1, 0) // 4 + 1,))
        return b"".join(int(word).to_bytes(4, "little") for word in words)[:length]

    def _shuffle(self, x, first=1):
        order = self._stream.shuffled(len(x), first, True)
        if isinstance(x, ndarray):
            x[...] = x[order]
        else:
            x[:] = [x[at] for at in order.tolist()]

    def _from(self, a):
        a = asarray(a) if not isinstance(a, (list, tuple)) or not a or not isinstance(a[0], str) else list(a)
        return a

    def _missing(self, name):
        return AttributeError(f"numpy.random has no '{name}' in attn")

    def __getattr__(self, name):
        raise self._missing(name)


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


def _log_gamma(x):
    """The logarithm of the gamma function, in the terms of NumPy's `random_loggam`."""
    if x in (1.0, 2.0):
        return 0.0
    terms = (8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04,
             8.417508417508418e-04, -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02,
             1.796443723688307e-01, -1.39243221690590e+00)
    steps = int(7 - x) if x < 7.0 else 0
    last = x + steps
    square = (1.0 / last) * (1.0 / last)
    total = terms[9]
    for term in reversed(terms[:9]):
        total = total * square + term
    made = total / last + 0.5 * 1.8378770664093453e+00 + (last - 0.5) * math.log(last) - last
    if x < 7.0:
        for _ in range(steps):
            made -= math.log(last - 1.0)
            last -= 1.0
    return made
