"""torch.linalg: small dense linear algebra; the operations are native."""

import _torch
from torch._arguments import only_defaults
from torch._names import absent_in

globals().update(_torch._linalg)


def _tolerances(A, sizes, atol, rtol):
    """The least size that counts, for each matrix: the larger one of `atol` and `rtol` times the largest size."""
    if rtol is None:
        rtol = 0.0 if atol else (2.0**-52 if A.dtype == _torch.float64 else 2.0**-23) * max(A.shape[-2:])
    most = sizes.amax(-1) if sizes.shape[-1] else _torch.zeros(sizes.shape[:-1], dtype=sizes.dtype)
    return (most * rtol).clamp(min=atol or 0.0)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """How many singular values are larger than the tolerances."""
    only_defaults("linalg.matrix_rank", hermitian=hermitian, out=out)
    if A.dtype not in (_torch.float32, _torch.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if A.dim() < 2:
        raise RuntimeError(
            "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions."
        )
    sizes = svdvals(A)
    least = _tolerances(A, sizes, atol, rtol) if tol is None else _torch.as_tensor(tol, dtype=sizes.dtype)
    return (sizes > least.unsqueeze(-1)).sum(-1)


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The inverse where there is one, and what comes nearest to it elsewhere."""
    only_defaults("linalg.pinv", hermitian=hermitian, out=out)
    if A.dim() < 2 or A.dtype not in (_torch.float32, _torch.float64):
        raise RuntimeError(
            f"linalg.pinv({_torch._cpp_name(A.dtype)}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of float, double, "
            "cfloat or cdouble types"
        )
    if A.numel() == 0:
        return _torch.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]), dtype=A.dtype)
    u, s, vh = svd(A, full_matrices=False)
    least = _tolerances(A, s, atol, rtol if rcond is None else rcond).unsqueeze(-1)
    inverted = _torch.where(s > least, 1 / s, _torch.zeros_like(s))
    return (vh.transpose(-2, -1) * inverted.unsqueeze(-2)) @ u.transpose(-2, -1)


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []

__getattr__ = absent_in("torch.linalg", globals())
