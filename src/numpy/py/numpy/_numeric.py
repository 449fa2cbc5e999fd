"""Comparing, parts of numbers, and functions over axes."""

import numpy
import _torch
from _numpy import _axes, _of
from numpy import asarray
from numpy._kinds import dtype as _dtype
from numpy._methods import _alike


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    x, y = asarray(a), asarray(b)
    y = y.astype("float64") if y.dtype.kind in "biu" else y
    finite = numpy.isfinite(x) & numpy.isfinite(y)
    made = numpy.where(finite, abs(x - y) <= atol + rtol * abs(y), x == y)
    if equal_nan:
        made = made | (numpy.isnan(x) & numpy.isnan(y))
    return made[()]


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(numpy.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan:
        same = same | (numpy.isnan(a1) & numpy.isnan(a2))
    return bool(numpy.all(same))


def isneginf(x):
    return numpy.equal(x, -numpy.inf)


def tensordot(a, b, axes=2):
    a, b = asarray(a), asarray(b)
    left, right = axes if isinstance(axes, (tuple, list)) else (tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes)))
    left, right = _axes(left, a.ndim), _axes(right, b.ndim)
    if len(left) != len(right) or any(a.shape[i] != b.shape[j] for i, j in zip(left, right)):
        raise ValueError("shape-mismatch for sum")
    return asarray(_of(_torch._call("tensordot", *_alike(a, b), left, right)))


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    x = numpy.array(x, copy=copy)
    if x.dtype.kind == "f":
        x[...] = _of(_torch.nan_to_num(x._tensor, nan, posinf, neginf))
    return x[()]


def interp(x, xp, fp):
    x, xp, fp = asarray(x).astype("float64"), asarray(xp).astype("float64"), asarray(fp).astype("float64")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    at = numpy.clip(numpy.searchsorted(xp, x, "right") - 1, 0, len(xp) - 1)
    after = numpy.minimum(at + 1, len(xp) - 1)
    slope = (fp[after] - fp[at]) / (xp[after] - xp[at])
    made = slope * (x - xp[at]) + fp[at]
    return numpy.where(x >= xp[-1], fp[-1], numpy.where(x < xp[0], fp[0], made))[()]


def angle(z, deg=False):
    z = z if hasattr(z, "imag") else asarray(z)
    made = numpy.arctan2(z.imag, z.real)
    return made * (180 / numpy.pi) if deg else made


def real(val):
    return val.real if hasattr(val, "real") else asarray(val).real


def imag(val):
    return val.imag if hasattr(val, "imag") else asarray(val).imag


class vectorize:
    """A function of numbers as a function of arrays, by a loop."""

    def __init__(self, pyfunc, otypes=None):
        self.pyfunc, self.otypes = pyfunc, otypes

    def __call__(self, *args):
        arrays = numpy.broadcast_arrays(*args)
        rows = list(zip(*[array.reshape(-1) for array in arrays]))
        # As NumPy does, the first call finds out the dtype and is made again with the others.
        kind = asarray(self.pyfunc(*rows[0])).dtype if self.otypes is None else _dtype(self.otypes[0])
        return numpy.array([self.pyfunc(*row) for row in rows], kind).reshape(arrays[0].shape)
