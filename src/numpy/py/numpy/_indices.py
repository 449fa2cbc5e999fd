"""Diagonals, triangles and indices."""

import numpy
from numpy import asarray, nonzero, tri


def fill_diagonal(a, val):
    if a.ndim != 2:
        raise NotImplementedError("fill_diagonal() of an array that is no matrix is not part of attn's numpy")
    at = numpy.arange(min(a.shape))
    a[at, at] = val


def diag_indices(n, ndim=2):
    return (numpy.arange(n),) * ndim


def tril_indices(n, k=0, m=None):
    return nonzero(tri(n, m, k, dtype="bool"))


def triu_indices(n, k=0, m=None):
    return nonzero(~tri(n, m, k - 1, dtype="bool"))


def tril_indices_from(arr, k=0):
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def indices(dimensions, dtype=int, sparse=False):
    dimensions = tuple(dimensions)
    dims = len(dimensions)
    grids = [
        numpy.arange(size, dtype=dtype).reshape((1,) * at + (-1,) + (1,) * (dims - at - 1)) for at, size in enumerate(dimensions)
    ]
    if sparse:
        return tuple(grids)
    return numpy.stack([numpy.broadcast_to(grid, dimensions) for grid in grids]) if grids else numpy.zeros((0,), dtype)


def ix_(*args):
    made = []
    for at, one in enumerate(args):
        one = asarray(one)
        if one.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if one.size == 0:
            one = one.astype("int64")
        if one.dtype.kind == "b":
            (one,) = nonzero(one)
        made.append(one.reshape((1,) * at + (-1,) + (1,) * (len(args) - at - 1)))
    return tuple(made)


def unravel_index(indices, shape):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    flat = asarray(indices)
    total = 1
    for size in shape:
        total *= size
    if numpy.any((flat < 0) | (flat >= total)):
        bad = flat.reshape(-1)[((flat < 0) | (flat >= total)).reshape(-1)][0]
        raise ValueError(f"index {bad} is out of bounds for array with size {total}")
    made = []
    for size in reversed(shape):
        made.append(flat % size)
        flat = flat // size
    return tuple(reversed(made))


class ndindex:
    """All indices of a shape, the last changing fastest."""

    def __init__(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], tuple):
            shape = shape[0]
        import itertools

        self._all = itertools.product(*[range(size) for size in shape])

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._all)


class ndenumerate:
    """Indices and elements."""

    def __init__(self, arr):
        arr = asarray(arr)
        self._all = zip(ndindex(arr.shape), arr.flat)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._all)


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


class _Index:
    def __getitem__(self, item):
        return item


s_ = _Index()

