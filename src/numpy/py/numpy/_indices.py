"""Diagonals, triangles and indices."""

import itertools
import math

import numpy
from numpy import asarray, nonzero


def fill_diagonal(a, val):
    if a.ndim != 2:
        raise NotImplementedError("fill_diagonal() of an array that is no matrix is not part of attn's numpy")
    at = numpy.arange(min(a.shape))
    a[at, at] = val


def tri(N, M=None, k=0, dtype=float):
    return numpy.tril(numpy.ones((N, N if M is None else M), dtype), k)


def tril_indices(n, k=0, m=None):
    return nonzero(tri(n, m, k, dtype="bool"))


def triu_indices(n, k=0, m=None):
    return nonzero(~tri(n, m, k - 1, dtype="bool"))


def tril_indices_from(arr, k=0):
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


class Grid:
    """What `mgrid` is: an index of slices gives their numbers as coordinates; a step of `5j` means five points."""

    def __getitem__(self, key):
        def points(part):
            start = 0 if part.start is None else part.start
            if isinstance(part.step, complex):
                return numpy.linspace(start, part.stop, int(abs(part.step)))
            return numpy.arange(start, part.stop, 1 if part.step is None else part.step)

        if not isinstance(key, tuple):
            return points(key)
        return numpy.stack(numpy.meshgrid(*map(points, key), indexing="ij"))


mgrid = Grid()


def indices(dimensions, dtype=int):
    return numpy.stack(numpy.meshgrid(*[numpy.arange(size, dtype=dtype) for size in dimensions], indexing="ij"))


def unravel_index(indices, shape):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    flat = asarray(indices)
    total = math.prod(shape)
    bad = (flat < 0) | (flat >= total)
    if numpy.any(bad):
        raise ValueError(f"index {flat.reshape(-1)[bad.reshape(-1)][0]} is out of bounds for array with size {total}")
    made = []
    for size in reversed(shape):
        made.append(flat % size)
        flat = flat // size
    return tuple(reversed(made))


def ndindex(*shape):
    """All indices of a shape, the last changing fastest."""
    shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    return itertools.product(*[range(size) for size in shape])


def ndenumerate(arr):
    """Indices and elements."""
    return zip(ndindex(asarray(arr).shape), asarray(arr).reshape(-1))


class nditer:
    """Goes through the elements of one array, the last index changing fastest: `it.multi_index`, `it.iternext()`."""

    def __init__(self, op, flags=None, op_flags=None):
        given = {*(flags or ()), *(op_flags or ())}
        known = {"multi_index", "readonly", "readwrite", "writeonly", "refs_ok", "zerosize_ok"}
        if isinstance(op, (list, tuple)) or not given <= known:
            raise NotImplementedError(f"nditer() of several arrays, and with other flags than {', '.join(sorted(known))}, is not part of attn's numpy")
        self._array, self._places = asarray(op), list(ndindex(numpy.shape(op)))
        self._is_tracking = "multi_index" in given
        self._is_written = bool(given & {"readwrite", "writeonly"})
        self._at, self.itersize, self.ndim = 0, len(self._places), numpy.ndim(op) if self._is_tracking else 1
        self.shape = self._array.shape if self._is_tracking else (self.itersize,)
        if not self._places and "zerosize_ok" not in given:
            raise ValueError("Iteration of zero-sized operands is not enabled")

    @property
    def finished(self):
        return self._at >= self.itersize

    @property
    def multi_index(self):
        if not self._is_tracking:
            raise ValueError("Iterator is not tracking a multi-index")
        if self.finished:
            raise ValueError("Iterator is past the end")
        return self._places[self._at]

    def iternext(self):
        self._at += 1
        return not self.finished

    def reset(self):
        self._at = 0

    def __getitem__(self, at):
        if at not in (0, -1):
            raise IndexError(f"Iterator operand index {at} is out of bounds")
        element = self._array[(*self._places[self._at], ...)]
        # What may not be written is a number.
        return element if self._is_written else element[()]

    @property
    def value(self):
        return self[0]

    def __iter__(self):
        while not self.finished:
            yield self[0]
            self._at += 1

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return None
