"""Functions of `torch` that a few others express. Most are methods of tensors too."""

import torch
from torch._arguments import only_defaults
from torch.return_types import _make

__all__ = (
    "atleast_1d atleast_2d atleast_3d cartesian_prod column_stack dist fliplr flipud float_power isneginf isposinf "
    "logcumsumexp logspace qr std_mean svd swapdims xlogy"
).split()


def swapdims(input, dim0, dim1):
    """Two dimensions exchanged. View."""
    return input.transpose(dim0, dim1)


def fliplr(input):
    """The columns in reverse order."""
    if input.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return input.flip(1)


def flipud(input):
    """The rows in reverse order."""
    if input.dim() < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return input.flip(0)


def _at_least(count, shaped, tensors):
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    made = tuple(x if x.dim() >= count else shaped(x) for x in given)
    return made[0] if given is tensors and len(tensors) == 1 else made


def atleast_1d(*tensors):
    """With at least one dimension."""
    return _at_least(1, lambda x: x.reshape(1), tensors)


def atleast_2d(*tensors):
    """With at least two dimensions: a vector is a row."""
    return _at_least(2, lambda x: x.reshape(1, -1), tensors)


def atleast_3d(*tensors):
    """With at least three dimensions: a matrix has one more at its end."""
    return _at_least(3, lambda x: x.unsqueeze(-1) if x.dim() == 2 else x.reshape(1, -1, 1), tensors)


def column_stack(tensors, *, out=None):
    """Side by side, vectors as columns."""
    only_defaults("column_stack", out=out)
    return torch.cat([x if x.dim() > 1 else x.reshape(-1, 1) for x in tensors], dim=1)


def cartesian_prod(*tensors):
    """All combinations of one element of each vector, the last one changing fastest."""
    if len(tensors) == 1:
        return tensors[0]
    return torch.stack([grid.reshape(-1) for grid in torch.meshgrid(*tensors, indexing="ij")], dim=1)


def isposinf(input):
    """Where elements are inf."""
    return input == float("inf")


def isneginf(input):
    """Where elements are -inf."""
    return input == float("-inf")


def xlogy(input, other):
    """input * log(other); 0 where `input` is 0, nan where `other` is."""
    input, other = torch.as_tensor(input), torch.as_tensor(other)
    product = input * other.log()
    zero = torch.zeros((), dtype=product.dtype)
    return torch.where((input == 0) & ~other.isnan(), zero, product)


def float_power(input, exponent):
    """The power, computed in float64."""
    wide = [x.double() if isinstance(x, torch.Tensor) else float(x) for x in (input, exponent)]
    return torch.pow(*wide)


def logspace(start, end, steps, base=10.0, *, dtype=None, requires_grad=False, device=None, layout=None):
    """`steps` powers of `base`, the exponents equally far apart."""
    only_defaults("logspace", layout=None if layout is torch.strided else layout)
    exponents = torch.linspace(start, end, steps, dtype=dtype, device=device)
    return torch.pow(base, exponents).requires_grad_(requires_grad)


def std_mean(input, dim=None, unbiased=None, *, correction=None, keepdim=False):
    """The standard deviation and the mean."""
    if unbiased is not None:
        correction = int(unbiased)
    variance, mean = torch.var_mean(input, dim, correction=1 if correction is None else correction, keepdim=keepdim)
    return variance.sqrt(), mean


def dist(input, other, p=2):
    """The p-norm of the difference."""
    return torch.norm(input - other, p)


def svd(input, some=True, compute_uv=True):
    """Singular values and vectors: input = U diag(S) V^H."""
    if not compute_uv:
        only_defaults("svd", compute_uv=compute_uv)
    U, S, Vh = torch.linalg.svd(input, full_matrices=not some)
    return _make("svd", ("U", "S", "V"), (U, S, Vh.mH))


def qr(input, some=True):
    """An orthogonal matrix and an upper triangular one."""
    Q, R = torch.linalg.qr(input, "reduced" if some else "complete")
    return _make("qr", ("Q", "R"), (Q, R))


def logcumsumexp(input, dim):
    """The running logarithm of the sum of exponentials."""
    if input.numel() == 0 or input.dim() == 0:
        return input.clone()
    sums = []
    for row in input.unbind(dim):
        sums.append(torch.logaddexp(sums[-1], row) if sums else row)
    return torch.stack(sums, dim)
