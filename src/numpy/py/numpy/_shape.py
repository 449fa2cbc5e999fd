"""Shapes: views of other shapes, joining and splitting."""

import numpy
from _numpy import _axes
from numpy import asarray, broadcast_to, concatenate, moveaxis, ravel, transpose


def flip(m, axis=None):
    """Backwards along axes: a view."""
    m = asarray(m)
    axes = _axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if at in axes else slice(None) for at in range(m.ndim))]


def fliplr(m):
    m = asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def flipud(m):
    m = asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


def rot90(m, k=1, axes=(0, 1)):
    m = asarray(m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    order = list(range(m.ndim))
    order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
    if k == 1:
        return transpose(flip(m, axes[1]), order)
    return flip(transpose(m, order), axes[1])


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


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with more elements before and after it along each axis."""
    from numpy._padding import padded

    return padded(asarray(array), pad_width, mode, kwargs)
