"""Functions of `torch` that are written in other operations: differences, sums under a curve, statistics, factors."""

import torch
from torch import linalg
from torch._arguments import only_defaults

__all__ = (
    "cholesky cholesky_inverse cholesky_solve corrcoef cov cumulative_trapezoid empty_permuted empty_strided frexp "
    "gradient nanmedian nanquantile narrow_copy qr range trapezoid trapz unravel_index vander"
).split()


# Under a curve


def _widths(y, x, dx, dim):
    """How wide each interval between neighbours along `dim` is."""
    if x is not None and dx is not None:
        raise TypeError("trapezoid() received an invalid combination of arguments: give x or dx, not both")
    if x is None:
        return 1 if dx is None else dx
    if x.dim() == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        steps = x.diff()
        return steps.view(-1, *(1,) * (y.dim() - dim % y.dim() - 1))
    return x.diff(dim=dim)


def _pairs(y, dim):
    """Neighbours along a dimension."""
    count = max(y.shape[dim] - 1, 0)
    return y.narrow(dim, 0, count), y.narrow(dim, y.shape[dim] - count, count)


def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The area under the line through the points."""
    if y.dtype == torch.bool or (x is not None and x.dtype == torch.bool):
        raise RuntimeError("trapezoid: received a bool input for `x` or `y`, but bool is not supported")
    left, right = _pairs(y, dim)
    return (_widths(y, x, dx, dim) * (left + right)).sum(dim) / 2.0


trapz = trapezoid


def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The area under the line up to each point but the first."""
    if y.dtype == torch.bool or (x is not None and x.dtype == torch.bool):
        raise RuntimeError("cumulative_trapezoid: received a bool input for `x` or `y`, but bool is not supported")
    left, right = _pairs(y, dim)
    return (_widths(y, x, dx, dim) * (left + right)).cumsum(dim) / 2.0


def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """The slope at each point by the differences to its neighbours, along each dimension."""
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if dim is None:
        dims = list(_range(input.dim()))
    else:
        dims = [dim] if isinstance(dim, int) else list(dim)
    if spacing is None:
        spacing = 1.0
    if isinstance(spacing, (int, float)):
        spacing = [spacing] * len(dims)
    if isinstance(spacing, torch.Tensor):
        spacing = list(spacing) if spacing.dim() > 1 else [spacing]
    if len(spacing) != len(dims):
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar or a list of length {len(dims)}, but got a list "
            f"of length {len(spacing)}"
        )
    return tuple(_slope(input, axis % input.dim(), step, edge_order) for axis, step in zip(dims, spacing))


def _slope(x, axis, step, edge_order):
    size = x.shape[axis]
    if size < edge_order + 1:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    if not x.is_floating_point():
        x = x.to(torch.get_default_dtype())

    def at(start, length):
        return x.narrow(axis, start, length)

    if isinstance(step, torch.Tensor):
        gaps = step.to(x.dtype).diff().view(-1, *(1,) * (x.dim() - axis - 1))
    else:
        gaps = torch.full((size - 1,), float(step), dtype=x.dtype).view(-1, *(1,) * (x.dim() - axis - 1))
    before, after = gaps[:-1], gaps[1:]
    middle = (
        at(0, size - 2) * (-after / (before * (before + after)))
        + at(1, size - 2) * ((after - before) / (before * after))
        + at(2, size - 2) * (before / (after * (before + after)))
    )
    if not isinstance(step, torch.Tensor):
        middle = (at(2, size - 2) - at(0, size - 2)) / (2 * step)
    if edge_order == 1:
        first, last = (at(1, 1) - at(0, 1)) / gaps[0], (at(size - 1, 1) - at(size - 2, 1)) / gaps[-1]
    else:
        a, b = gaps[0], gaps[1]
        first = (
            at(0, 1) * (-(2 * a + b) / (a * (a + b))) + at(1, 1) * ((a + b) / (a * b)) - at(2, 1) * (a / (b * (a + b)))
        )
        a, b = gaps[-2], gaps[-1]
        last = (
            at(size - 3, 1) * (b / (a * (a + b)))
            - at(size - 2, 1) * ((a + b) / (a * b))
            + at(size - 1, 1) * ((a + 2 * b) / (b * (a + b)))
        )
    return torch.cat([first, middle, last], axis)


# Statistics


def cov(input, *, correction=1, fweights=None, aweights=None):
    """How the variables, one a row, vary together."""
    if input.dim() > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions"
        )
    if input.dtype == torch.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    if not rows.is_floating_point():
        rows = rows.to(torch.get_default_dtype())
    weights = None if fweights is None else fweights.to(rows.dtype)
    if aweights is not None:
        weights = aweights if weights is None else weights * aweights
    count = rows.shape[1] if weights is None else weights.sum()
    mean = rows.mean(1, True) if weights is None else (rows * weights).sum(1, True) / count
    if weights is None or correction == 0:
        norm = count - correction
    elif aweights is None:
        norm = count - correction
    else:
        norm = count - correction * (weights * aweights).sum() / count
    centred = rows - mean
    weighted = centred if weights is None else centred * weights
    norm = norm if isinstance(norm, torch.Tensor) else torch.tensor(float(norm), dtype=rows.dtype)
    found = weighted @ centred.T / norm.clamp(min=0)
    return found if input.dim() == 2 and input.shape[0] > 1 else found.squeeze()


