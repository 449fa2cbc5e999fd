"""Sorting, searching, choosing, and indices."""

import numpy
from _numpy import _axes, ndarray
from numpy import argsort, asarray, searchsorted


def _is_text(a):
    """Whether this is an array of text or objects, which are lists in rows."""
    return isinstance(a, ndarray) and type(a) is not ndarray


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
