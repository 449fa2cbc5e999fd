"""numpy.random: the legacy functions over one Mersenne Twister, and `default_rng` over PCG64. The streams are native.

There is no clock in here: what nobody seeded repeats from run to run.
"""

import math

import numpy
import _numpy
from _numpy import _array, _Stream, ndarray
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
        return self._stream.unit() if shape is None else self._stream.units(count).reshape(shape)

    def _normals(self, size):
        shape, count = _size(size)
        return self._stream.normal() if shape is None else self._stream.normals(count).reshape(shape)

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
        return _array([function() for _ in range(count)], "float64", True).reshape(shape)

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
        return made[0] if shape is None else _array(made, "int64", True).reshape(shape)

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
        return made[0] if shape is None else made.reshape(shape + (len(pvals),))

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
        return _array(made, kind, True).reshape(shape)
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
    return made.reshape(shape) if shape is not None else made


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

    def exponential(self, scale=1.0, size=None):
        return self._each(size, lambda: -math.log(1.0 - self._stream.unit()) * scale)

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
            return made[0] if shape is None else made.reshape(shape)
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
    "get_state set_state"
).split():
    globals()[_name] = getattr(_rand, _name)


def __getattr__(name):
    raise AttributeError(f"module 'numpy.random' has no attribute '{name}' in attn")
