"""numpy.random: the legacy functions over one Mersenne Twister, and `default_rng` over PCG64. The streams are native.

There is no clock in here: what nobody seeded repeats from run to run.
"""

import math

import numpy
import _numpy
from _numpy import _array, _own, _Stream, ndarray
from numpy._create import asarray

_count = [0]


def _unseeded():
    _count[0] += 1
    return [0x6174746E, _count[0]]


def _size(size):
    """The shape, and how many elements; None for one number."""
    if size is None:
        return None, 1
    shape = tuple(size) if isinstance(size, (tuple, list, ndarray)) else (size,)
    shape = tuple(one.__index__() for one in shape)
    if any(one < 0 for one in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape, math.prod(shape)


class _Draws:
    """What both families draw."""

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
        if isinstance(self, RandomState):
            return self._each(size, lambda: scale * math.sqrt(-2.0 * math.log(1.0 - self._stream.unit())))
        raise NotImplementedError("Generator.rayleigh is not part of attn's numpy")

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
        if isinstance(self, Generator) and max(alpha) < 0.1:
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
        self._few(n, p)
        made = [self._stream.binomial(int(n), float(p)) for _ in range(count)]
        return made[0] if shape is None else _own(_array(made, "int64", True).reshape(shape))

    @staticmethod
    def _few(n, p):
        if min(p, 1 - p) * n > 30:
            raise NotImplementedError("binomial numbers whose mean is above 30 are not part of attn's numpy")

    def multinomial(self, n, pvals, size=None):
        pvals = [float(one) for one in pvals]
        if math.fsum(pvals[:-1]) > 1.0 + 1e-12:
            raise ValueError("sum(pvals[:-1]) > 1.0")
        shape, count = _size(size)
        rows = []
        for _ in range(count):
            row, left, rest = [0] * len(pvals), int(n), 1.0
            for at in range(len(pvals) - 1):
                p = pvals[at] / rest
                self._few(left, p)
                row[at] = self._stream.binomial(left, p)
                left -= row[at]
                if left <= 0:
                    break
                rest -= pvals[at]
            if left > 0:
                row[-1] = left
            rows.append(row)
        made = _array(rows, "int64", True)
        return made[0] if shape is None else _own(made.reshape(shape + (len(pvals),)))

    def bytes(self, length):
        raise NotImplementedError("bytes() is not part of attn's numpy")

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
        raise NotImplementedError("choosing several of a list of text is not part of attn's numpy: choose their indices")
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


class RandomState(_Draws):
    """The legacy generator: the Mersenne Twister."""

    def __init__(self, seed=None):
        self.seed(seed)

    def seed(self, seed=None):
        if seed is None:
            self._stream = _Stream.twister_of_key(_unseeded())
        elif isinstance(seed, (list, tuple, ndarray)) and numpy.ndim(seed):
            self._stream = _Stream.twister_of_key([int(one) for one in asarray(seed).reshape(-1)])
        else:
            import operator

            if isinstance(seed, float):
                raise TypeError("Cannot cast array from dtype('float64') to dtype('int64') according to the rule 'safe'")
            seed = operator.index(seed)
            if not 0 <= seed < 1 << 32:
                raise ValueError("Seed must be between 0 and 2**32 - 1")
            self._stream = _Stream.twister(seed)

    def random_sample(self, size=None):
        return self._units(size)

    random = ranf = sample = random_sample

    def rand(self, *args):
        return self._units(args or None)

    def randn(self, *args):
        return self._normals(args or None)

    def standard_normal(self, size=None):
        return self._normals(size)

    def _exponential(self):
        return -math.log(1.0 - self._stream.unit())

    def exponential(self, scale=1.0, size=None):
        return self._each(size, lambda: self._exponential() * scale)

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def randint(self, low, high=None, size=None, dtype=int):
        made = _integers(self._stream, low, high, size, dtype, False)
        if size is None and not (numpy.ndim(low) or high is not None and numpy.ndim(high)):
            return int(made[0]) if dtype is int else made[0]
        return made

    def random_integers(self, low, high=None, size=None):
        low, high = (1, low) if high is None else (low, high)
        made = self.randint(low, high + 1, size)
        return numpy.int64(made) if size is None else made

    def shuffle(self, x):
        self._shuffle(x)

    def permutation(self, x):
        if isinstance(x, (int, numpy.integer)):
            return self._stream.shuffled(int(x), 1, True)
        x = asarray(x)
        return x[self._stream.shuffled(len(x), 1, True)]

    def choice(self, a, size=None, replace=True, p=None):
        population, count = _population(a)
        shape, wanted = _size(size)
        if count == 0 and wanted:
            raise ValueError("'a' cannot be empty unless no samples are taken")
        if p is not None:
            p = _probabilities(p, count)
        if replace:
            if p is not None:
                index = _at_units(p, self._units(shape))
            else:
                index = self.randint(0, count, size=shape)
        else:
            if wanted > count:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            if p is not None:
                index = _weighted(self, p, wanted)
            else:
                index = self._stream.shuffled(count, 1, True)[:wanted]
            index = index[0] if shape is None else index.reshape(shape)
        if shape is None:
            index = int(index)
        return _rows(population, index)

    def get_state(self, legacy=True):
        words, place, second = self._stream.state()
        return ("MT19937", _array(words, "int64", True), place, int(second is not None), second or 0.0)

    def set_state(self, state):
        name, words, place, has_second, second = state
        self._stream.restore([int(one) for one in words], int(place), float(second) if has_second else None)

    def __repr__(self):
        return f"RandomState(MT19937) at {hex(id(self)).upper().replace('X', 'x')}"


def _at_units(p, units):
    """The indices that uniform numbers choose, each in proportion to its probability."""
    cdf = p.cumsum()
    return numpy.searchsorted(cdf / cdf[-1], units, side="right")


def _weighted(self, p, wanted):
    if numpy.count_nonzero(p > 0) < wanted:
        raise ValueError("Fewer non-zero entries in p than size")
    p, found, done = p.copy(), numpy.zeros(wanted, "int64"), 0
    while done < wanted:
        x = self._units((wanted - done,))
        if done:
            p[found[:done]] = 0
        new = _at_units(p, x)
        _, first = numpy.unique(new, return_index=True)
        new = new[numpy.sort(first)]
        found[done:done + new.size] = new
        done += new.size
    return found


class Generator(_Draws):
    """The generator that `default_rng` returns: PCG64."""

    def __init__(self, bit_generator):
        self._stream = bit_generator._stream
        self.bit_generator = bit_generator

    def random(self, size=None, dtype=float, out=None):
        if out is not None:
            raise NotImplementedError("Generator.random(out=) is not part of attn's numpy")
        if numpy.dtype(dtype) == "float32":
            shape, count = _size(size)
            made = self._stream.short_units(count)
            return made[0] if shape is None else _own(made.reshape(shape))
        return self._units(size)

    def standard_normal(self, size=None, dtype=float, out=None):
        if out is not None or numpy.dtype(dtype) != "float64":
            raise NotImplementedError("Generator.standard_normal(dtype=, out=) is not part of attn's numpy")
        return self._normals(size)

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        made = _integers(self._stream, low, high, size, dtype, endpoint)
        if size is None and not (numpy.ndim(low) or high is not None and numpy.ndim(high)):
            return made[0]
        return made

    def shuffle(self, x, axis=0):
        if axis != 0:
            moved = numpy.moveaxis(x, axis, 0)
            order = self._stream.shuffled(len(moved), 1, True)
            x[...] = numpy.moveaxis(moved[order], 0, axis)
            return
        self._shuffle(x)

    def permutation(self, x, axis=0):
        if isinstance(x, (int, numpy.integer)):
            return self._stream.shuffled(int(x), 1, True)
        x = asarray(x)
        return numpy.take(x, self._stream.shuffled(x.shape[axis], 1, True), axis)

    def permuted(self, x, *, axis=None, out=None):
        raise NotImplementedError("Generator.permuted is not part of attn's numpy")

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        population, count = _population(a)
        if axis != 0:
            population, count = numpy.moveaxis(population, axis, 0), population.shape[axis]
        shape, wanted = _size(size)
        if count == 0 and wanted:
            raise ValueError("a cannot be empty unless no samples are taken")
        if p is not None:
            p = _probabilities(p, count)
        if replace:
            if p is not None:
                index = _at_units(p, self._units(shape))
            else:
                index = self.integers(0, count, shape)
        else:
            if wanted > count:
                raise ValueError("Cannot take a larger sample than population when replace is False")
            if p is not None:
                index = _weighted(self, p, wanted)
            elif count > 10000 and wanted > count // (50 if shuffle else 20):
                index = self._stream.shuffled(count, max(count - wanted, 1), False)[count - wanted:]
            else:
                index = self._stream.distinct(count, wanted)
                if shuffle:
                    index = index[self._stream.shuffled(wanted, 1, False)]
            index = index[0] if shape is None else index.reshape(shape)
        if shape is None:
            index = int(index) if population is not None else index
        made = _rows(population, index)
        return numpy.moveaxis(made, 0, axis) if axis != 0 else made

    def _exponential(self):
        raise NotImplementedError("Generator's gamma and beta with a parameter of at most 1 are not part of attn's numpy")

    def exponential(self, scale=1.0, size=None):
        raise NotImplementedError("Generator.exponential is not part of attn's numpy: RandomState has it")

    standard_exponential = exponential

    def rand(self, *args):
        raise AttributeError("'numpy.random._generator.Generator' object has no attribute 'rand'")

    def __repr__(self):
        return f"Generator(PCG64) at {hex(id(self)).upper().replace('X', 'x')}"

    def __str__(self):
        return "Generator(PCG64)"


class PCG64:
    def __init__(self, seed=None):
        seed = seed.entropy if isinstance(seed, SeedSequence) else seed
        if seed is None:
            seed = _unseeded()
        if isinstance(seed, ndarray):
            seed = seed.tolist()
        if isinstance(seed, (int, numpy.integer)) and seed < 0 or isinstance(seed, (list, tuple)) and any(one < 0 for one in seed):
            raise ValueError("expected non-negative integer")
        self._stream = _Stream.pcg(seed if isinstance(seed, (list, tuple)) else int(seed))


class MT19937:
    def __init__(self, seed=None):
        raise NotImplementedError("MT19937() is not part of attn's numpy: RandomState(seed) is the legacy generator")


class SeedSequence:
    def __init__(self, entropy=None):
        self.entropy = _unseeded() if entropy is None else entropy


def default_rng(seed=None):
    """A generator of this seed: PCG64."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, PCG64):
        return Generator(seed)
    return Generator(PCG64(seed))


_rand = RandomState()

for _name in (
    "seed random_sample random ranf sample rand randn standard_normal normal uniform randint random_integers shuffle "
    "permutation choice multinomial binomial laplace gumbel logistic lognormal exponential standard_exponential rayleigh "
    "get_state set_state poisson gamma standard_gamma beta dirichlet"
).split():
    globals()[_name] = getattr(_rand, _name)


def __getattr__(name):
    raise AttributeError(f"module 'numpy.random' has no attribute '{name}' in attn")
