"""Shapes: grids, views of other shapes, joining and splitting."""

import math

import numpy
import _torch
from _numpy import _axes, _of
from numpy import asarray, broadcast_to, concatenate, ravel


def flip(m, axis=None):
    """Backwards along axes: a view."""
    m = asarray(m)
    axes = _axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if at in axes else slice(None) for at in range(m.ndim))]


def fliplr(m):
    return asarray(m)[:, ::-1]


def flipud(m):
    return asarray(m)[::-1]


def broadcast_shapes(*args):
    shapes = [one if isinstance(one, tuple) else (one,) for one in args]
    dims = max([len(one) for one in shapes], default=0)
    columns = [{*sizes} - {1} for sizes in zip(*[(1,) * (dims - len(one)) + one for one in shapes])]
    if any(len(sizes) > 1 for sizes in columns):
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return tuple([next(iter(sizes), 1) for sizes in columns])


def broadcast_arrays(*args, subok=False):
    arrays = [asarray(a) for a in args]
    wanted = broadcast_shapes(*[a.shape for a in arrays])
    return [a if a.shape == wanted else broadcast_to(a, wanted) for a in arrays]


def append(arr, values, axis=None):
    arr = asarray(arr)
    if axis is None:
        return concatenate((arr.reshape(-1), ravel(values)), 0)
    return concatenate((arr, values), axis)


def resize(a, new_shape):
    """The elements over and over, in a new shape."""
    a, size = ravel(a), math.prod(new_shape) if isinstance(new_shape, (tuple, list)) else new_shape
    filled = a[numpy.arange(size) % a.size] if a.size else numpy.zeros(size, a.dtype)
    return filled.reshape(new_shape)


def pad(array, pad_width, mode="constant", constant_values=0):
    """The array with more elements before and after it along each axis."""
    array = asarray(array)
    if mode != "constant":
        raise NotImplementedError(f"pad(mode={mode!r}) is not part of attn's numpy: it has 'constant'")
    if numpy.ndim(constant_values):
        raise NotImplementedError("pad(constant_values=array) is not part of attn's numpy: it takes one number")
    if asarray(pad_width).dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    widths = broadcast_to(asarray(pad_width), (array.ndim, 2)).tolist()
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError("index can't contain negative values")
    shape = tuple(before + size + after for size, (before, after) in zip(array.shape, widths))
    made = numpy.full(shape, constant_values, array.dtype)
    inner = [slice(before, before + size) for size, (before, _) in zip(array.shape, widths)]
    made[tuple(inner)] = array
    return made


def shape(a):
    return a.shape if hasattr(a, "shape") else asarray(a).shape


def ndim(a):
    return len(shape(a))


def size(a, axis=None):
    return math.prod(shape(a)) if axis is None else shape(a)[axis]


def ascontiguousarray(a, dtype=None):
    a = _deep(asarray(a, dtype), 1)
    return a if a._is_row_major else a.copy()


def moveaxis(a, source, destination):
    a = asarray(a)
    source, destination = _axes(source, a.ndim), _axes(destination, a.ndim)
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(a.ndim) if axis not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return a.transpose(order)


def roll(a, shift, axis=None):
    a = asarray(a)
    if axis is None:
        return roll(a.reshape(-1), numpy.sum(shift), 0).reshape(a.shape)
    shifts, axes = numpy.broadcast_arrays(numpy.atleast_1d(shift), numpy.atleast_1d(axis))
    return _of(_torch.roll(a._tensor, shifts.tolist(), [_axes(one, a.ndim)[0] for one in axes.tolist()]))


def _deep(a, ndim):
    """An array with at least so many dimensions."""
    a = asarray(a)
    return a.reshape((1,) * (ndim - a.ndim) + a.shape) if a.ndim < ndim else a


def atleast_1d(*arys):
    return _deep(arys[0], 1) if len(arys) == 1 else [_deep(a, 1) for a in arys]


def atleast_2d(*arys):
    return _deep(arys[0], 2) if len(arys) == 1 else [_deep(a, 2) for a in arys]


def vstack(tup, *, dtype=None):
    return concatenate([_deep(a, 2) for a in tup], 0, dtype=dtype)


def hstack(tup, *, dtype=None):
    arrays = [_deep(a, 1) for a in tup]
    return concatenate(arrays, int(any(a.ndim > 1 for a in arrays[:1])), dtype=dtype)


def column_stack(tup):
    return concatenate([a if a.ndim > 1 else a.reshape(-1, 1) for a in map(asarray, tup)], 1)


def array_split(ary, indices_or_sections, axis=0):
    """Views along an axis, up to each index; or so many of nearly the same size."""
    ary = asarray(ary)
    (axis,) = _axes(axis, ary.ndim)
    ends, size = indices_or_sections, ary.shape[axis]
    if ndim(ends) == 0:
        count = ends.__index__()
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        ends = [size // count * at + min(at, size % count) for at in range(1, count)]
    whole = (slice(None),) * axis
    return [ary[whole + (slice(*part),)] for part in zip([0, *ends], [*ends, size])]


def split(ary, indices_or_sections, axis=0):
    if ndim(indices_or_sections) == 0 and shape(ary)[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    """Powers of base whose exponents are at equal distances."""
    made = numpy.power(base, numpy.linspace(start, stop, num, endpoint))
    return made if dtype is None else made.astype(dtype)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinates of a grid, one array for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    made = [numpy.asarray(x).reshape((1,) * i + (-1,) + (1,) * (ndim - 1 - i)) for i, x in enumerate(xi)]
    if indexing == "xy" and ndim > 1:
        made[0] = made[0].reshape((1, -1) + (1,) * (ndim - 2))
        made[1] = made[1].reshape((-1, 1) + (1,) * (ndim - 2))
    if not sparse:
        made = numpy.broadcast_arrays(*made)
    return [x.copy() for x in made] if copy else list(made)
