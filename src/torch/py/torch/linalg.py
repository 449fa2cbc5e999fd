"""torch.linalg: small dense linear algebra; the operations are native."""

import _torch
from torch._names import absent_in

globals().update(_torch._linalg)


def _given(result, out):
    """The result, or `out` with the result in it."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise NotImplementedError(f"out= of the shape {list(out.shape)}: attn has that of the result alone, {list(result.shape)}")
    return out.copy_(result)


def matmul(input, other, *, out=None):
    return _given(_torch.matmul(input, other), out)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return A.diagonal(offset, dim1, dim2)


def _epsilon(A):
    return 2.220446049250313e-16 if A.dtype == _torch.float64 else 1.1920928955078125e-07


def _tolerances(A, sizes, atol, rtol):
    """The least size that counts, for each matrix: the larger one of `atol` and `rtol` times the largest size."""
    if rtol is None:
        absolute = atol is not None and (isinstance(atol, _torch.Tensor) or atol > 0)
        rtol = 0.0 if absolute else _epsilon(A) * max(A.shape[-2:])
        if isinstance(atol, _torch.Tensor):
            rtol = _torch.where(atol > 0, 0.0, _epsilon(A) * max(A.shape[-2:]))
    most = sizes.amax(-1) if sizes.shape[-1] else _torch.zeros(sizes.shape[:-1], dtype=sizes.dtype)
    least = most * rtol
    if atol is None:
        return least
    return _torch.maximum(least, atol if isinstance(atol, _torch.Tensor) else _torch.full_like(least, atol))


def _hermitian_only(place, hermitian):
    from torch._arguments import only_defaults

    only_defaults(place, hermitian=hermitian)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """How many singular values are larger than the tolerances."""
    _hermitian_only("linalg.matrix_rank", hermitian)
    if A.dtype not in (_torch.float32, _torch.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if A.dim() < 2:
        raise RuntimeError(
            "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions."
        )
    sizes = svdvals(A)
    least = _tolerances(A, sizes, atol, rtol) if tol is None else _torch.as_tensor(tol, dtype=sizes.dtype)
    return _given((sizes > least.unsqueeze(-1)).sum(-1), out)


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The inverse where there is one, and what comes nearest to it elsewhere."""
    _hermitian_only("linalg.pinv", hermitian)
    if A.dim() < 2 or A.dtype not in (_torch.float32, _torch.float64):
        raise RuntimeError(
            f"linalg.pinv({_torch._cpp_name(A.dtype)}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of float, double, "
            "cfloat or cdouble types"
        )
    if A.numel() == 0:
        return _given(_torch.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]), dtype=A.dtype), out)
    u, s, vh = svd(A, full_matrices=False)
    least = _tolerances(A, s, atol, rtol if rcond is None else rcond).unsqueeze(-1)
    inverted = _torch.where(s > least, 1 / s, _torch.zeros_like(s))
    return _given((vh.transpose(-2, -1) * inverted.unsqueeze(-2)) @ u.transpose(-2, -1), out)


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []

__getattr__ = absent_in("torch.linalg", globals())


def solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    """x with A x = B for a triangular A: one unknown after the other."""
    if not left:
        return _given(solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT, out)
    size = A.shape[-1]
    if A.shape[-2] != size:
        raise RuntimeError(
            "linalg.solve_triangular: A must be batches of square matrices, but they are "
            f"{A.shape[-2]} by {A.shape[-1]} matrices"
        )
    if B.shape[-2] != size:
        raise RuntimeError(
            "linalg.solve_triangular: Incompatible shapes of A and B for the equation AX = B "
            f"({size}x{size} and {B.shape[-2]}x{B.shape[-1]})"
        )
    rows = [None] * size
    for at in range(size - 1, -1, -1) if upper else range(size):
        left_over = B[..., at, :]
        for other in range(at + 1, size) if upper else range(at):
            left_over = left_over - A[..., at, other, None] * rows[other]
        rows[at] = left_over if unitriangular else left_over / A[..., at, at, None]
    return _given(_torch.stack(rows, -2) if rows else B.clone(), out)
