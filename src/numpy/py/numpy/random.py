"""numpy.random: the legacy functions over one Mersenne Twister, and `default_rng` over PCG64. The streams are native.

There is no clock in here: what nobody seeded repeats from run to run.
"""

import numpy
from _numpy import _array, _own, _Stream, ndarray
from numpy import asarray
from numpy._draws import _Draws, _integers, _population, _probabilities, _rows, _size

_count = [0]


def _unseeded():
    _count[0] += 1
    return [0x6174746E, _count[0]]


class RandomState(_Draws):
    """The legacy generator: the Mersenne Twister."""

    _is_legacy = True

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

    random = random_sample

    def rand(self, *args):
        return self._units(args or None)

    def randn(self, *args):
        return self._normals(args or None)

    def standard_normal(self, size=None):
        return self._normals(size)

    def randint(self, low, high=None, size=None, dtype=int):
        made = _integers(self._stream, low, high, size, dtype, False)
        if size is None and not (numpy.ndim(low) or high is not None and numpy.ndim(high)):
            return int(made[0]) if dtype is int else made[0]
        return made

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

    _is_legacy = False

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
    "seed random_sample random rand randn standard_normal normal uniform randint shuffle permutation choice multinomial "
    "binomial gumbel exponential standard_exponential get_state set_state"
).split():
    globals()[_name] = getattr(_rand, _name)


def __getattr__(name):
    raise AttributeError(f"module 'numpy.random' has no attribute '{name}' in attn")
