"""Sorting, searching, choosing, and indices."""

import numpy
from _numpy import _array, _axes, _op, _result, ndarray, dtype as _dtype
from numpy import _methods
from numpy._create import asarray
from numpy._no_value import NO_VALUE

_max, _sum, _all = max, sum, all


def _is_text(a):
    """Whether this is an array of text or objects, which are lists in rows."""
    return isinstance(a, ndarray) and type(a) is not ndarray


KINDS = (None, "quicksort", "mergesort", "heapsort", "stable", "introsort")


def _sorting(a, axis, kind, order):
    if order is not None:
        raise NotImplementedError("sort(order=) is not part of attn's numpy: it has no fields")
    if kind not in KINDS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    a = asarray(a)
    if axis is None:
        return a.reshape(-1), 0
    return a, _axes(axis, a.ndim)[0]


def sort(a, axis=-1, kind=None, order=None):
    if _is_text(a := asarray(a)):
        made = a.copy()
        made.sort()
        return made
    a, axis = _sorting(a, axis, kind, order)
    return _op("sort", a, axis)[0]


def argsort(a, axis=-1, kind=None, order=None):
    if _is_text(a := asarray(a)):
        return a.argsort()
    a, axis = _sorting(a, axis, kind, order)
    return _op("sort", a, dim=axis, stable=True)[1]


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """Sorted altogether: that is a partition at every place."""
    return sort(a, axis, None, order)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    return argsort(a, axis, None, order)


def searchsorted(a, v, side="left", sorter=None):
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    a, v = asarray(a), asarray(v)
    kind = numpy.promote_types(a.dtype, v.dtype)
    a, values = a.astype(kind), v.astype(kind).reshape(-1)
    if sorter is not None:
        a = a[asarray(sorter)]
    return _result(_op("searchsorted", a, values, right=side == "right").reshape(v.shape))


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    ar = asarray(ar)
    if _is_text(ar):
        from numpy import _labels

        return _labels.unique(ar.ravel(), return_index, return_inverse, return_counts)
    if axis is not None:
        (axis,) = _axes(axis, ar.ndim)
        moved = numpy.moveaxis(ar, axis, 0)
        rows = [tuple(row) for row in moved.reshape(len(moved), -1).tolist()]
        order = sorted(range(len(rows)), key=lambda at: rows[at])
        first, inverse, counts = [], [0] * len(rows), []
        for at in order:
            if not first or rows[first[-1]] != rows[at]:
                first.append(at)
                counts.append(0)
            inverse[at] = len(first) - 1
            counts[-1] += 1
        made = numpy.moveaxis(moved[first], 0, axis)
        extra = [asarray(first), asarray(inverse), asarray(counts)]
    else:
        flat = ar.reshape(-1)
        order = argsort(flat, kind="stable")
        ordered = flat[order]
        new = numpy.ones(ordered.shape, "bool")
        new[1:] = ordered[1:] != ordered[:-1]
        if equal_nan and flat.dtype.kind == "f" and flat.size and numpy.isnan(ordered[-1]):
            start = int(searchsorted(numpy.isnan(ordered).astype("int64"), 1))
            new[start + 1:] = False
        made = ordered[new]
        extra = [order[new], None, None]
        if return_inverse:
            inverse = numpy.empty(flat.shape, "int64")
            inverse[order] = numpy.cumsum(new) - 1
            extra[1] = inverse
        if return_counts:
            places = numpy.append(numpy.flatnonzero(new), flat.size)
            extra[2] = numpy.diff(places)
    wanted = [one for one, asked in zip(extra, (return_index, return_inverse, return_counts)) if asked]
    return (made, *wanted) if wanted else made


def nonzero(a):
    a = asarray(a)
    if a.ndim == 0:
        raise DeprecationWarning("Calling nonzero on 0d arrays is not allowed: use atleast_1d")
    found = _op("nonzero", a)
    return tuple(found[:, axis].copy() for axis in range(a.ndim))


