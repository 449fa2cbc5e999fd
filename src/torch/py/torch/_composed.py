"""Operations that are functions of others. Their signatures are the rows of `src/ops/table/composed.rs`.

Each function has the name of its row and takes the arguments of the row by name. The operations that it calls are what is
recorded, explained and differentiated. What PyTorch computes in one pass is computed in float32 where the operands are in
half precision, and rounded once.
"""

import _torch
import torch
from _torch import _cpp_name
from torch._arguments import checked_dim, only_defaults, rounded_once, window_step
from torch._composed_losses import cross_entropy, kl_div, l1_loss, smooth_l1_loss  # noqa: F401
from torch._composed_norms import batch_norm, group_norm  # noqa: F401


def _same_dtype(a, b):
    if a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")


# Activations


@rounded_once
def _gated(input, dim):
    left, right = input.chunk(2, dim)
    return left * right.sigmoid()


def glu(input, dim):
    if not input.dim():
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = checked_dim(dim, input.dim())
    if input.size(dim) % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.size(dim)}")
    return _gated(input, dim)


def gumbel_softmax(logits, tau, hard, dim):
    noise = -torch.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    return torch.zeros_like(logits).scatter_(dim, index, 1.0) - soft.detach() + soft


# Distances and norms


def cosine_similarity(x1, x2, dim, eps):
    dtype = torch.result_type(x1, x2)
    if not dtype.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {_cpp_name(dtype)}")
    a, b = (
        x / x.norm(2, dim, keepdim=True).clamp_min(eps)
        for x in torch.broadcast_tensors(x1.to(dtype), x2.to(dtype))
    )
    return (a * b).sum(dim)


def pairwise_distance(x1, x2, p, eps, keepdim):
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


# The most differences that `cdist` keeps at a time.
_DIFFERENCES = 1 << 24


def cdist(x1, x2, p):
    for name, x in ("X1", x1), ("X2", x2):
        if x.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.dim()}D")
    for name, x in ("X1", x1), ("X2", x2):
        if not x.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {_cpp_name(x.dtype)}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if x1.size(-1) != x2.size(-1):
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}")
    # All differences at once could take far more memory than the result.
    in_a_row = max(x2.numel(), x1.numel() // max(1, x1.size(-2)) * x2.size(-2))
    rows = max(1, _DIFFERENCES // max(1, in_a_row))
    parts = x1.split(rows, -2) if x1.size(-2) > rows else [x1]
    # A result for which there is no room is refused before its parts are made.
    x1.new_empty(*x1.shape[:-1], x2.size(-2))
    parts = [(part.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1) for part in parts]
    result = torch.cat(parts, -2) if len(parts) > 1 else parts[0]
    is_large = p == 2 and max(x1.size(-2), x2.size(-2)) > 25
    _torch._name_node(result, "View" if is_large else "Cdist", 0)
    return result


def linalg_norm(A, ord, dim, keepdim):
    dims = (dim,) if isinstance(dim, int) else dim
    is_matrix = ord is not None and (len(dims) == 2 if dims is not None else A.dim() == 2)
    if is_matrix:
        return linalg_matrix_norm(A, ord, dims or (-2, -1), keepdim)
    return torch.linalg.vector_norm(A, 2 if ord is None else ord, dims, keepdim)


def linalg_matrix_norm(A, ord, dim, keepdim):
    place = "linalg.matrix_norm"
    if A.dim() < 2:
        raise RuntimeError(f"{place}: The input tensor A must have at least 2 dimensions.")
    if not A.dtype.is_floating_point:
        raise RuntimeError(f"{place}: Expected a floating point or complex tensor as input. Got {_cpp_name(A.dtype)}")
    dims = (-2, -1) if dim is None else (dim,) if isinstance(dim, int) else dim
    if len(dims) != 2:
        raise RuntimeError(f"{place}: dim must be a 2-tuple. Got {list(dims)}")
    if ord == "fro":
        return torch.linalg.vector_norm(A, 2, dims, keepdim)
    row, column = (checked_dim(at, A.dim()) for at in dims)
    turned = A.movedim((row, column), (-2, -1))
    if ord == "nuc":
        result = torch.linalg.svdvals(turned).sum(-1)
    elif isinstance(ord, str) or abs(ord) not in (1, 2, float("inf")):
        shown = ord if isinstance(ord, str) or ord != int(ord) else int(ord)
        raise RuntimeError(f"{place}: Order {shown} not supported.")
    else:
        sizes = torch.linalg.svdvals(turned) if abs(ord) == 2 else turned.abs().sum(-2 if abs(ord) == 1 else -1)
        result = sizes.amax(-1) if ord > 0 else sizes.amin(-1)
    for at in sorted((row, column)) if keepdim else ():
        result = result.unsqueeze(at)
    return result


# Products


def outer(input, vec2):
    for name, x in ("self", input), ("vec2", vec2):
        if x.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x.dim()}-D")
    return input.unsqueeze(1) * vec2


def _contracted(a, b, of_a, of_b):
    """Products summed over the dimensions named of both."""
    free_a = [at for at in range(a.dim()) if at not in of_a]
    free_b = [at for at in range(b.dim()) if at not in of_b]
    shape = [a.size(at) for at in free_a] + [b.size(at) for at in free_b]
    width = torch.Size([a.size(at) for at in of_a]).numel()
    rows = a.numel() // width if width else torch.Size(shape[: len(free_a)]).numel()
    columns = b.numel() // width if width else torch.Size(shape[len(free_a) :]).numel()
    left = a.permute(free_a + of_a).reshape(rows, width)
    return left.mm(b.permute(of_b + free_b).reshape(width, columns)).view(shape)


def tensordot(a, b, dims=None, _first=None, _second=None):
    if dims is not None:
        if not 0 <= dims <= min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims >= 0 and dims < ndim_a or ndim_b, but got dims={dims}")
        _first, _second = range(-dims, 0), range(dims)
    first = [_first] if isinstance(_first, int) else list(_first)
    second = [_second] if isinstance(_second, int) else list(_second)
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    _same_dtype(a, b)
    of_a, of_b = [checked_dim(at, a.dim()) for at in first], [checked_dim(at, b.dim()) for at in second]
    for place, (x, y) in enumerate(zip(of_a, of_b)):
        # What meets one element is summed first.
        if a.size(x) == 1 != b.size(y):
            b = b.sum(y, keepdim=True)
        elif b.size(y) == 1 != a.size(x):
            a = a.sum(x, keepdim=True)
        elif a.size(x) != b.size(y):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.size(x)} in dim {first[place]} and second "
                f"has size {b.size(y)} in dim {second[place]}"
            )
    return _contracted(a, b, of_a, of_b)


