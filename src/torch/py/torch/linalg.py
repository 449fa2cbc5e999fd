"""torch.linalg: small dense linear algebra; the operations are native."""

import _torch

globals().update(_torch._linalg)


def multi_dot(tensors, *, out=None):
    return _torch._call("multi_dot", list(tensors))


def matrix_power(A, n, *, out=None):
    return _torch.matrix_power(A, n)


def matmul(input, other, *, out=None):
    return _torch.matmul(input, other)


def vecdot(x, y, *, dim=-1, out=None):
    return (x * y).sum(dim)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return A.diagonal(offset, dim1, dim2)


def matrix_rank(A, *, atol=None, rtol=None, hermitian=False, out=None):
    """How many singular values stand out from rounding."""
    sizes = svdvals(A)
    if rtol is None:
        rtol = max(A.shape[-2:]) * (2.220446049250313e-16 if A.dtype == _torch.float64 else 1.1920928955078125e-07)
    least = sizes[..., :1] * rtol
    if atol is not None:
        least = _torch.clamp(least, min=atol)
    return (sizes > least).sum(-1)


def cond(A, p=None, *, out=None):
    """The largest singular value over the smallest, or a norm times the norm of the inverse."""
    if p is None or p == 2:
        sizes = svdvals(A)
        return sizes[..., 0] / sizes[..., -1]
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


def pinv(A, *, rcond=None, hermitian=False, out=None):
    """The inverse where there is one, and what comes nearest to it elsewhere."""
    u, s, vh = svd(A, full_matrices=False)
    least = s[..., :1] * (1e-15 if rcond is None else rcond)
    inverted = _torch.where(s > least, 1 / s, _torch.zeros_like(s))
    return vh.transpose(-2, -1) @ (inverted.unsqueeze(-1) * u.transpose(-2, -1))


def __getattr__(name):
    from torch._names import missing

    raise missing("torch.linalg", name, globals())
