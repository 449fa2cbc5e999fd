import math

import torch
import torch.nn.functional as F


def long(*values):
    return torch.tensor(values)


def written(function):
    """A write into a copy of the first operand, so that leaves stay as they are."""

    def run(x, *rest):
        copy = x.clone()
        function(copy, *rest)
        return copy

    return run


def assigned(index):
    def run(x, y):
        copy = x * 1
        copy[index] = y[index] * 2
        return copy

    return run


def through_view(x, y):
    copy = x * 1
    copy.transpose(0, 1)[1:].mul_(y.transpose(0, 1)[1:])
    return copy


M = torch.tensor([[True, False, True, True], [False, False, True, False], [True, True, False, True]])

# For each operation calls of it on two tensors of shape (3, 4) with elements around 1. Operations that are not here are
# called on one tensor.
EXAMPLES = {
    "add": [lambda x, y: x + y, lambda x, y: torch.add(x, y, alpha=3), lambda x, y: x + 2, lambda x, y: x + y[0]],
    "sub": [lambda x, y: x - y, lambda x, y: torch.sub(x, y, alpha=2), lambda x, y: 1 - y, lambda x, y: x - y[:, :1]],
    "rsub": [lambda x, y: torch.rsub(x, y), lambda x, y: torch.rsub(x, y, alpha=2)],
    "mul": [lambda x, y: x * y, lambda x, y: x * 3, lambda x, y: x[:1] * y, lambda x, y: x.sum() * y, lambda x, y: x * x],
    "div": [lambda x, y: x / y, lambda x, y: 2 / y, lambda x, y: x / 3, lambda x, y: torch.div(x, y, rounding_mode="floor")],
    "pow": [lambda x, y: x**2, lambda x, y: x**3, lambda x, y: x**0.5, lambda x, y: x**-1.5, lambda x, y: x.abs() ** y]
    + [lambda x, y: 2**y, lambda x, y: x**0],
    "clamp": [lambda x, y: x.clamp(0.7, 1.2), lambda x, y: x.clamp(min=1.0), lambda x, y: torch.clamp(x, max=M + 0.3)],
    "clamp_min": [lambda x, y: x.clamp_min(1.0)],
    "clamp_max": [lambda x, y: x.clamp_max(1.0)],
    "maximum": [lambda x, y: torch.maximum(x, y), lambda x, y: torch.maximum(x.round(), y.round())],
    "minimum": [lambda x, y: torch.minimum(x, y)],
    "where": [lambda x, y: torch.where(x > 1, x, y), lambda x, y: torch.where(x > 1, x, 0.5), lambda x, y: x.where(y > 1, y)],
    "masked_fill": [lambda x, y: x.masked_fill(M, 0.5), lambda x, y: x.masked_fill(M[0], y.sum())],
    "dropout": [lambda x, y: F.dropout(x, 0.0), lambda x, y: drawn(lambda: F.dropout(x, 0.5))],
    "max": [lambda x, y: x.max(), lambda x, y: x.max(1).values, lambda x, y: torch.max(x, y), lambda x, y: x.max(0, True)[0]],
    "min": [lambda x, y: x.min(), lambda x, y: x.min(-1).values, lambda x, y: torch.min(x, y)],
    "amax": [lambda x, y: x.amax(), lambda x, y: x.amax(1), lambda x, y: x.amax((0, 1), keepdim=True)],
    "amin": [lambda x, y: x.amin(0)],
    "sum": [lambda x, y: x.sum(), lambda x, y: x.sum(0), lambda x, y: x.sum((0, -1), keepdim=True)],
    "mean": [lambda x, y: x.mean(), lambda x, y: x.mean(-1), lambda x, y: x.mean(0, keepdim=True)],
    "var": [lambda x, y: x.var(), lambda x, y: x.var(1), lambda x, y: x.var(0, unbiased=False, keepdim=True)],
    "std": [lambda x, y: x.std(), lambda x, y: x.std(1, correction=0)],
    "matmul": [lambda x, y: x @ y.mT, lambda x, y: x.mT @ y, lambda x, y: x @ y[0], lambda x, y: x[:, 0] @ y]
    + [lambda x, y: x[0] @ y[0], lambda x, y: torch.stack([x, y]) @ torch.stack([y.mT])],
    "mm": [lambda x, y: torch.mm(x, y.t()), lambda x, y: torch.mm(x.t(), y)],
    "mv": [lambda x, y: torch.mv(x, y[1])],
    "dot": [lambda x, y: torch.dot(x[0], y[0])],
    "bmm": [lambda x, y: torch.bmm(torch.stack([x, y]), torch.stack([y.t(), x.t()]))],
    "linear": [lambda x, y: F.linear(x, y), lambda x, y: F.linear(x, y, y[:, 0]), lambda x, y: F.linear(x[0], y, x[:, 1])]
    + [lambda x, y: F.linear(torch.stack([x, x * 2]), y, y[:, 1])],
    "addmm": [lambda x, y: torch.addmm(x[0], x, y.t() @ y), lambda x, y: torch.addmm(x[:, :3], x, y.t(), beta=2, alpha=3)],
    "baddbmm": [lambda x, y: torch.baddbmm(x[:, :3], torch.stack([x, y]), torch.stack([y.t(), x.t()]), alpha=2)],
    "view": [lambda x, y: x.contiguous().view(2, 6)],
    "view_as": [lambda x, y: x.contiguous().view_as(torch.zeros(12))],
    "reshape": [lambda x, y: x.reshape(2, -1)],
    "reshape_as": [lambda x, y: x.reshape_as(torch.zeros(6, 2))],
    "unflatten": [lambda x, y: x.unflatten(1, (2, 2))],
    "squeeze": [lambda x, y: x[:1].squeeze(0), lambda x, y: x[:, :1].squeeze()],
    "unsqueeze": [lambda x, y: x.unsqueeze(1), lambda x, y: written(lambda c: c.unsqueeze_(0))(x)],
    "expand": [lambda x, y: x[:1].expand(5, 4), lambda x, y: x.expand(2, -1, -1)],
    "expand_as": [lambda x, y: x[:1].expand_as(y)],
    "broadcast_to": [lambda x, y: x[:, :1].broadcast_to(3, 4)],
    "to": [lambda x, y: x.to(torch.float32) * y.float(), lambda x, y: x.to(torch.float64)],
    "transpose": [lambda x, y: x.transpose(0, 1), lambda x, y: x.transpose(-1, -2)],
    "swapaxes": [lambda x, y: x.swapaxes(0, 1)],
    "permute": [lambda x, y: x.permute(1, 0), lambda x, y: torch.stack([x, y]).permute(2, 0, -2)],
    "cat": [lambda x, y: torch.cat([x, y]), lambda x, y: torch.cat([x, y, x], -1), lambda x, y: torch.cat([torch.zeros(0), x])],
    "stack": [lambda x, y: torch.stack([x, y]), lambda x, y: torch.stack([x, x, y], -1)],
    "hstack": [lambda x, y: torch.hstack([x, y]), lambda x, y: torch.hstack([x[0], y[1]])],
    "split": [lambda x, y: x.split(2, 1)[1], lambda x, y: torch.cat(x.split(1)[::-1]), lambda x, y: x.split([1, 2])[1]],
    "split_with_sizes": [lambda x, y: x.split_with_sizes([1, 3], 1)[1]],
    "chunk": [lambda x, y: x.chunk(2, -1)[1], lambda x, y: x.chunk(2)[1], lambda x, y: torch.cat(x.chunk(3), 1)],
    "unbind": [lambda x, y: x.unbind()[1], lambda x, y: torch.cat(x.unbind(1))],
    "select": [lambda x, y: x.select(1, -1), lambda x, y: x.select(0, 1)],
    "narrow": [lambda x, y: x.narrow(1, -3, 2), lambda x, y: x.narrow(0, 1, 2)],
    "getitem": [lambda x, y: x[1], lambda x, y: x[:, 1::2], lambda x, y: x[..., None, -1], lambda x, y: x[M]]
    + [lambda x, y: x[long(0, 2, 0)], lambda x, y: x[long(0, 1), long(3, 3)], lambda x, y: x[:, long(1, 1, 2)][None]],
    "setitem": [assigned((slice(1), slice(None))), assigned((slice(None), 2)), assigned(long(0, 2)), assigned(M)],
    "copy_slices": [through_view, lambda x, y: written(lambda c: c[1].mul_(y[1]))(x)],
    "gather": [lambda x, y: x.gather(1, torch.tensor([[0, 0], [3, 1], [2, 2]])), lambda x, y: x.gather(0, long(1, 0).view(1, 2))],
    "index_select": [lambda x, y: x.index_select(1, long(3, 0, 3)), lambda x, y: x.index_select(0, long(1))],
    "einsum": [lambda x, y: torch.einsum("ij,kj->ik", x, y), lambda x, y: torch.einsum("ij,ij", x, y)]
    + [lambda x, y: torch.einsum("ij->j", x), lambda x, y: torch.einsum("ii->i", x @ y.t())]
    + [lambda x, y: torch.einsum("...i,ki", x, y), lambda x, y: torch.einsum("bij,...k->b...k", torch.stack([x, y]), y)],
    "tril": [lambda x, y: x.tril(), lambda x, y: x.tril(-1)],
    "triu": [lambda x, y: x.triu(), lambda x, y: x.triu(1)],
    "fill": [lambda x, y: written(lambda c: c.fill_(2.0))(x * 1) + x],
    "zero_": [lambda x, y: written(lambda c: c.zero_())(x * 1) + x],
    "copy": [lambda x, y: written(lambda c: c.copy_(y))(x * 1), lambda x, y: written(lambda c: c.copy_(y[0]))(x * 1)],
    "type_as": [lambda x, y: x.type_as(torch.zeros(1, dtype=torch.float64))],
}
for cast in "float", "double", "half", "bfloat16":
    EXAMPLES[cast] = [lambda x, y, cast=cast: getattr(x, cast)()]
