"""Complex arrays from any data and from arrays of real and imaginary parts."""

import numpy
from numpy import _complex


def _array(a):
    return a if type(a) is _complex.ndarray else _complex.array(a)


def _done(pairs):
    """The array of these parts; without dimensions, a scalar."""
    if pairs.ndim == 1:
        return _complex.scalar(complex(*pairs.tolist()), pairs.dtype)
    return _complex.ndarray(pairs)


def _parts(function, a):
    """A function of each part."""
    re, im = function(a.real), function(a.imag)
    return _paired(re, im)


def _paired(re, im):
    if isinstance(re, (list, tuple)):
        return type(re)(_paired(one, two) for one, two in zip(re, im))
    re, im = numpy.asarray(re), numpy.asarray(im)
    if re.dtype.kind != "f":
        re, im = re.astype("float64"), im.astype("float64")
    return _done(numpy.stack([re, im], axis=-1))