def trace(input):
    if input.dim() != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.dim()}")
    return input.diagonal().sum()


# Rearranged and joined


def _raised(tensors, ndim, name):
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return [x if x.dim() >= ndim else x.reshape((1,) * (ndim - x.dim()) + tuple(x.shape)) for x in tensors]


def hstack(tensors):
    tensors = _raised(tensors, 1, "hstack")
    return torch.cat(tensors, 0 if tensors[0].dim() == 1 else 1)


def vstack(tensors):
    return torch.cat(_raised(tensors, 2, "vstack"), 0)


def block_diag(tensors):
    for at, x in enumerate(tensors):
        if x.dim() > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {at} has {x.dim()} dimensions"
            )
    if not tensors:
        return torch.zeros(1, 0)
    dtype = tensors[0].dtype
    for x in tensors:
        dtype = torch.promote_types(dtype, x.dtype)
    blocks = [x.to(dtype) for x in _raised(tensors, 2, "block_diag")]
    width, left, rows = sum(x.size(1) for x in blocks), 0, []
    for x in blocks:
        sides = x.new_zeros(x.size(0), left), x, x.new_zeros(x.size(0), width - left - x.size(1))
        rows.append(torch.cat(sides, 1))
        left += x.size(1)
    return torch.cat(rows)


def meshgrid(tensors, indexing):
    if not tensors or any(x.dim() > 1 or x.dtype != tensors[0].dtype for x in tensors):
        raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensors of the same dtype in a non-empty list")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    places = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        places[:2] = 1, 0
    sizes = [tensors[at].numel() for at in places]
    lines = [[-1 if at == place else 1 for at in range(len(tensors))] for place in places]
    return tuple(x.view(line).expand(sizes) for x, line in zip(tensors, lines))


def tile(input, dims):
    return input.repeat((1,) * (input.dim() - len(dims)) + tuple(dims))


