"""Rules of operations that simpler operations express: those are differentiated."""

import math

import torch
from torch._gradients import rule


def composed(*names):
    """Registers a rule for these operations. The function below computes the same result from operations that have rules;
    it takes the arguments by name."""

    def register(function):
        @rule(*names)
        def back(step, grads):
            return through(step, grads, lambda given: function(**given))

        return function

    return register


def through(step, grads, function):
    """The gradients of the arguments through a function of them that computes the same result."""
    create = torch.is_grad_enabled()
    given, wanted = {}, {}
    with torch.enable_grad():
        for name in step.arguments:
            value = step[name]
            if isinstance(value, torch.Tensor) and step.wants(name):
                # Cut off from its history: the engine continues from here, not this rule.
                value = value.view_as(value) if create else value.detach().requires_grad_()
                wanted[name] = value
            given[name] = value
        result = function(given)
        results = list(result) if isinstance(result, tuple) else [result]
        grads = grads if isinstance(grads, list) else [grads]
        pairs = [(out, grad) for out, grad in zip(results, grads) if grad is not None and out.requires_grad]
        if not pairs:
            return {}
        outs, seeds = zip(*pairs)
        found = torch.autograd.grad(
            outs, list(wanted.values()), seeds, create_graph=create, allow_unused=True
        )
    return dict(zip(wanted, found))


def _reduced(losses, reduction):
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


@composed("elu")
def elu(input, alpha, **rest):
    return torch.where(input > 0, input, alpha * input.clamp(max=0).expm1())


@composed("softplus")
def softplus(input, beta, threshold):
    return torch.where(input * beta > threshold, input, (input.clamp(max=threshold / beta) * beta).exp().log1p() / beta)


@composed("mish")
def mish(input, **rest):
    return input * torch.where(input > 20, input, input.clamp(max=20).exp().log1p()).tanh()


@composed("hardswish")
def hardswish(input, **rest):
    inside = input * (input / 6 + 0.5)
    return torch.where(input < -3, 0.0, torch.where(input <= 3, inside, input))


@composed("glu")
def glu(input, dim):
    left, right = input.chunk(2, dim)
    return left * right.sigmoid()


@composed("logaddexp")
def logaddexp(input, other):
    return torch.stack(torch.broadcast_tensors(input, other)).logsumexp(0)


@composed("nan_to_num")
def nan_to_num(input, **rest):
    return torch.where(input.isfinite(), input, 0.0)


@composed("cumprod")
def cumprod(input, dim, **rest):
    parts = input.unbind(dim)
    products = [parts[0]]
    for part in parts[1:]:
        products.append(products[-1] * part)
    return torch.stack(products, dim)


@composed("diff")
def diff(input, n, dim, **rest):
    for _ in range(n):
        size = input.shape[dim]
        input = input.narrow(dim, 1, size - 1) - input.narrow(dim, 0, size - 1)
    return input


@composed("cdist")
def cdist(x1, x2, p, **rest):
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, dim=-1)


@composed("var_mean")
def var_mean(input, **rest):
    given = {name: value for name, value in rest.items() if value is not None and name != "out"}
    return input.var(**given), input.mean(given.get("dim"), keepdim=given.get("keepdim", False))


@composed("nanmean")
def nanmean(input, dim=None, keepdim=False, **rest):
    known = ~input.isnan()
    dims = tuple(range(input.ndim)) if dim is None else dim
    return input.nansum(dims, keepdim=keepdim) / known.sum(dims, keepdim=keepdim)


@composed("quantile")
def quantile(input, q, dim, keepdim, interpolation="linear", **rest):
    ordered = (input.flatten() if dim is None else input.movedim(dim, -1)).sort(-1).values
    at = torch.as_tensor(q, dtype=input.dtype) * (ordered.shape[-1] - 1)
    low = at.floor().long()
    part = (at - low).to(input.dtype)
    # The other ways of interpolating take one of the two, or their middle.
    if interpolation == "lower":
        part = torch.zeros_like(part)
    elif interpolation == "higher":
        part = torch.ceil(part)
    elif interpolation == "midpoint":
        part = torch.ceil(part) / 2
    elif interpolation == "nearest":
        part = at.round() - low
    below, above = ordered[..., low], ordered[..., (low + 1).clamp(max=ordered.shape[-1] - 1)]
    result = below + (above - below) * part
    if at.ndim and dim is not None:
        result = result.movedim(-1, 0)
    return result.unsqueeze(dim) if keepdim and dim is not None else result


@composed("tensordot")
def tensordot(a, b, dims=None, _first=None, _second=None, **rest):
    if _first is None:
        _first, _second = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    first = [at % a.ndim for at in ([_first] if isinstance(_first, int) else _first)]
    second = [at % b.ndim for at in ([_second] if isinstance(_second, int) else _second)]
    kept_a = [at for at in range(a.ndim) if at not in first]
    kept_b = [at for at in range(b.ndim) if at not in second]
    shape = [a.shape[at] for at in kept_a] + [b.shape[at] for at in kept_b]
    inner = math.prod(a.shape[at] for at in first)
    left = a.permute(kept_a + first).reshape(-1, inner)
    return (left @ b.permute(second + kept_b).reshape(inner, -1)).reshape(shape)


