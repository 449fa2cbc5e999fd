"""numpy.linalg"""

from collections import namedtuple

import numpy
import _torch
from _numpy import _axes, _eigh, _of
from numpy import asarray
from numpy._absent import missing


class LinAlgError(ValueError):
    """A matrix that an algorithm does not take."""


def _op(name, *args, **words):
    """An operation of `torch.linalg` on arrays: an array, or a tuple of them. Its error of a singular matrix is NumPy's."""
    try:
        made = _torch._linalg[name](*[a._tensor for a in args], **words)
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        raise LinAlgError("Singular matrix") from None
    return tuple(map(_of, made)) if isinstance(made, tuple) else _of(made)


def _floats(a, least=2):
    a = asarray(a)
    if a.ndim < least:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.dtype.kind not in "biuf":
        raise NotImplementedError(f"linalg of arrays of {a.dtype} is not part of attn's numpy: it has that of real numbers")
    return a if a.dtype.kind == "f" else a.astype("float64")


def _square(a):
    a = _floats(a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def norm(x, ord=None, axis=None, keepdims=False):
    x = _floats(x, 0)
    if axis is None and (ord is None or (ord, x.ndim) in ((2, 1), ("fro", 2))):
        flat = x.ravel()
        made = numpy.sqrt(numpy.dot(flat, flat))
        return numpy.asarray(made).reshape((1,) * x.ndim) if keepdims else made
    axis = _axes(axis, x.ndim)
    if len(axis) > 2:
        raise ValueError("Improper number of dimensions to norm.")
    if ord in (None, 2) and len(axis) == 1 or ord in (None, "fro") and len(axis) == 2:
        return numpy.sqrt((x * x).sum(axis, keepdims=keepdims))
    if len(axis) == 1 and ord in (1, numpy.inf):
        return (abs(x).sum if ord == 1 else abs(x).max)(axis, keepdims=keepdims)
    if len(axis) == 2 and ord in (2, "nuc") and not keepdims:
        values = svd(numpy.moveaxis(x, axis, (-2, -1)), compute_uv=False)
        return values.max(-1) if ord == 2 else values.sum(-1)
    raise NotImplementedError(f"norm(ord={ord!r}) over {len(axis)} axes is not part of attn's numpy")


def inv(a):
    return _op("inv", _square(a))


def det(a):
    # As NumPy computes it: from the sum of logarithms.
    sign, log = _op("slogdet", _square(a))
    return sign * numpy.exp(log)


EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SVDResult = namedtuple("SVDResult", "U S Vh")


def solve(a, b):
    a, b = _square(a), _floats(b, 1)
    if b.shape[-2 if b.ndim == a.ndim else -1] != a.shape[-1]:
        raise ValueError(
            "solve1: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m)->(m) (size "
            f"{b.shape[-1]} is different from {a.shape[-1]})"
        )
    kind = numpy.promote_types(a.dtype, b.dtype)
    return _op("solve", a.astype(kind), b.astype(kind))


def svd(a, full_matrices=True, compute_uv=True):
    U, S, Vh = _op("svd", _floats(a), full_matrices=bool(full_matrices))
    return SVDResult(U, S, Vh) if compute_uv else S


def qr(a):
    return QRResult(*_op("qr", _floats(a), mode="reduced"))


def eigh(a):
    return EighResult(*_eigh(_square(a)))


def eigvalsh(a):
    return eigh(a)[0]


def matrix_rank(A, tol=None):
    S = svd(A, compute_uv=False)
    cutoff = S.max(axis=-1, keepdims=True) * (max(numpy.shape(A)[-2:]) * numpy.finfo(S.dtype).eps) if tol is None else tol
    return numpy.sum(S > cutoff, axis=-1)


def pinv(a, rcond=1e-15):
    U, S, Vh = svd(a, full_matrices=False)
    is_kept = S > rcond * S.max(axis=-1, keepdims=True)
    S = numpy.where(is_kept, 1 / numpy.where(is_kept, S, 1), 0)
    return numpy.matmul(numpy.swapaxes(Vh, -1, -2), S[..., None] * numpy.swapaxes(U, -1, -2))


def __getattr__(name):
    raise missing("numpy.linalg", name, globals())
