"""Rules of softmax, losses, layer norm and attention."""

import torch
from torch._arguments import reduced
from torch._gradients import rule
from torch._gradients._composed import composed


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


def _count(step, elements):
    return elements if step["reduction"] == "mean" else 1


@rule("binary_cross_entropy_with_logits")
def bce_with_logits(step, grad):
    x, target, positive = step["input"], step["target"], step["pos_weight"]
    if positive is None:
        slope = x.sigmoid() - target
    else:
        heavy = positive * target
        slope = (heavy + 1 - target) * x.sigmoid() - heavy
    return {"input": slope * grad * (1.0 / _count(step, x.numel()))}


@rule("binary_cross_entropy")
def bce(step, grad):
    x, target = step["input"], step["target"]
    slope = (x - target) / ((1 - x) * x).clamp(min=1e-12)
    return {"input": slope * grad * (1.0 / _count(step, x.numel()))}


@composed("nll_loss")
def nll_loss(input, target, weight, reduction, ignore_index, **rest):
    classes = 0 if input.ndim == 1 else 1
    shape = [1] * input.ndim
    shape[classes] = -1
    logs = input if weight is None else input * weight.reshape(shape)
    ignored = target == ignore_index
    index = target.masked_fill(ignored, 0)
    losses = -logs.gather(classes, index.unsqueeze(classes)).squeeze(classes)
    losses = losses.masked_fill(ignored, 0)
    if reduction == "mean":
        share = torch.ones_like(losses) if weight is None else weight[index]
        return losses.sum() / share.masked_fill(ignored, 0).sum().detach()
    return reduced(losses, reduction)


@composed("cross_entropy")
def cross_entropy(input, target, weight, reduction, ignore_index, **rest):
    logs = torch.log_softmax(input, 0 if input.ndim == 1 else 1)
    return torch.nn.functional.nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)


@composed("layer_norm")
def layer_norm(input, normalized_shape, weight, bias, eps, **rest):
    dims = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    centred = input - input.mean(dims, keepdim=True)
    result = centred * (centred.square().mean(dims, keepdim=True) + eps).rsqrt()
    result = result if weight is None else result * weight
    return result if bias is None else result + bias


@composed("scaled_dot_product_attention")
def attention(query, key, value, attn_mask, is_causal, scale, enable_gqa, kept=None, **rest):
    scale = 1 / query.shape[-1] ** 0.5 if scale is None else scale
    if enable_gqa:
        share = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(share, -3) for x in (key, value))
    scores = query @ key.mT * scale
    if is_causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -torch.inf)
    if attn_mask is not None:
        is_bool = attn_mask.dtype == torch.bool
        scores = scores.masked_fill(~attn_mask, -torch.inf) if is_bool else scores + attn_mask
    empty = (scores == -torch.inf).all(-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(empty, 0), -1).masked_fill(empty, 0)
    weights = weights if kept is None else weights * kept
    return weights @ value