HALVES = torch.tensor([[0.5, 0.25, 0.25, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
attend = F.scaled_dot_product_attention
# What the kernel computes in one pass, in PyTorch's order of rounding: the same as composed operations but for last bits.
FUSED = {
    "sigmoid": [lambda x, y: x.sigmoid()],
    "tanh": [lambda x, y: x.tanh()],
    "silu": [lambda x, y: F.silu(x)],
    "softplus": [lambda x, y: F.softplus(x), lambda x, y: F.softplus(x, 2.0, 2.0)],
    "elu": [lambda x, y: F.elu(x - 1), lambda x, y: F.elu(x - 1, 0.5)],
    "gelu": [lambda x, y: F.gelu(x), lambda x, y: F.gelu(x, approximate="tanh")],
    "softmax": [lambda x, y: x.softmax(-1), lambda x, y: torch.softmax(x * y, 0)],
    "log_softmax": [lambda x, y: x.log_softmax(-1), lambda x, y: F.log_softmax(x * y, 0)],
    "layer_norm": [lambda x, y: F.layer_norm(x, (4,)), lambda x, y: F.layer_norm(x, (3, 4))]
    + [lambda x, y: F.layer_norm(x, (4,), y[0], y[1])],
    "rms_norm": [lambda x, y: F.rms_norm(x, (4,)), lambda x, y: F.rms_norm(x, (4,), y[0])],
    "cross_entropy": [lambda x, y: F.cross_entropy(x, long(0, 3, 1)), lambda x, y: F.cross_entropy(x, HALVES.to(x))]
    + [lambda x, y: F.cross_entropy(x, long(0, 3, 1), label_smoothing=0.1, reduction="sum")]
    + [lambda x, y: F.cross_entropy(x, long(0, 3, 1), weight=HALVES[0].to(x) + 1, ignore_index=3)],
    "nll_loss": [lambda x, y: F.nll_loss(x.log(), long(0, 3, 1)), lambda x, y: F.nll_loss(x, long(0, 3, 1), reduction="none")],
    "mse_loss": [lambda x, y: F.mse_loss(x, y), lambda x, y: F.mse_loss(x, y, reduction="none")],
    "l1_loss": [lambda x, y: F.l1_loss(x, y), lambda x, y: F.l1_loss(x, y, reduction="sum")],
    "binary_cross_entropy_with_logits": [
        lambda x, y: F.binary_cross_entropy_with_logits(x, HALVES.to(x)),
        lambda x, y: F.binary_cross_entropy_with_logits(x, HALVES.to(x), pos_weight=torch.arange(1.0, 5.0).to(x)),
    ],
    "embedding": [lambda x, y: F.embedding(long(0, 2, 2), x), lambda x, y: F.embedding(long(0, 2, 0), x, padding_idx=1)],
    "scaled_dot_product_attention": [lambda x, y: attend(x[None], y[None], x[None] * 2)]
    + [lambda x, y: attend(x[None], y[None], y[None], is_causal=True)]
    + [lambda x, y: attend(x[None], y[None], y[None], attn_mask=torch.ones(3, 3).tril() > 0, scale=0.3)],
}
# What has a kink where elements are equal has no slope there.
KINKS = "max min amax amin maximum minimum"
# The rest of what is called on one tensor, or with its layer's arguments, is found by name.
LAYOUTS = {
    "row-major": lambda x: x.clone(),
    "transposed": lambda x: x.t().contiguous().t(),
    "part": lambda x: torch.cat([x, x], 1)[:, 1:5],
    "expanded": lambda x: x[:1].expand(3, 4),
}


def drawn(function):
    torch.manual_seed(5)
    return function()


def calls(name):
    if name in EXAMPLES or name in FUSED:
        return EXAMPLES.get(name) or FUSED[name]
    if hasattr(torch.Tensor, name) and not callable(getattr(torch.zeros(1, 1), name)):
        return [lambda x, y: getattr(x, name)]
    for home in (torch, F, torch.Tensor):
        if hasattr(home, name):
            return [lambda x, y: getattr(home, name)(x)]
    return None


def gradients(call, x, y, weights, recorded):
    x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
    out = call(x, y)
    found = torch.autograd.grad(out, (x, y), weights.expand_as(out), allow_unused=True, create_graph=recorded)
    return [grad if grad is None else grad.detach() for grad in found]


def same(a, b, fused):
    if a is None or b is None:
        return a is b
    if fused:
        near = 8 * torch.finfo(a.dtype).eps * b.abs().max().clamp(min=1)
        return a.dtype == b.dtype and a.shape == b.shape and bool(((a - b).abs() <= near).all())
    return a.dtype == b.dtype and a.shape == b.shape and bool(((a == b) | (a.isnan() & b.isnan())).all())


def check(name):
    found = calls(name)
    if found is None:
        print(f"{name}: no example in tests/library/backward.py")
        return
    for at, call in enumerate(found):
        for layout, laid in LAYOUTS.items():
            for dtype in (torch.float32, torch.float64, torch.bfloat16):
                try:
                    smooth = layout != "expanded" or name not in KINKS.split()
                    problem = compared(call, laid, dtype, smooth, name in FUSED)
                except Exception as error:
                    problem = f"{type(error).__name__}: {error}"
                if problem:
                    print(f"{name} {at} {layout} {dtype}: {problem}")


def compared(call, laid, dtype, smooth, fused):
    torch.manual_seed(1)
    x, y = (laid(torch.rand(3, 4, dtype=torch.float64) + 0.5).to(dtype) for _ in range(2))
    x, y = laid(x), laid(y)
    try:
        out = call(x, y)
    except RuntimeError as error:
        return None if dtype == torch.bfloat16 else f"{error}"
    if not out.is_floating_point():
        return None
    weights = torch.randn(out.shape, dtype=torch.float64).to(out.dtype)
    ours, twins = (gradients(call, x, y, weights, recorded) for recorded in (False, True))
    if fused and dtype == torch.bfloat16:
        # Composed operations round each step: the kernel, which rounds once, is compared with float32.
        found = gradients(call, x.float(), y.float(), weights.float(), True)
        twins = [grad if grad is None else grad.to(dtype) for grad in found]
    for which, a, b in zip("xy", ours, twins):
        if not same(a, b, fused):
            return f"the gradient of {which} is {a}, recorded {b}"
    if smooth and dtype == torch.float64 and out.dtype == torch.float64:
        return sloped(call, x.clone(), y.clone(), weights, ours)
    return None


def sloped(call, x, y, weights, grads):
    step = 1e-6
    dx, dy = torch.randn_like(x), torch.randn_like(y)
    up = (call(x + step * dx, y + step * dy) * weights).sum()
    down = (call(x - step * dx, y - step * dy) * weights).sum()
    difference = ((up - down) / (2 * step)).item()
    slope = sum((grad.double() * d).sum().item() for grad, d in zip(grads, (dx, dy)) if grad is not None)
    if not math.isclose(difference, slope, rel_tol=1e-5, abs_tol=1e-6):
        return f"central differences find {difference}, the gradients {slope}"
    return None