@composed("matrix_power")
def matrix_power(input, n, **rest):
    product = input
    for _ in range(n - 1):
        product = product @ input
    return product if n else input * 0 + torch.eye(input.shape[-1])


@composed("rms_norm")
def rms_norm(input, normalized_shape, weight, eps):
    dims = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    result = input * (input.pow(2).mean(dims, keepdim=True) + eps).rsqrt()
    return result if weight is None else result * weight


@composed("normalize")
def normalize(input, p, dim, eps, **rest):
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps)


@composed("cosine_similarity")
def cosine_similarity(x1, x2, dim, eps):
    a = x1 / x1.norm(2, dim, keepdim=True).clamp_min(eps)
    b = x2 / x2.norm(2, dim, keepdim=True).clamp_min(eps)
    return (a * b).sum(dim)


@composed("pairwise_distance")
def pairwise_distance(x1, x2, p, eps, keepdim):
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


@composed("batch_norm")
def batch_norm(input, running_mean, running_var, weight, bias, training, eps, **rest):
    dims = [at for at in range(input.ndim) if at != 1]
    shape = [1, -1] + [1] * (input.ndim - 2)
    if training or running_mean is None:
        mean, var = input.mean(dims), input.var(dims, unbiased=False)
    else:
        mean, var = running_mean, running_var
    result = (input - mean.view(shape)) * (var.view(shape) + eps).rsqrt()
    result = result if weight is None else result * weight.view(shape)
    return result if bias is None else result + bias.view(shape)


@composed("group_norm")
def group_norm(input, num_groups, weight, bias, eps):
    rows = input.reshape(input.shape[0], num_groups, -1)
    centred = rows - rows.mean(-1, keepdim=True)
    result = (centred * (centred.square().mean(-1, keepdim=True) + eps).rsqrt()).reshape(input.shape)
    shape = [1, -1] + [1] * (input.ndim - 2)
    result = result if weight is None else result * weight.view(shape)
    return result if bias is None else result + bias.view(shape)


@composed("smooth_l1_loss")
def smooth_l1_loss(input, target, reduction, beta, **rest):
    far = (input - target).abs()
    near = 0.5 * far * far / beta if beta else far
    return _reduced(torch.where(far < beta, near, far - 0.5 * beta), reduction)


@composed("huber_loss")
def huber_loss(input, target, reduction, delta, weight=None, **rest):
    far = (input - target).abs()
    losses = torch.where(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta))
    return _reduced(losses if weight is None else losses * weight, reduction)


@composed("kl_div")
def kl_div(input, target, reduction, log_target, **rest):
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = torch.where(target > 0, target * target.clamp_min(1e-38).log(), 0.0) - target * input
    return losses.sum() / input.shape[0] if reduction == "batchmean" else _reduced(losses, reduction)


@composed("conv1d")
def conv1d(input, weight, bias, stride, padding, dilation, groups):
    one = lambda value: value[0] if isinstance(value, (tuple, list)) else value  # noqa: E731
    stride, dilation, width = one(stride), one(dilation), weight.shape[-1]
    reach = dilation * (width - 1)
    before, after = (reach // 2, reach - reach // 2) if padding == "same" else (0, 0)
    if not isinstance(padding, str):
        before = after = one(padding)
    batched = input if input.ndim == 3 else input.unsqueeze(0)
    windows = torch.nn.functional.pad(batched, (before, after)).unfold(2, reach + 1, stride)[..., ::dilation]
    windows = windows.unflatten(1, (groups, -1))
    result = torch.einsum("bgclk,gock->bgol", windows, weight.unflatten(0, (groups, -1))).flatten(1, 2)
    result = result if bias is None else result + bias.view(1, -1, 1)
    return result if input.ndim == 3 else result.squeeze(0)


def _flat(size, least):
    """A size along one dimension as that of two, the first of which is left alone."""
    size = size[0] if isinstance(size, (tuple, list)) and size else size
    return (least, size) if isinstance(size, int) else None


@composed("avg_pool1d")
def avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad):
    if ceil_mode:
        raise NotImplementedError("avg_pool1d: attn does not know its gradient with ceil_mode")
    windows = _flat(kernel_size, 1), _flat(stride, 1), _flat(padding, 0)
    pool = torch.nn.functional.avg_pool2d
    return pool(input.unsqueeze(-2), *windows, count_include_pad=count_include_pad).squeeze(-2)


@composed("max_pool1d")
def max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode):
    if ceil_mode:
        raise NotImplementedError("max_pool1d: attn does not know its gradient with ceil_mode")
    windows = _flat(kernel_size, 1), _flat(stride, 1), _flat(padding, 0), _flat(dilation, 1)
    return torch.nn.functional.max_pool2d(input.unsqueeze(-2), *windows).squeeze(-2)