def repeat_interleave(repeats, input=None, dim=None):
    if isinstance(repeats, torch.Tensor) and repeats.dtype not in (torch.int64, torch.int32):
        raise RuntimeError(f"\"repeat_interleave_cpu\" not implemented for '{_cpp_name(repeats.dtype)}'")
    if input is None:
        return _places(repeats).to(repeats.dtype)
    if dim is None:
        input, dim = input.flatten(), 0
    if not input.dim():
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = checked_dim(dim, input.dim())
    size = input.size(dim)
    if isinstance(repeats, int):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        shape = list(input.shape)
        shape.insert(dim + 1, repeats)
        return input.unsqueeze(dim + 1).expand(shape).clone(memory_format=torch.contiguous_format).flatten(dim, dim + 1)
    if repeats.dim() > 1 or repeats.numel() not in (1, size):
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats of shape {list(repeats.shape)} and "
            f"input.size({dim}) = {size}"
        )
    return input.index_select(dim, _places(repeats.expand(size)))


def _places(repeats):
    """Each place as often as its number says."""
    if (repeats < 0).any():
        raise RuntimeError("repeats can not be negative")
    ends = repeats.long().cumsum(0)
    return torch.searchsorted(ends, torch.arange(ends[-1] if len(ends) else 0), right=True)


def roll(input, shifts, dims):
    shifts = (shifts,) if isinstance(shifts, int) else shifts
    dims = (dims,) if isinstance(dims, int) else dims
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return roll(input.flatten(), shifts, (0,)).view(input.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not input.dim():
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if not input.numel() and len(dims) == 1:
        return input.clone()
    for shift, dim in zip(shifts, dims):
        size = input.size(checked_dim(dim, input.dim()))
        start = -shift % size if size else 0
        parts = input.narrow(dim, start, size - start), input.narrow(dim, 0, start)
        input = torch.cat(parts, dim)
    return input


def _triangle(row, col, offset, dtype, kept, name):
    if dtype not in (None, torch.int32, torch.int64):
        raise RuntimeError(f"\"{name}\" not implemented for '{_cpp_name(dtype)}'")
    places = kept(torch.ones(row, col, dtype=torch.bool), offset).nonzero().t().contiguous()
    return places if dtype is None else places.to(dtype)


def tril_indices(row, col, offset, dtype):
    return _triangle(row, col, offset, dtype, torch.tril, "tril_indices")


def triu_indices(row, col, offset, dtype):
    return _triangle(row, col, offset, dtype, torch.triu, "triu_indices")


def one_hot(input, num_classes):
    if input.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not input.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    else:
        if input.min() < 0:
            raise RuntimeError("Class values must be non-negative.")
        most = input.max().item() + 1
        if num_classes == -1:
            num_classes = most
        elif num_classes < most:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return torch.zeros(*input.shape, num_classes, dtype=torch.int64).scatter_(-1, input.unsqueeze(-1), 1)


def fill_diagonal_(input, fill_value):
    if input.dim() < 2:
        raise RuntimeError("dimensions must larger than 1")
    if input.dim() > 2 and any(size != input.size(0) for size in input.shape):
        raise RuntimeError("all dimensions of input must be of equal length")
    input[(torch.arange(min(input.shape)),) * input.dim()] = fill_value
    return input


# Means without nan, differences, quantiles


def count_nonzero(input, dim):
    return (input != 0).sum(() if dim is None else dim)


def var_mean(input, dim=None, unbiased=True, keepdim=False, correction=None):
    correction = int(unbiased) if correction is None else correction
    var = input.var(dim, correction=correction, keepdim=keepdim)
    return var, input.mean(() if dim is None else dim, keepdim=keepdim)


def diff(input, n, dim):
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    # Once more than there are elements, nothing is left.
    for _ in range(min(n, input.size(dim))):
        size = input.size(dim) - 1
        upper, lower = input.narrow(dim, 1, size), input.narrow(dim, 0, size)
        input = upper.logical_xor(lower) if input.dtype == torch.bool else upper - lower
    return input


def quantile(input, q, dim, keepdim):
    if input.dtype not in (torch.float32, torch.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    shares = q if isinstance(q, torch.Tensor) else torch.tensor(q, dtype=input.dtype)
    if not input.numel() or shares.dim() > 1 or shares.dtype != input.dtype or not ((shares >= 0) & (shares <= 1)).all():
        raise RuntimeError("quantile() needs elements; q must be in the range [0, 1]: a scalar, or 1D of the input's dtype")
    ordered = (input.flatten() if dim is None else input.movedim(dim, -1) if input.dim() else input.view(1)).sort().values
    last = ordered.size(-1) - 1
    # A nan anywhere is the answer.
    ranks = torch.where(ordered.isnan().any(-1, keepdim=True), last, shares.view(-1) * last)
    below, above = ordered.gather(-1, ranks.long()), ordered.gather(-1, ranks.ceil().long())
    result = below.lerp(above, ranks - ranks.floor())
    result = result.movedim(-1, 0) if shares.dim() else result.squeeze(-1)
    if keepdim:
        axis = None if dim is None else checked_dim(dim, input.dim())
        kept = [1 if axis is None or at == axis else size for at, size in enumerate(input.shape)]
        result = result.reshape((*shares.shape, *kept))
    return result


# Windows


def conv1d(input, weight, bias, stride, padding, dilation, groups):
    from torch.nn._composed import convolved

    return convolved(1, input, weight, bias, stride, padding, dilation, groups).contiguous()


def _one_row(name, pool, input, ceil_mode, *settings, **words):
    """Pooling of sequences: of images of one row."""
    only_defaults(name, ceil_mode=ceil_mode)
    if input.dim() not in (2, 3):
        raise RuntimeError(f"{name}() Expected 2D or 3D input tensor, but got {list(input.shape)}")
    if 0 in input.shape[-2:]:
        *lead, length = input.shape
        place, kind, shape = ("", "3D or 4D", [*lead, 1, length]) if words else (name + ": ", "2D or 3D", [*lead, length])
        raise RuntimeError(
            f"{place}Expected {kind} (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}"
        )

    def flat(setting, one):
        (setting,) = setting if isinstance(setting, (tuple, list)) else (setting,)
        return one, setting

    settings = [flat(setting, one) for setting, one in settings]
    return pool(input.unsqueeze(-2), *settings, **words).squeeze(-2)


def avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad):
    settings = (kernel_size, 1), (window_step(kernel_size, stride), 1), (padding, 0)
    pool = torch.nn.functional.avg_pool2d
    return _one_row("avg_pool1d", pool, input, ceil_mode, *settings, count_include_pad=count_include_pad)


def max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode):
    stride = window_step(kernel_size, stride)
    settings = (kernel_size, 1), (stride, 1), (padding, 0), (dilation, 1)
    return _one_row("max_pool1d", torch.nn.functional.max_pool2d, input, ceil_mode, *settings)


