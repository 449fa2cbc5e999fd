"""Sorting, searching, choosing, and indices."""

import numpy
from numpy import argsort, asarray, searchsorted


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    if axis is not None:
        raise NotImplementedError("unique(axis=) is not part of attn's numpy: unique() of all elements is")
    flat = asarray(ar).reshape(-1)
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
