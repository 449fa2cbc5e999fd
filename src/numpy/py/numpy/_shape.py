"""Shapes: views of other shapes, joining and splitting."""

import operator

import numpy
from _numpy import _array, _axes, _broadcast, _copy_into, _op, ndarray, dtype as _dtype
from numpy import _methods
from numpy._create import asarray

_sum, _max = sum, max


def ndim(a):
    return asarray(a).ndim


def shape(a):
    return asarray(a).shape


def size(a, axis=None):
    a = asarray(a)
    return a.size if axis is None else a.shape[axis]


def reshape(a, newshape, order="C"):
    return _methods.reshape(asarray(a), newshape, order=order)


def ravel(a, order="C"):
    return _methods.ravel(asarray(a), order)


def transpose(a, axes=None):
    return _methods.transpose(asarray(a), axes)


def swapaxes(a, axis1, axis2):
    return _methods.swapaxes(asarray(a), axis1, axis2)


def squeeze(a, axis=None):
    return _methods.squeeze(asarray(a), axis)


def moveaxis(a, source, destination):
    a = asarray(a)
    source, destination = _axes(tuple(source) if hasattr(source, "__len__") or isinstance(source, range) else source, a.ndim), _axes(
        tuple(destination) if hasattr(destination, "__len__") or isinstance(destination, range) else destination, a.ndim
    )
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [at for at in range(a.ndim) if at not in source]
    for to, at in sorted(zip(destination, source)):
        order.insert(to, at)
    return _op("permute", a, tuple(order))


def expand_dims(a, axis):
    a = asarray(a)
    axis = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = _axes(tuple(axis), a.ndim + len(axis))
    rest = iter(a.shape)
    return a[tuple(None if at in axes else slice(None) for at in range(a.ndim + len(axes)))]


def atleast_1d(*arys):
    made = [asarray(a) for a in arys]
    made = [a.reshape(1) if a.ndim == 0 else a for a in made]
    return made[0] if len(made) == 1 else made


def atleast_2d(*arys):
    made = [asarray(a) for a in arys]
    made = [a.reshape(1, 1) if a.ndim == 0 else a[None, :] if a.ndim == 1 else a for a in made]
    return made[0] if len(made) == 1 else made


def _joined(arrays, dtype, casting):
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    kind = arrays[0].dtype
    for a in arrays[1:]:
        kind = numpy.promote_types(kind, a.dtype)
    kind = kind if dtype is None else _dtype(dtype)
    return [a.astype(kind, casting=casting, copy=False) for a in arrays]


