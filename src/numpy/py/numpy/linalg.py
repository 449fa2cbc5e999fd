"""numpy.linalg"""

import numpy
from _numpy import _axes, _eigh, _op, _result
from numpy import asarray


__all__ = "LinAlgError norm inv pinv det solve svd eigh eigvalsh qr cholesky matrix_rank matrix_power cond".split()


class LinAlgError(ValueError):
    """A matrix that an algorithm does not take."""


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
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            flat = x.ravel()
            made = numpy.sqrt(numpy.dot(flat, flat))
            return numpy.asarray(made).reshape((1,) * x.ndim) if keepdims else made
        axis = tuple(range(x.ndim))
    axis = _axes(axis, x.ndim)
    if len(axis) == 1:
        if ord == numpy.inf:
            return abs(x).max(axis, keepdims=keepdims)
        if ord == -numpy.inf:
            return abs(x).min(axis, keepdims=keepdims)
        if ord == 0:
            return (x != 0).astype(x.dtype).sum(axis, keepdims=keepdims)
        if ord == 1:
            return abs(x).sum(axis, keepdims=keepdims)
        if ord is None or ord == 2:
            return numpy.sqrt((x * x).sum(axis, keepdims=keepdims))
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        made = (abs(x) ** ord).sum(axis, keepdims=keepdims)
        return made ** (1 / ord)
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    row, column = axis
    if ord in (None, "fro", "f"):
        return numpy.sqrt((x * x).sum(axis, keepdims=keepdims))
    moved = numpy.moveaxis(x, axis, (-2, -1))
    if ord == 1 or ord == -1:
        made = abs(moved).sum(-2)
        made = made.max(-1) if ord == 1 else made.min(-1)
    elif ord in (numpy.inf, -numpy.inf):
        made = abs(moved).sum(-1)
        made = made.max(-1) if ord > 0 else made.min(-1)
    elif ord in (2, -2, "nuc"):
        values = svd(moved, compute_uv=False)
        made = values.max(-1) if ord == 2 else values.min(-1) if ord == -2 else values.sum(-1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    if keepdims:
        made = numpy.asarray(made).reshape([1 if at in axis else size for at, size in enumerate(x.shape)])
    return made


def _lapack(name, *args, **words):
    """An operation of matrices, whose error of a singular one is NumPy's."""
    try:
        return _op(name, *args, **words)
    except RuntimeError as error:
        if "singular" in str(error):
            raise LinAlgError("Singular matrix") from None
        if "positive-definite" in str(error):
            raise LinAlgError("Matrix is not positive definite") from None
        raise


def inv(a):
    return _lapack("linalg_inv", _square(a))


def det(a):
    # As NumPy computes it: from the sum of logarithms.
    sign, log = _op("linalg_slogdet", _square(a))
    return _result(sign * numpy.exp(log))


def _named(name, fields):
    import collections

    return collections.namedtuple(name, fields)


EighResult = _named("EighResult", "eigenvalues eigenvectors")
QRResult = _named("QRResult", "Q R")
SVDResult = _named("SVDResult", "U S Vh")


def solve(a, b):
    a, b = _square(a), _floats(b, 1)
    if b.shape[-2 if b.ndim == a.ndim else -1] != a.shape[-1]:
        raise ValueError(
            "solve1: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m)->(m) (size "
            f"{b.shape[-1]} is different from {a.shape[-1]})"
        )
    kind = numpy.promote_types(a.dtype, b.dtype)
    return _lapack("linalg_solve", a.astype(kind), b.astype(kind))


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    a = _floats(a)
    U, S, Vh = _op("linalg_svd", a, full_matrices=bool(full_matrices))
    return SVDResult(U, S, Vh) if compute_uv else S


def qr(a, mode="reduced"):
    a = _floats(a)
    if mode not in ("reduced", "complete", "r"):
        raise NotImplementedError(f"qr(mode={mode!r}) is not part of attn's numpy")
    Q, R = _op("linalg_qr", a, mode="complete" if mode == "complete" else "reduced")
    return R if mode == "r" else QRResult(Q, R)


def cholesky(a):
    return _lapack("linalg_cholesky", _square(a))


def eigh(a, UPLO="L"):
    a = _square(a)
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    a = a if UPLO.upper() == "L" else numpy.swapaxes(a, -1, -2)
    try:
        return EighResult(*_eigh(a))
    except ValueError as error:
        raise LinAlgError(*error.args) from None


def eigvalsh(a, UPLO="L"):
    return eigh(a, UPLO)[0]


def matrix_rank(A, tol=None, hermitian=False):
    A = asarray(A)
    if A.ndim < 2:
        return int(not numpy.all(A == 0))
    S = svd(A, compute_uv=False)
    if tol is None:
        tol = S.max(axis=-1, keepdims=True) * (max(A.shape[-2:]) * numpy.finfo(S.dtype).eps)
    else:
        tol = asarray(tol)[..., None]
    return numpy.count_nonzero(S > tol, axis=-1) if S.ndim > 1 else numpy.sum(S > tol)


def pinv(a, rcond=1e-15, hermitian=False):
    a = _floats(a)
    U, S, Vh = svd(a, full_matrices=False)
    cutoff = asarray(rcond)[..., None] * S.max(axis=-1, keepdims=True)
    S = numpy.where(S > cutoff, 1 / numpy.where(S > cutoff, S, 1), 0)
    return numpy.matmul(numpy.swapaxes(Vh, -1, -2), S[..., None] * numpy.swapaxes(U, -1, -2))


def matrix_power(a, n):
    a = asarray(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        _square(a)
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        made = numpy.zeros_like(a)
        made[...] = numpy.eye(a.shape[-1], dtype=a.dtype)
        return made
    made = None
    while n:
        if n & 1:
            made = a if made is None else numpy.matmul(made, a)
        n >>= 1
        if n:
            a = numpy.matmul(a, a)
    return made


def cond(x, p=None):
    x = _floats(x)
    if p in (None, 2, -2):
        S = svd(x, compute_uv=False)
        return (S[..., -1] / S[..., 0] if p == -2 else S[..., 0] / S[..., -1])
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


_ABSENT = {
    "eig": "eigh() has the eigenvalues of symmetric matrices", "eigvals": "eigvalsh() has those of symmetric matrices",
    "lstsq": "pinv(a) @ b is the solution", "slogdet": "det() has the determinant",
}


def __getattr__(name):
    hint = f": {_ABSENT[name]}" if name in _ABSENT else ""
    raise AttributeError(f"module 'numpy.linalg' has no attribute '{name}' in attn{hint}")
