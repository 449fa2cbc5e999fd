"""Diagonals, triangles and indices."""

import math

import numpy
from _numpy import _array, _axes, _op, ndarray
from numpy import _methods
from numpy._create import asarray
from numpy._order import nonzero

_max = max


# Diagonals and triangles.


def diagonal(a, offset=0, axis1=0, axis2=1):
    a = asarray(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    return _op("diagonal", a, int(offset), _axes(axis1, a.ndim)[0], _axes(axis2, a.ndim)[0])


def diag(v, k=0):
    v = asarray(v)
    if v.ndim == 1:
        n = len(v) + abs(k)
        made = numpy.zeros((n, n), v.dtype)
        at = numpy.arange(len(v))
        made[at + _max(-k, 0), at + _max(k, 0)] = v
        return made
    if v.ndim == 2:
        return diagonal(v, k)
    raise ValueError("Input must be 1- or 2-d.")


def diagflat(v, k=0):
    return diag(asarray(v).reshape(-1), k)


def fill_diagonal(a, val, wrap=False):
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 2:
        step = a.shape[1] + 1
        end = None if wrap else a.shape[1] * a.shape[1]
    else:
        if len(set(a.shape)) > 1:
            raise ValueError("All dimensions of input must be of equal length")
        step = 1 + int(numpy.cumprod(asarray(a.shape[:-1])).sum())
        end = None
    a.flat[:end:step] = val


def diag_indices(n, ndim=2):
    return (numpy.arange(n),) * ndim


def diag_indices_from(arr):
    return diag_indices(arr.shape[0], arr.ndim)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    M = N if M is None else M
    made = numpy.greater_equal.outer(numpy.arange(N), numpy.arange(-k, M - k))
    return made.astype(dtype)


def tril(m, k=0):
    m = asarray(m)
    m = numpy.broadcast_to(m, (m.shape[0], m.shape[0])) if m.ndim == 1 else m
    return _op("tril", m, int(k))


def triu(m, k=0):
    m = asarray(m)
    m = numpy.broadcast_to(m, (m.shape[0], m.shape[0])) if m.ndim == 1 else m
    return _op("triu", m, int(k))


def tril_indices(n, k=0, m=None):
    return nonzero(tri(n, m, k, dtype="bool"))


def triu_indices(n, k=0, m=None):
    return nonzero(~tri(n, m, k - 1, dtype="bool"))


def tril_indices_from(arr, k=0):
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def mask_indices(n, mask_func, k=0):
    return nonzero(mask_func(numpy.ones((n, n), "int64"), k) != 0)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return _methods._into(out, _methods.sum(diagonal(a, offset, axis1, axis2), -1, dtype))


# Indices.


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


def unravel_index(indices, shape, order="C"):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    flat = asarray(indices)
    total = 1
    for size in shape:
        total *= size
    if numpy.any((flat < 0) | (flat >= total)):
        bad = flat.reshape(-1)[((flat < 0) | (flat >= total)).reshape(-1)][0]
        raise ValueError(f"index {bad} is out of bounds for array with size {total}")
    made = []
    for size in reversed(shape) if order == "C" else shape:
        made.append(flat % size)
        flat = flat // size
    return tuple(reversed(made)) if order == "C" else tuple(made)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    made = 0
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if len(modes) != len(dims):
        raise ValueError(f"sequence argument must have length {len(dims)}")
    pairs = list(zip(multi_index, dims, modes))
    for index, size, mode in pairs if order == "C" else reversed(pairs):
        index = asarray(index)
        if mode == "raise":
            if numpy.any((index < 0) | (index >= size)):
                raise ValueError("invalid entry in coordinates array")
        elif mode == "wrap":
            index = index % size
        else:
            index = numpy.clip(index, 0, size - 1)
        made = made * size + index
    return made


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


class nditer:
    """The elements one by one, as arrays without dimensions; with several arrays, as tuples of them."""

    def __init__(self, op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", **words):
        # Elements can be written whatever op_flags says.
        if op_dtypes is not None or words:
            raise NotImplementedError("nditer() with dtypes, axes or buffers is not part of attn's numpy")
        unknown = set(flags or ()) - {"multi_index", "c_index", "refs_ok", "buffered", "zerosize_ok"}
        if unknown:
            raise NotImplementedError(f"nditer(flags={sorted(unknown)}) is not part of attn's numpy")
        self._several = isinstance(op, (tuple, list)) and bool(op) and isinstance(op[0], ndarray)
        arrays = [asarray(one) for one in (op if self._several else [op])]
        shape = numpy.broadcast_shapes(*[array.shape for array in arrays])
        self.operands = tuple(arrays)
        self._seen = [array if array.shape == shape else numpy.broadcast_to(array, shape) for array in arrays]
        self.shape, self._named = shape, {"multi_index", "c_index"} & set(flags or ())
        self.reset()

    def reset(self):
        """Begins again. The order is that of the memory, unless places are asked for by rows."""
        by_columns = len(self._seen) == 1 and self._seen[0].T._is_row_major and not self._seen[0]._is_row_major
        sizes = self.shape[::-1] if by_columns else self.shape
        places = numpy.ndindex(*sizes)
        self._places = (place[::-1] for place in places) if by_columns else places
        self._place, self._begun = next(self._places, None), False

    finished = property(lambda self: self._place is None)
    nop = property(lambda self: len(self._seen))
    ndim = property(lambda self: len(self.shape))
    itersize = property(lambda self: math.prod(self.shape))

    @property
    def multi_index(self):
        if "multi_index" not in self._named:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place

    @property
    def index(self):
        if "c_index" not in self._named:
            raise ValueError("Iterator does not have an index")
        at = 0
        for size, one in zip(self.shape, self._place):
            at = at * size + one
        return at

    @property
    def value(self):
        # A slice of nothing keeps a view of the element, which may be written.
        found = tuple(array[self._place + (...,)] for array in self._seen)
        return found if self._several else found[0]

    def __getitem__(self, at):
        value = self.value
        return value[at] if self._several else (value,)[at]

    def __setitem__(self, at, value):
        self[at][...] = value

    def iternext(self):
        self._place = next(self._places, None)
        return self._place is not None

    def __iter__(self):
        return self

    def __next__(self):
        if self._place is None:
            raise StopIteration
        # The place stays that of the element in hand, so that multi_index names it.
        if self._begun:
            if not self.iternext():
                raise StopIteration
        self._begun = True
        return self.value

    def close(self):
        self._place = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class _Concatenator:
    def __init__(self, axis, ndmin=1, trans1d=-1):
        self._axis, self._ndmin, self._trans1d = axis, ndmin, trans1d

    def __getitem__(self, key):
        axis, ndmin, trans1d = self._axis, self._ndmin, self._trans1d
        parts = []
        for at, one in enumerate(key if isinstance(key, tuple) else (key,)):
            if isinstance(one, str):
                if at:
                    raise ValueError("special directives must be the first entry.")
                if one in ("r", "c"):
                    raise NotImplementedError("matrices, as r_ with 'r' makes them, are not part of attn's numpy")
                words = one.split(",")
                try:
                    axis = int(words[0])
                    ndmin = int(words[1]) if len(words) > 1 else ndmin
                    trans1d = int(words[2]) if len(words) > 2 else trans1d
                except ValueError:
                    raise ValueError(f"unknown special directive {one!r}") from None
                continue
            if isinstance(one, slice):
                start = 0 if one.start is None else one.start
                if isinstance(one.step, complex):
                    one = numpy.linspace(start, one.stop, int(abs(one.step)))
                else:
                    one = numpy.arange(start, one.stop, 1 if one.step is None else one.step)
            one = asarray(one)
            own = one.ndim
            if own < ndmin:
                one = one[(None,) * (ndmin - own)]
                if trans1d != -1 and own:
                    gap = ndmin - own
                    place = trans1d if trans1d >= 0 else trans1d + gap + 1
                    axes = list(range(ndmin))
                    one = one.transpose(axes[:place] + axes[gap:] + axes[place:gap])
            parts.append(one)
        return numpy.concatenate(parts, axis=axis)


r_ = _Concatenator(0)
c_ = _Concatenator(-1, 2, 0)


class _Index:
    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        return (item,) if self.maketuple and not isinstance(item, tuple) else item


index_exp = _Index(True)
s_ = _Index(False)


class _Grid:
    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        alone = not isinstance(key, tuple)
        axes = []
        for one in (key,) if alone else key:
            start = 0 if one.start is None else one.start
            if isinstance(one.step, complex):
                axes.append(numpy.linspace(start, one.stop, int(abs(one.step))))
            else:
                axes.append(numpy.arange(start, one.stop, 1 if one.step is None else one.step))
        if alone:
            return axes[0]
        kind = numpy.result_type(*axes)
        grids = numpy.meshgrid(*[axis.astype(kind) for axis in axes], indexing="ij", sparse=self._sparse)
        return list(grids) if self._sparse else numpy.stack(grids)


mgrid = _Grid(False)
ogrid = _Grid(True)


def vander(x, N=None, increasing=False):
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = len(x) if N is None else N
    columns = [numpy.ones_like(x)]
    for _ in range(1, N):
        columns.append(columns[-1] * x)
    columns = columns[:N]
    return numpy.stack(columns if increasing else columns[::-1], axis=1) if columns else numpy.zeros((len(x), 0), x.dtype)
