"""Rules of softmax, layer norm, losses and attention."""

import math

import torch
from torch._gradients import rule
from torch._gradients._composed import through


@rule("softmax")
def softmax(step, grad):
    dim = step["dim"]
    weights = step.result(lambda: torch.softmax(step["input"], dim)).to(grad.dtype)
    return {"input": (grad - (grad * weights).sum(dim, keepdim=True)) * weights}


@rule("log_softmax")
def log_softmax(step, grad):
    dim = step["dim"]
    weights = step.result(lambda: torch.log_softmax(step["input"], dim)).exp().to(grad.dtype)
    return {"input": grad - weights * grad.sum(dim, keepdim=True)}


@rule("layer_norm")
def layer_norm(step, grad):
    x, weight = step["input"], step["weight"]
    dims = tuple(range(x.ndim - len(step["normalized_shape"]), x.ndim))
    count = math.prod(step["normalized_shape"])
    mean = x.mean(dims, keepdim=True)
    scale = ((x - mean).square().mean(dims, keepdim=True) + step.get("eps", 1e-5)).rsqrt()
    step["bias"]  # PyTorch saves it too.
    grads = {"bias": grad}
    if step.wants("weight"):
        grads["weight"] = grad * (scale * x - scale * mean)
    inner = grad if weight is None else grad * weight
    along, all = (inner * x).sum(dims, keepdim=True), inner.sum(dims, keepdim=True)
    of_x = (all * mean - along) * scale * scale * scale / count
    rest = -of_x * mean - all * scale / count
    grads["input"] = scale * inner + of_x * x + rest
    return grads


@rule("cross_entropy")
def cross_entropy(step, grad):
    reduction = step.get("reduction", "mean")
    return through(step, grad, lambda given: _cross_entropy(step, given["input"], given["target"], reduction))


def _cross_entropy(step, x, target, reduction):
    """The loss in operations whose rules are known."""
    classes = 0 if x.ndim == 1 else 1
    logs = torch.log_softmax(x, classes)
    weight = step["weight"]
    shape = [1] * x.ndim
    shape[classes] = -1
    scaled = logs if weight is None else logs * weight.reshape(shape)
    ignored = target == step.get("ignore_index", -100)
    index = target.masked_fill(ignored, 0)
    losses = -scaled.gather(classes, index.unsqueeze(classes)).squeeze(classes)
    losses = losses.masked_fill(ignored, 0)
    share = torch.ones_like(losses) if weight is None else weight[index]
    share = share.masked_fill(ignored, 0).detach()
    total = share.sum()
    if reduction == "mean":
        return losses.sum() / total
    return losses.sum() if reduction == "sum" else losses


def _scale(step, elements):
    return 1.0 / elements if step.get("reduction", "mean") == "mean" else 1.0


@rule("nll_loss")
def nll_loss(step, grad):
    x, target = step["input"], step["target"]
    classes = 0 if x.ndim == 1 else 1
    ignored = target == step.get("ignore_index", -100)
    index = target.masked_fill(ignored, 0)
    weight = step["weight"]
    share = torch.ones(target.shape, dtype=x.dtype) if weight is None else weight[index]
    share = share.masked_fill(ignored, 0)
    reduction = step.get("reduction", "mean")
    each = grad / share.sum() if reduction == "mean" else grad
    rows = (-share * each).unsqueeze(classes)
    return {"input": torch.zeros_like(x).scatter(classes, index.unsqueeze(classes), rows)}


@rule("mse_loss")
def mse_loss(step, grad):
    far = step["input"] - step["target"]
    slope = 2.0 * _scale(step, far.numel()) * far * grad
    return {"input": slope, "target": -slope}


@rule("binary_cross_entropy_with_logits")
def bce_with_logits(step, grad):
    x, target = step["input"], step["target"]
    weight, positive = step["weight"], step["pos_weight"]
    if positive is None:
        slope = x.sigmoid() - target
    else:
        heavy = positive * target
        slope = (heavy + 1 - target) * x.sigmoid() - heavy
    slope = slope if weight is None else slope * weight
    return {"input": slope * grad * _scale(step, x.numel())}


@rule("binary_cross_entropy")
def bce(step, grad):
    x, target, weight = step["input"], step["target"], step["weight"]
    slope = (x - target) / ((1 - x) * x).clamp(min=1e-12)
    slope = slope if weight is None else slope * weight
    return {"input": slope * grad * _scale(step, x.numel())}


@rule("scaled_dot_product_attention")
def attention(step, grad):
    query, key, value = step["query"], step["key"], step["value"]
    scale = step.get("scale", 1 / query.shape[-1] ** 0.5)
    if step.get("enable_gqa"):
        share = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(share, -3) for x in (key, value))
    scores = query @ key.mT * scale
    mask = step["attn_mask"]
    if step.get("is_causal"):
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -torch.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    weights = torch.softmax(scores, -1)
    weights = weights.masked_fill((scores == -torch.inf).all(-1, keepdim=True), 0)
    noise = step["kept"]
    dropped = weights if noise is None else weights * noise
    of_weights = grad @ value.mT
    of_weights = of_weights if noise is None else of_weights * noise
    # A row's sum of weights times their gradients is the result times its own.
    total = (grad * (dropped @ value)).sum(-1, keepdim=True)
    of_scores = weights * (of_weights - total)
    scaled = of_scores * scale
    grads = {"query": scaled @ key, "key": scaled.mT @ query, "value": dropped.mT @ grad}
    if mask is not None and step.wants("attn_mask"):
        grads["attn_mask"] = of_scores
    if step.get("enable_gqa"):
        for name in ("key", "value"):
            shape = step.shape_of(name)
            grads[name] = grads[name].reshape(*shape[:-2], share, *shape[-2:]).sum(-3)
    return grads
