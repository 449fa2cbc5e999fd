"""torch.linalg: small dense linear algebra; the operations are native."""

import _torch

globals().update(_torch._linalg)


def _given(result, out):
    """The result, or `out` with the result in it."""
    if out is None:
        return result
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


def multi_dot(tensors, *, out=None):
    return _given(_torch._call("multi_dot", list(tensors)), out)


def matrix_power(A, n, *, out=None):
    return _given(_torch.matrix_power(A, n), out)


def matmul(input, other, *, out=None):
    return _given(_torch.matmul(input, other), out)


def vecdot(x, y, *, dim=-1, out=None):
    return _given((x * y).sum(dim), out)


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


def cond(A, p=None, *, out=None):
    """The largest singular value over the smallest, or a norm times the norm of the inverse."""
    if A.dim() < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if A.numel() == 0 and 0 in A.shape[-2:]:
        return _given(_torch.zeros(A.shape[:-2], dtype=A.dtype), out)
    if p is None or p in (2, -2):
        sizes = svdvals(A)
        ends = (sizes[..., -1], sizes[..., 0]) if p == -2 else (sizes[..., 0], sizes[..., -1])
        return _given(ends[0] / ends[1], out)
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"linalg.cond(ord={p}): A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} "
            "matrices"
        )
    if p == "nuc":
        sizes = svdvals(A)
        return _given(sizes.sum(-1) * svdvals(inv(A)).sum(-1), out)
    # A singular matrix has no inverse: the condition is infinite.
    singular = det(A) == 0
    if singular.any():
        safe = _torch.where(singular[..., None, None], _torch.eye(A.shape[-1], dtype=A.dtype), A)
        found = matrix_norm(safe, p) * matrix_norm(inv(safe), p)
        return _given(_torch.where(singular, _torch.inf, found), out)
    return _given(matrix_norm(A, p) * matrix_norm(inv(A), p), out)


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The inverse where there is one, and what comes nearest to it elsewhere."""
    _hermitian_only("linalg.pinv", hermitian)
    if A.dim() < 2 or A.dtype not in (_torch.float32, _torch.float64):
        from torch._more import kind_of

        kind = kind_of(A.dtype)[len("torch.") : -len("Tensor")]
        raise RuntimeError(
            f"linalg.pinv({kind}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of float, double, "
            "cfloat or cdouble types"
        )
    if A.numel() == 0:
        return _given(_torch.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]), dtype=A.dtype), out)
    u, s, vh = svd(A, full_matrices=False)
    least = _tolerances(A, s, atol, rtol if rcond is None else rcond).unsqueeze(-1)
    inverted = _torch.where(s > least, 1 / s, _torch.zeros_like(s))
    return _given((vh.transpose(-2, -1) * inverted.unsqueeze(-2)) @ u.transpose(-2, -1), out)


def inv_ex(A, *, check_errors=False, out=None):
    """The inverse, and where a matrix has none the number of its first zero pivot."""
    from torch._arguments import only_defaults
    from torch.return_types import _make

    only_defaults("linalg.inv_ex", out=out)
    singular = (det(A) == 0).to(_torch.int32)
    if check_errors or not singular.any():
        return _make("linalg_inv_ex", ("inverse", "info"), (inv(A), singular))
    raise NotImplementedError("linalg.inv_ex of a singular matrix is not part of attn")


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


def lu(A, *, pivot=True, out=None):
    """A permutation, a lower triangle with ones on its diagonal, and an upper triangle whose product is A."""
    from torch._arguments import only_defaults
    from torch.return_types import _make

    only_defaults("linalg.lu", out=out, pivot=not pivot)
    if A.dim() < 2:
        raise RuntimeError("linalg.lu: The input tensor A must have at least 2 dimensions.")
    if A.dim() > 2:
        lead = A.shape[:-2]
        parts = zip(*(lu(page) for page in A.reshape(-1, *A.shape[-2:])))
        parts = [_torch.stack(part) for part in parts]
        return _make("linalg_lu", ("P", "L", "U"), tuple(part.reshape(*lead, *part.shape[1:]) for part in parts))
    rows, columns = A.shape
    steps = min(rows, columns)
    work, order = list(A), list(range(rows))
    lower = [[0.0] * steps for _ in range(rows)]
    for at in range(steps):
        best = max(range(at, rows), key=lambda row: abs(work[row][at].item()))
        for swapped in (work, order, lower):
            swapped[at], swapped[best] = swapped[best], swapped[at]
        for row in range(at + 1, rows):
            if work[at][at] != 0:
                share = work[row][at] / work[at][at]
                lower[row][at] = share
                work[row] = work[row] - share * work[at]
    for at in range(steps):
        lower[at][at] = 1.0
    made = [_torch.stack([_torch.as_tensor(value, dtype=A.dtype) for value in row]) for row in lower]
    upper = _torch.stack(work[:steps]).triu() if steps else A[:0]
    permutation = _torch.zeros(rows, rows, dtype=A.dtype)
    for at, row in enumerate(order):
        permutation[row, at] = 1
    return _make("linalg_lu", ("P", "L", "U"), (permutation, _torch.stack(made), upper))


def matrix_exp(A):
    """The sum of the powers of A over their factorials: scaled down, summed, and squared up again."""
    import math

    if A.dim() < 2:
        raise RuntimeError("linalg.matrix_exp: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2] or not A.is_floating_point():
        raise RuntimeError("linalg.matrix_exp: A must be batches of square matrices of floats")
    most = A.abs().sum(-2).max().item() if A.numel() else 0.0
    halvings = max(0, math.ceil(math.log2(most)) + 3) if most > 0 and math.isfinite(most) else 0
    scaled = A.double() / 2.0**halvings
    total = power = _torch.eye(A.shape[-1], dtype=_torch.float64).expand(A.shape)
    for degree in range(1, 19):
        power = power @ scaled / degree
        total = total + power
    for _ in range(halvings):
        total = total @ total
    return total.to(A.dtype)


def tensorinv(A, ind=2, *, out=None):
    """The tensor whose product with A over `ind` dimensions is the identity."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    first, last = A.shape[:ind], A.shape[ind:]
    if first.numel() != last.numel():
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{last.numel()} != {first.numel()}"
        )
    return _given(inv(A.reshape(first.numel(), last.numel())).reshape(*last, *first), out)


def tensorsolve(A, B, dims=None, *, out=None):
    """x whose product with A over the dimensions of x is B."""
    if dims is not None:
        axes = [axis % A.dim() for axis in dims]
        A = A.permute([axis for axis in range(A.dim()) if axis not in axes] + axes)
    shape = A.shape[B.dim() :]
    if shape.numel() != B.numel() or A.shape[: B.dim()].numel() != B.numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {shape.numel()} != {B.numel()}"
        )
    return _given(solve(A.reshape(B.numel(), -1), B.reshape(-1)).reshape(shape), out)


def vander(x, *, N=None):
    """The powers of each element of the last dimension."""
    count = x.shape[-1] if N is None else N
    return x[..., None] ** _torch.arange(count)


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []


def __getattr__(name):
    from torch._names import missing

    raise missing("torch.linalg", name, globals())
