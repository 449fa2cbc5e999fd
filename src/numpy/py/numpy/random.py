"""numpy.random: the legacy functions over one Mersenne Twister, and `default_rng` over PCG64. The streams are native.

There is no clock in here: what nobody seeded repeats from run to run.
"""

import math

import numpy
from _numpy import _Stream, ndarray
from numpy import asarray
from numpy._absent import missing

_count = [0]


def _unseeded():
    _count[0] += 1
    return [0x6174746E, _count[0]]


class _Draws:
    """What both generators draw, each from its own stream."""

    def random(self, size=None):
        return self._stream.units(size)

    def standard_normal(self, size=None):
        return self._stream.normals(size)

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
        z, (loc, scale) = self._spread(self.standard_normal, size, loc, scale)
        return loc + scale * z

    def uniform(self, low=0.0, high=1.0, size=None):
        u, (low, high) = self._spread(self.random, size, low, high)
        if not numpy.all(numpy.isfinite(numpy.subtract(high, low))):
            raise OverflowError("Range exceeds valid bounds")
        return low + (high - low) * u

    def beta(self, a, b, size=None):
        for name, value in (("a", a), ("b", b)):
            if numpy.ndim(value):
                raise NotImplementedError("beta() for arrays is not part of attn's numpy.random: draw for two numbers")
            if not value > 0:
                raise ValueError(f"{name} <= 0")
        draw = self._johnk if a <= 1 and b <= 1 else self._of_gammas
        if size is None:
            return draw(a, b)
        return asarray([draw(a, b) for _ in range(numpy.empty(size, "bool").size)]).reshape(size)

    def _johnk(self, a, b):
        """Johnk 1964, for parameters of 1 at most."""
        while True:
            u, v = self.random(), self.random()
            x, y = u ** (1.0 / a), v ** (1.0 / b)
            if x + y <= 1.0 and u + v > 0.0:
                if x + y > 0.0:
                    return x / (x + y)
                logs = math.log(u) / a, math.log(v) / b
                x, y = (one - max(logs) for one in logs)
                return math.exp(x - math.log(math.exp(x) + math.exp(y)))

    def _integers(self, low, high, size, dtype, endpoint):
        low, high = (0, low) if high is None else (low, high)
        if numpy.ndim(low) or numpy.ndim(high):
            raise NotImplementedError("whole numbers below arrays are not part of attn's numpy.random: draw for one limit")
        kind = numpy.dtype(dtype)
        if kind.name not in ("int32", "int64"):
            raise NotImplementedError(f"whole numbers of {kind} are not part of attn's numpy.random: astype() converts")
        low, high, end = int(low), int(high), 1 << (8 * kind.itemsize - 1)
        last = high if endpoint else high - 1
        if low < -end:
            raise ValueError(f"low is out of bounds for {kind.name}")
        if last >= end:
            raise ValueError(f"high is out of bounds for {kind.name}")
        if low > last:
            raise ValueError("low > high" if endpoint else "low >= high")
        made = self._stream.integers(low, last - low, size)
        return kind.type(made) if size is None else made.astype(kind, copy=False)

    def shuffle(self, x):
        order = self._stream.shuffled(len(x), 1, True)
        if isinstance(x, ndarray):
            x[...] = x[order]
        else:
            x[:] = [x[at] for at in order.tolist()]

    def permutation(self, x):
        if isinstance(x, (int, numpy.integer)):
            return self._stream.shuffled(int(x), 1, True)
        x = asarray(x)
        return x[self._stream.shuffled(len(x), 1, True)]

    def _choice(self, a, size, replace, p, several):
        """Elements of `a`: `several` chooses different ones."""
        population, count = _population(a)
        wanted = numpy.empty(() if size is None else size, "bool")
        if count == 0 and wanted.size:
            raise ValueError(f"{self._quoted('a')} cannot be empty unless no samples are taken")
        if p is not None:
            p = _probabilities(p, count)
        if replace:
            index = self._integers(0, count, size, "int64", False) if p is None else _at_units(p, self.random(size))
        else:
            if wanted.size > count:
                raise ValueError(f"Cannot take a larger sample than population when {self._without}")
            if p is not None:
                raise NotImplementedError("choice(replace=False, p=) is not part of attn's numpy: draw one at a time")
            index = several(count, wanted.size).reshape(wanted.shape)
        index = int(index) if size is None else index
        return index if population is None else population[index]

    def __getattr__(self, name):
        raise missing("numpy.random", name, dir(type(self)))


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