def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along an axis."""
    arrays = [asarray(a) for a in arrays]
    if any(type(a) is not ndarray for a in arrays):
        if any(a.dtype.kind == "c" for a in arrays):
            return numpy.concatenate(arrays, axis, out, dtype=dtype, casting=casting)
        from numpy import _labels

        return _labels.joined(arrays, axis)
    arrays = _joined(arrays, dtype, casting)
    if axis is None:
        arrays, axis = [a.reshape(-1) for a in arrays], 0
    first = arrays[0]
    if first.ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    for at, a in enumerate(arrays[1:], 1):
        if a.ndim != first.ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{first.ndim} dimension(s) and the array at index {at} has {a.ndim} dimension(s)"
            )
    (axis,) = _axes(axis, first.ndim)
    for at, a in enumerate(arrays[1:], 1):
        for dim in range(first.ndim):
            if dim != axis and a.shape[dim] != first.shape[dim]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {dim}, the array at index 0 has size {first.shape[dim]} and the array at index {at} has "
                    f"size {a.shape[dim]}"
                )
    return _methods._into(out, _op("cat", arrays, axis))


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays side by side along a new axis."""
    arrays = list(arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    arrays = _joined(arrays, dtype, casting)
    if len({a.shape for a in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    (axis,) = _axes(axis, arrays[0].ndim + 1)
    return _methods._into(out, _op("stack", arrays, axis))


def vstack(tup, *, dtype=None, casting="same_kind"):
    made = atleast_2d(*tup)
    return concatenate(made if isinstance(made, list) else [made], 0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    made = atleast_1d(*tup)
    made = made if isinstance(made, list) else [made]
    return concatenate(made, 0 if made and made[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def column_stack(tup):
    arrays = [asarray(a) for a in tup]
    return concatenate([a.reshape(-1, 1) if a.ndim < 2 else a for a in arrays], 1)


def array_split(ary, indices_or_sections, axis=0):
    ary = asarray(ary)
    total = ary.shape[axis]
    if hasattr(indices_or_sections, "__len__"):
        places = [0, *[int(at) for at in indices_or_sections], total]
    else:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, more = divmod(total, sections)
        places = [0]
        for at in range(sections):
            places.append(places[-1] + each + (at < more))
    moved = swapaxes(ary, axis, 0)
    return [swapaxes(moved[first:last], axis, 0) for first, last in zip(places, places[1:])]


def split(ary, indices_or_sections, axis=0):
    if not hasattr(indices_or_sections, "__len__"):
        if asarray(ary).shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def tile(A, reps):
    A = asarray(A)
    reps = tuple(int(count) for count in (reps if hasattr(reps, "__len__") else (reps,)))
    dims = _max(A.ndim, len(reps))
    return _op("tile", A.reshape((1,) * (dims - A.ndim) + A.shape), (1,) * (dims - len(reps)) + reps)


def repeat(a, repeats, axis=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    else:
        (axis,) = _axes(axis, a.ndim)
    counts = asarray(repeats).reshape(-1)
    if counts.size == 1:
        return _op("repeat_interleave", a, int(counts[0]), axis)
    if counts.size != a.shape[axis]:
        raise ValueError(
            f"operands could not be broadcast together with shape ({a.shape[axis]},) ({counts.size},)"
        )
    return _op("repeat_interleave", a, counts, axis)


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


def roll(a, shift, axis=None):
    a = asarray(a)
    if axis is None:
        return roll(a.reshape(-1), shift, 0).reshape(a.shape)
    axis = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts, axes = numpy.broadcast_arrays(asarray(shift), asarray(axis))
    made = a
    for by, at in zip(shifts.reshape(-1).tolist(), axes.reshape(-1).tolist()):
        (at,) = _axes(at, a.ndim)
        made = _op("roll", made, (by,), (at,))
    return made


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
    dims = _max([len(one) for one in shapes], default=0)
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


def broadcast_to(array, shape, subok=False):
    array = asarray(array)
    shape = tuple(shape) if hasattr(shape, "__len__") else (shape,)
    try:
        return _broadcast(array, shape)
    except ValueError:
        if len(shape) < array.ndim:
            raise ValueError("input operand has more dimensions than allowed by the axis remapping") from None
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{str(array.shape).replace(' ', '')}  and requested shape {str(shape).replace(' ', '')}"
        ) from None


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
    a = ravel(a)
    new_shape = tuple(new_shape) if hasattr(new_shape, "__len__") else (new_shape,)
    count = 1
    for one in new_shape:
        count *= one
        if one < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    if a.size == 0 or count == 0:
        return numpy.zeros(new_shape, a.dtype)
    return tile(a, -(-count // a.size))[:count].reshape(new_shape)


def insert(arr, obj, values, axis=None):
    arr = asarray(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    else:
        (axis,) = _axes(axis, arr.ndim)
    total = arr.shape[axis]
    if isinstance(obj, slice):
        obj = numpy.arange(*obj.indices(total))
    at = asarray(obj)
    values = asarray(values).astype(arr.dtype)
    moved = moveaxis(arr, axis, 0)
    if at.size == 1:
        place = int(at.reshape(-1)[0])
        if place < -total or place > total:
            raise IndexError(f"index {place} is out of bounds for axis {axis} with size {total}")
        place = place + total if place < 0 else place
        if at.ndim == 0 and values.ndim:
            values = moveaxis(values.reshape((1,) * (arr.ndim - values.ndim) + values.shape), 0, axis)
        values = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
        count = values.shape[axis]
        rest = arr.shape[:axis] + (count,) + arr.shape[axis + 1:]
        new = moveaxis(broadcast_to(values, rest), axis, 0)
        return moveaxis(concatenate((moved[:place], new, moved[place:])), 0, axis)
    places = [int(one) + total if one < 0 else int(one) for one in at.reshape(-1).tolist()]
    order = sorted(range(len(places)), key=lambda one: places[one])
    rest = (len(places),) + moved.shape[1:]
    if values.ndim == arr.ndim and arr.ndim > 1:
        new = broadcast_to(moveaxis(values, axis, 0), rest)
    else:
        shape = arr.shape[:axis] + (len(places),) + arr.shape[axis + 1:]
        new = moveaxis(broadcast_to(values, shape), axis, 0)
    parts, last = [], 0
    for one in order:
        parts += [moved[last:places[one]], new[one:one + 1]]
        last = places[one]
    return moveaxis(concatenate([*parts, moved[last:]]), 0, axis)


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
