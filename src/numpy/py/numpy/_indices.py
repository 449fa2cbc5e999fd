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
    return zip(ndindex(asarray(arr).shape), asarray(arr).flat)


class _Concatenator:
    def __init__(self, axis, is_column):
        self._axis, self._is_column = axis, is_column

    def __getitem__(self, key):
        parts = []
        for one in key if isinstance(key, tuple) else (key,):
            if isinstance(one, str):
                raise NotImplementedError("text in r_ and c_ is not part of attn's numpy: concatenate() has axis=")
            one = asarray(_steps(one) if isinstance(one, slice) else one)
            # c_ writes vectors as columns, r_ numbers as vectors.
            parts.append(one.reshape(-1, 1) if self._is_column and one.ndim < 2 else one.reshape(1) if one.ndim == 0 else one)
        return numpy.concatenate(parts, axis=self._axis)


def _steps(one):
    """The numbers of `start:stop:step`; an imaginary step is a number of them."""
    start = 0 if one.start is None else one.start
    if isinstance(one.step, complex):
        return numpy.linspace(start, one.stop, int(abs(one.step)))
    return numpy.arange(start, one.stop, 1 if one.step is None else one.step)


r_ = _Concatenator(0, False)
c_ = _Concatenator(-1, True)