def corrcoef(input):
    """The covariances divided by both standard deviations."""
    if input.dim() > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions"
        )
    found = cov(input)
    if found.dim() == 0:
        return found / found
    spread = found.diagonal().sqrt()
    return (found / spread[:, None] / spread[None, :]).clamp(-1, 1)


def nanmedian(input, dim=None, keepdim=False):
    """The middle one of the elements that are not nan, the lower one of two."""
    from torch.return_types import _make

    if dim is None:
        known = input[~input.isnan()] if input.is_floating_point() else input
        return (known if known.numel() else input).median()
    if not input.is_floating_point():
        values, indices = input.median(dim, keepdim)
        return _make("nanmedian", ("values", "indices"), (values, indices))
    filled = torch.where(input.isnan(), torch.inf, input)
    ordered, places = filled.sort(dim=dim, stable=True)
    counts = (~input.isnan()).sum(dim, keepdim=True)
    middle = ((counts - 1) // 2).clamp(min=0)
    values, indices = ordered.gather(dim, middle), places.gather(dim, middle)
    values = torch.where(counts == 0, torch.nan, values)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return _make("nanmedian", ("values", "indices"), (values, indices))


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The value below which a share q of the elements that are not nan lies."""
    if dim is None:
        known = input[~input.isnan()]
        found = (known if known.numel() else input.flatten()).quantile(q, interpolation=interpolation)
        return found.reshape(*found.shape, *(1,) * input.dim()) if keepdim else found
    rows = input.movedim(dim, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    parts = [nanquantile(row, q, interpolation=interpolation) for row in flat]
    found = torch.stack(parts, -1)
    found = found.reshape(*found.shape[:-1], *rows.shape[:-1])
    lead = found.dim() - (rows.dim() - 1)
    return found.unsqueeze(lead + dim % input.dim()) if keepdim else found


# Places and layouts


def unravel_index(indices, shape):
    """The index along each dimension of elements counted in row-major order."""
    if indices.is_floating_point() or indices.dtype == torch.bool:
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(size < 0 for size in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    places, step = [], 1
    for size in reversed(shape):
        places.append(indices // step % size)
        step *= size
    return tuple(reversed(places))


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor whose dimensions lie in memory in this order."""
    if sorted(physical_layout) != list(_range(len(size))):
        raise RuntimeError("Number of dimensions in size does not match the length of the physical_layout")
    made = torch.empty(
        [size[axis] for axis in physical_layout], dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )
    turned = made.permute([list(physical_layout).index(axis) for axis in _range(len(size))])
    return turned.requires_grad_(requires_grad)


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor with these steps in memory."""
    count = 1 + sum((length - 1) * step for length, step in zip(size, stride)) if 0 not in size else 0
    made = torch.empty(count, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    return made.as_strided(size, stride).requires_grad_(requires_grad)


def narrow_copy(input, dim, start, length):
    return input.narrow(dim, start, length).clone()


def _counted(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """start, start + step, ... up to end, which is included."""
    only_defaults("range", out=out, layout=None if layout is torch.strided else layout)
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    count = int((end - start) / step + 1)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    found = start + torch.arange(count, dtype=torch.float64) * step
    return found.to(dtype).to(device).requires_grad_(requires_grad)


_range = range
globals()["range"] = _counted


# Numbers and matrices


def frexp(input):
    """Mantissa and exponent of each element: mantissa times 2 to the power of exponent."""
    from torch.return_types import _make

    if not input.is_floating_point():
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    wide = input.double().abs()
    finite = (wide > 0) & wide.isfinite()
    exponent = torch.where(finite, torch.where(finite, wide, 1.0).log2().floor() + 1, 0.0)
    mantissa = input.double() / 2.0**exponent
    # The logarithm is rounded: near a power of two it can be one too many or too few.
    high, low = mantissa.abs() >= 1, finite & (mantissa.abs() < 0.5)
    high = high & finite
    exponent = exponent + high.double() - low.double()
    mantissa = torch.where(finite, input.double() / 2.0**exponent, input.double())
    return _make("frexp", ("mantissa", "exponent"), (mantissa.to(input.dtype), exponent.to(torch.int32)))


def vander(x, N=None, increasing=False):
    """The powers of each element, a row each."""
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    powers = torch.arange(count) if increasing else torch.arange(count - 1, -1, -1)
    return x[:, None] ** powers


def qr(input, some=True):
    """Orthonormal columns times an upper triangle."""
    from torch.return_types import _make

    return _make("qr", ("Q", "R"), tuple(linalg.qr(input, "reduced" if some else "complete")))


def cholesky(input, upper=False):
    return linalg.cholesky(input, upper=upper)


def cholesky_solve(B, L, upper=False):
    """x with A x = B, for the Cholesky factor L of A."""
    lower = L.mT if upper else L
    return linalg.solve_triangular(lower.mT, linalg.solve_triangular(lower, B, upper=False), upper=True)


def cholesky_inverse(L, upper=False):
    """The inverse of the matrix whose Cholesky factor L is."""
    return cholesky_solve(torch.eye(L.shape[-1], dtype=L.dtype), L, upper)
