"""Shapes: views of other shapes, joining and splitting."""

import numpy
from _numpy import _axes
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
    made = [1] * dims
    for one in shapes:
        for at, size in enumerate(one, dims - len(one)):
            if size != 1 and made[at] not in (1, size):
                first = next(i for i, other in enumerate(shapes) if len(other) >= dims - at and other[at - dims] not in (1, size))
                raise ValueError(
                    "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg "
                    f"{first} with shape {shapes[first]} and arg {shapes.index(one)} with shape {one}."
                )
            if size != 1:
                made[at] = size
    return tuple(made)


def broadcast_arrays(*args, subok=False):
    arrays = [asarray(a) for a in args]
    wanted = broadcast_shapes(*[a.shape for a in arrays])
    return [a if a.shape == wanted else broadcast_to(a, wanted) for a in arrays]


def append(arr, values, axis=None):
    arr = asarray(arr)
    if axis is None:
        return concatenate((arr.reshape(-1), ravel(values)), 0)
    return concatenate((arr, values), axis)


def delete(arr, obj, axis=None):
    arr = asarray(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    else:
        (axis,) = _axes(axis, arr.ndim)
    total = arr.shape[axis]
    keep = numpy.ones(total, dtype="bool")
    if isinstance(obj, int) and not -total <= obj < total:
        raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {total}")
    keep[obj] = False
    return arr[(slice(None),) * axis + (keep,)]


def pad(array, pad_width, mode="constant", constant_values=0):
    """The array with more elements before and after it along each axis."""
    array = asarray(array)
    if mode != "constant":
        raise NotImplementedError(f"pad(mode={mode!r}) is not part of attn's numpy: it has 'constant'")
    if asarray(pad_width).dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    widths = broadcast_to(asarray(pad_width), (array.ndim, 2)).tolist()
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError("index can't contain negative values")
    values = broadcast_to(asarray(constant_values), (array.ndim, 2)).tolist()
    shape = tuple(before + size + after for size, (before, after) in zip(array.shape, widths))
    made = numpy.empty(shape, array.dtype)
    inner = [slice(before, before + size) for size, (before, _) in zip(array.shape, widths)]
    made[tuple(inner)] = array
    # As in NumPy, the values of a later axis are in the corners.
    for axis, (part, (before, after)) in enumerate(zip(inner, values)):
        earlier, later = (slice(None),) * axis, inner[axis + 1 :]
        made[(*earlier, slice(None, part.start), *later)] = before
        made[(*earlier, slice(part.stop, None), *later)] = after
    return made