def _at_units(p, units):
    """The indices that uniform numbers choose, each in proportion to its probability."""
    cdf = p.cumsum()
    return numpy.searchsorted(cdf / cdf[-1], units, side="right")


def _population(a):
    """What is chosen from, and how many there are; None is the whole numbers below."""
    array = asarray(a)
    if array.ndim:
        return array, len(array)
    if array.dtype.kind not in "iu":
        raise ValueError("a must be 1-dimensional or an integer")
    if array.item() < 0:
        raise ValueError("a must be greater than 0 unless no samples are taken")
    return None, array.item()


class RandomState(_Draws):
    """The legacy generator: the Mersenne Twister."""

    _quoted, _without = repr, "'replace=False'"

    def __init__(self, seed=None):
        self.seed(seed)

    def seed(self, seed=None):
        if seed is None:
            self._stream = _Stream.seeded("key", _unseeded())
        elif isinstance(seed, (list, tuple, ndarray)) and numpy.ndim(seed):
            self._stream = _Stream.seeded("key", [int(one) for one in asarray(seed).reshape(-1)])
        else:
            if isinstance(seed, float):
                raise TypeError("Cannot cast scalar from dtype('float64') to dtype('int64') according to the rule 'safe'")
            if not 0 <= seed.__index__() < 1 << 32:
                raise ValueError("Seed must be between 0 and 2**32 - 1")
            self._stream = _Stream.seeded("word", int(seed))

    random_sample = _Draws.random

    def _of_gammas(self, a, b):
        one, other = self._gamma(a), self._gamma(b)
        return one / (one + other)

    def _gamma(self, shape):
        """Ahrens and Dieter 1974 below 1, Marsaglia and Tsang 2000 above."""
        if shape == 1.0:
            return -math.log(1.0 - self.random())
        while shape < 1.0:
            u, v = self.random(), -math.log(1.0 - self.random())
            y = -math.log((1 - u) / shape) if u > 1.0 - shape else 0.0
            x = (1.0 - shape + shape * y if y else u) ** (1.0 / shape)
            if x <= v + y:
                return x
        b = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9 * b)
        while True:
            x = self.standard_normal()
            v = 1.0 + c * x
            if v <= 0.0:
                continue
            u, v = self.random(), v * v * v
            if u < 1.0 - 0.0331 * (x * x) * (x * x) or math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
                return b * v

    def rand(self, *args):
        return self.random(args or None)

    def randn(self, *args):
        return self.standard_normal(args or None)

    def randint(self, low, high=None, size=None, dtype=int):
        made = self._integers(low, high, size, dtype, False)
        return int(made) if size is None and dtype is int else made

    def choice(self, a, size=None, replace=True, p=None):
        if numpy.ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return self._choice(a, size, replace, p, lambda count, wanted: self._stream.shuffled(count, 1, True)[:wanted])


class Generator(_Draws):
    """The generator that `default_rng` returns: PCG64."""

    _quoted, _without = str, "replace is False"

    def __init__(self, stream):
        self._stream = stream

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        return self._integers(low, high, size, dtype, endpoint)

    def _of_gammas(self, a, b):
        raise NotImplementedError("beta() of a parameter above 1 is part of attn's np.random.beta, not of default_rng().beta")

    def choice(self, a, size=None, replace=True, p=None, *, shuffle=True):
        def several(count, wanted):
            if count > 10000 and wanted > count // (50 if shuffle else 20):
                return self._stream.shuffled(count, max(count - wanted, 1), False)[count - wanted :]
            index = self._stream.distinct(count, wanted)
            return index[self._stream.shuffled(wanted, 1, False)] if shuffle else index

        return self._choice(a, size, replace, p, several)


def default_rng(seed=None):
    """A generator of this seed: PCG64."""
    if isinstance(seed, Generator):
        return seed
    seed = _unseeded() if seed is None else seed
    words = [int(one) for one in asarray(seed).reshape(-1).tolist()] if numpy.ndim(seed) else [int(seed)]
    if any(one < 0 for one in words):
        raise ValueError("expected non-negative integer")
    return Generator(_Stream.seeded("pcg64", words))


_rand = RandomState()

for _name in (
    "seed random_sample random rand randn standard_normal normal uniform randint shuffle permutation choice beta"
).split():
    globals()[_name] = getattr(_rand, _name)


def __getattr__(name):
    raise missing("numpy.random", name, globals())