def flatnonzero(a):
    return nonzero(asarray(a).reshape(-1))[0]


def argwhere(a):
    return _op("nonzero", numpy.atleast_1d(a)) if numpy.ndim(a) else _op("nonzero", numpy.atleast_1d(a))[:, :0]




def where(condition, x=NO_VALUE, y=NO_VALUE):
    """Elements of x where the condition is true, of y elsewhere; without them, the places where it is."""
    condition = asarray(condition)
    if x is NO_VALUE and y is NO_VALUE:
        return nonzero(condition)
    if x is NO_VALUE or y is NO_VALUE:
        raise ValueError("either both or neither of x and y should be given")
    if any(isinstance(one, str) or _is_text(one) for one in (x, y)):
        from numpy import _labels

        return _labels.chosen(condition, x, y)
    kind = numpy.result_type(x, y)
    x, y = asarray(x).astype(kind, copy=False), asarray(y).astype(kind, copy=False)
    shapes = f"{_text(condition)} {_text(x)} {_text(y)} "
    try:
        numpy.broadcast_shapes(condition.shape, x.shape, y.shape)
    except ValueError:
        raise ValueError(f"operands could not be broadcast together with shapes {shapes}") from None
    return _op("where", condition.astype("bool", copy=False), x, y)


def _text(a):
    return str(a.shape).replace(" ", "")


def select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    kind = numpy.result_type(*choicelist, default)
    made = asarray(default).astype(kind)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        condition = asarray(condition)
        if condition.dtype.kind != "b":
            raise TypeError(f"invalid entry 0 in condlist: should be boolean ndarray")
        made = where(condition, asarray(choice).astype(kind), made)
    return made


def take(a, indices, axis=None, out=None, mode="raise"):
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    else:
        (axis,) = _axes(axis, a.ndim)
    indices = asarray(indices)
    if mode == "wrap":
        indices = indices % a.shape[axis]
    elif mode == "clip":
        indices = numpy.clip(indices, 0, a.shape[axis] - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    return _methods._into(out, a[(slice(None),) * axis + (indices,)])


def take_along_axis(arr, indices, axis):
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        return arr.reshape(-1)[indices]
    (axis,) = _axes(axis, arr.ndim)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return arr[_along(arr, indices, axis)]


def _along(arr, indices, axis):
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    parts = []
    for at in range(arr.ndim):
        if at == axis:
            parts.append(indices)
        else:
            parts.append(numpy.arange(arr.shape[at]).reshape((1,) * at + (-1,) + (1,) * (arr.ndim - at - 1)))
    return tuple(parts)


def put_along_axis(arr, indices, values, axis):
    indices = asarray(indices)
    if axis is None:
        arr.reshape(-1)[indices] = values
        return
    (axis,) = _axes(axis, arr.ndim)
    arr[_along(arr, indices, axis)] = values


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    element = asarray(element)
    among = asarray(test_elements)
    if _is_text(element) or _is_text(among):
        known = among.ravel().tolist()
        known = known if any(one.__hash__ is None for one in known) else set(known)
        return numpy.array([(one in known) != bool(invert) for one in element.ravel().tolist()], "bool").reshape(element.shape)
    kind = numpy.promote_types(element.dtype, among.dtype)
    return _op("isin", element.astype(kind), among.astype(kind), invert=bool(invert))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    ar1, ar2 = asarray(ar1), asarray(ar2)
    first, at1 = unique(ar1, return_index=True)
    second, at2 = unique(ar2, return_index=True)
    made = first[isin(first, second)]
    if not return_indices:
        return made
    return made, at1[isin(first, second)], at2[isin(second, first)]


def union1d(ar1, ar2):
    return unique(numpy.concatenate((ar1, ar2), axis=None))


def setdiff1d(ar1, ar2, assume_unique=False):
    ar1 = asarray(ar1).reshape(-1) if assume_unique else unique(ar1)
    return ar1[isin(ar1, ar2, invert=True)]