def scatter_reduce(input, dim, index, src, reduce, include_self=True):
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce not in ("sum", "mean", "amax", "amin"):
        if reduce == "prod":
            raise NotImplementedError('attn does not have scatter_reduce(reduce="prod")')
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    src = src[tuple(map(slice, index.shape))]
    if reduce in ("sum", "mean"):
        start = input if include_self else input.scatter(dim, index, 0)
        total = start.scatter_add(dim, index, src)
        if reduce == "sum":
            return total
        counts = torch.full_like(input, include_self).scatter_add(dim, index, torch.ones_like(src)).clamp(min=1)
        return total / counts if total.is_floating_point() else total // counts
    with torch.no_grad():
        # The last of those that are written into one place stays.
        order = src.argsort(dim=dim, descending=reduce == "amin")
        top = input.scatter(dim, index.gather(dim, order), src.gather(dim, order))
        if include_self:
            top = torch.maximum(input, top) if reduce == "amax" else torch.minimum(input, top)
        if not (input.requires_grad or src.requires_grad):
            return top
        is_input, is_src = input == top, src == top.gather(dim, index)
        count = is_input.to(top.dtype).scatter_add(dim, index, is_src.to(top.dtype))
    # Its gradient is shared by those that are the largest; its value is 0.
    share = torch.zeros_like(top).scatter_add(dim, index, torch.where(is_src, src, 0) / count.gather(dim, index))
    if input.requires_grad:
        own = torch.where(is_input, input, 0) / count
        share = share + (own if include_self else own.scatter(dim, index, 0))
    return top + (share - share.detach())
