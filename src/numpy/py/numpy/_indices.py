"""Diagonals, triangles and indices."""

import itertools
import math
import types

import numpy
from _numpy import _axes
from numpy import asarray, nonzero


def fill_diagonal(a, val):
    if a.ndim != 2:
        raise NotImplementedError("fill_diagonal() of an array that is no matrix is not part of attn's numpy")
    at = numpy.arange(min(a.shape))
    a[at, at] = val


def _along_axis(arr, indices, axis):
    """The index of the elements that `indices` choose along an axis."""
    (axis,) = _axes(axis, arr.ndim)
    if indices.ndim != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    places = numpy.meshgrid(*map(numpy.arange, arr.shape), indexing="ij", sparse=True, copy=False)
    places[axis] = indices
    return tuple(places)


def take_along_axis(arr, indices, axis):
    arr, axis = (asarray(arr).reshape(-1), 0) if axis is None else (asarray(arr), axis)
    return arr[_along_axis(arr, asarray(indices), axis)]


def put_along_axis(arr, indices, values, axis):
    arr[_along_axis(arr, indices, axis)] = values


def flatnonzero(a):
    return nonzero(numpy.ravel(a))[0]


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


def indices(dimensions, dtype=int):
    return mgrid[tuple(slice(size) for size in dimensions)].astype(dtype, copy=False)


class Grid(types.SimpleNamespace):
    """What `mgrid` and `ogrid` are: slices give the coordinates of a grid; a step of `5j` means five points."""

    def __getitem__(self, key):
        made = numpy.meshgrid(*map(_points, key if isinstance(key, tuple) else [key]), sparse=self.sparse, indexing="ij")
        if not isinstance(key, tuple):
            return made[0]
        return tuple(made) if self.sparse else numpy.stack(made)


def _points(part):
    start, step = part.start or 0, 1 if part.step is None else part.step
    if isinstance(step, complex):
        return numpy.linspace(start, part.stop, int(abs(step)))
    return numpy.arange(start, part.stop, step)


mgrid, ogrid = Grid(sparse=False), Grid(sparse=True)


def unravel_index(indices, shape):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    flat = asarray(indices)
    total = math.prod(shape)
    bad = (flat < 0) | (flat >= total)
    if numpy.any(bad):
        raise ValueError(f"index {flat.reshape(-1)[bad.reshape(-1)][0]} is out of bounds for array with size {total}")
    made = []
    for size in reversed(shape):
        flat, at = divmod(flat, size)
        made.append(at)
    return tuple(reversed(made))


def ndindex(*shape):
    """All indices of a shape, the last changing fastest."""
    shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    return itertools.product(*[range(size) for size in shape])


def ndenumerate(arr):
    """Indices and elements."""
    return zip(ndindex(asarray(arr).shape), asarray(arr).reshape(-1))


class nditer:
    """The indices of an array, one after the other: the loop of numerical gradients."""

    def __init__(self, op, flags=(), op_flags=()):
        if list(flags) != ["multi_index"] or not isinstance(op, numpy.ndarray):
            raise NotImplementedError("nditer is part of attn's numpy for one array, with flags=['multi_index']; otherwise use ndindex()")
        self._array, self._rest = op, ndindex(op.shape)
        self.iternext()

    def iternext(self):
        self.multi_index = next(self._rest, None)
        self.finished = self.multi_index is None
        return not self.finished

    def __iter__(self):
        while not self.finished:
            yield self._array[self.multi_index]
            self.iternext()
