"""Rules of what brings many numbers to few: sums, means, extremes, norms."""

import math

import torch
from torch._gradients import expressed, rule


def _dims(step, ndim):
    dim = step.arguments.get("dim")
    if dim is None or dim == ():
        return tuple(range(ndim))
    return tuple(at % ndim if ndim else 0 for at in ((dim,) if isinstance(dim, int) else dim))


def spread(step, grad):
    """The gradient of a reduction, repeated along the dimensions that were reduced."""
    shape = step.shape_of(next(iter(step.arguments)))
    if not len(shape):
        return grad.reshape(shape)
    if not step.arguments.get("keepdim"):
        for at in sorted(_dims(step, len(shape))):
            grad = grad.unsqueeze(at) if grad.ndim < len(shape) else grad
    return grad.expand(shape)


@rule("std")
def std(step, grad):
    x = step["input"]
    dims = _dims(step, x.ndim)
    deviation = x.std(dims, correction=_correction(step), keepdim=True)
    of_variance = (spread(step, grad) / (deviation * 2)).masked_fill(deviation == 0, 0)
    free = max(0, (math.prod(x.shape[at] for at in dims) if x.ndim else 1) - _correction(step))
    return {"input": (2.0 / free if free else torch.nan) * of_variance * (x - x.mean(dims, keepdim=True))}


def _correction(step):
    if step.arguments.get("unbiased") is not None:
        return int(step.arguments["unbiased"])
    correction = step.arguments.get("correction")
    return 1 if correction is None else correction


@rule("max", larger=True)
@rule("min", larger=False)
def extreme(step, grad, larger):
    if isinstance(step.arguments.get("other"), torch.Tensor):
        from torch._gradients._pointwise import extreme as pairwise

        return pairwise(step, grad, larger)
    if step.arguments.get("dim") is not None:
        place = torch.argmax if larger else torch.argmin
        return _picked(step, grad, lambda: place(step["input"], step["dim"], keepdim=True))
    return extremes(step, grad, larger)


@rule("amax", larger=True)
@rule("amin", larger=False)
def extremes(step, grad, larger):
    x = step["input"]
    best = (torch.amax if larger else torch.amin)(x, _dims(step, x.ndim), keepdim=True)
    found = x == best
    return {"input": spread(step, grad) * found / found.sum(_dims(step, x.ndim), keepdim=True)}


def _picked(step, grads, places):
    """The gradient of values that were picked along a dimension, at the places they were picked from."""
    grad = grads[0] if isinstance(grads, list) else grads
    shape = step.shape_of("input")
    if grad is None:
        return {"input": None}
    if not shape:
        return {"input": grad.reshape(())}
    dim = step.get("dim", -1)
    indices = step.result(places)
    grad = grad.unsqueeze(dim) if grad.ndim < len(shape) else grad
    indices = indices.unsqueeze(dim) if indices.ndim < len(shape) else indices
    return {"input": torch.zeros(shape, dtype=grad.dtype).scatter(dim, indices, grad)}


@rule("median")
def median(step, grad):
    if step.arguments.get("dim") is None:
        x = step["input"]
        found = x == torch.median(x)
        return {"input": grad * found / found.sum()}
    return _picked(step, grad, lambda: torch.median(step["input"], step["dim"], keepdim=True).indices)


@rule("topk", function=torch.topk)
@rule("sort", function=torch.sort)
def sorted_values(step, grad, function):
    given = {name: value for name, value in step.arguments.items() if name not in ("input", "out")}
    given = {"dim": -1} | {name: value for name, value in given.items() if value is not None}
    return _picked(step, grad, lambda: function(step["input"], **given).indices)


@rule("prod")
def prod(step, grad):
    x = step["input"]
    dims = _dims(step, x.ndim)
    whole = x.prod() if len(dims) == x.ndim and step.arguments.get("dim") is None else x.prod(dims[0], keepdim=True)
    if not (x == 0).any():
        return {"input": spread(step, grad) * whole / x}
    if x.ndim > 1 and step.arguments.get("dim") is None:
        return {"input": (grad * _others(x.flatten(), 0)).reshape(x.shape)}
    return {"input": spread(step, grad) * _others(x, dims[0] if dims else 0)}


def _others(x, dim):
    """For each element the product of the others along a dimension."""
    if not x.ndim:
        return torch.ones_like(x)
    parts = [x.index_select(dim, torch.tensor([j for j in range(x.shape[dim]) if j != i])) for i in range(x.shape[dim])]
    return torch.stack([part.prod(dim) for part in parts], dim)


@rule("logsumexp")
def logsumexp(step, grad):
    x = step["input"]
    total = torch.logsumexp(x, _dims(step, x.ndim), keepdim=True)
    return {"input": spread(step, grad) * (x - total).exp()}


expressed("cumsum", input=lambda grad, dim: grad.flip(dim).cumsum(dim).flip(dim) if grad.ndim else grad)


@rule("norm", "linalg_vector_norm")
def norm(step, grad):
    name = next(iter(step.arguments))
    x = step[name]
    power = step.get("p", step.get("ord", 2))
    power = 2 if power is None or power == "fro" else power
    length = torch.linalg.vector_norm(x, power, _dims(step, x.ndim), keepdim=True)
    grad = spread(step, grad)
    if power == 2:
        return {name: grad * (x / length).masked_fill(length == 0, 0)}
    if power == 1:
        return {name: grad * x.sign()}
    if power in (float("inf"), float("-inf")):
        found = x.abs() == length
        slope = x.sign() * found / found.sum(_dims(step, x.ndim), keepdim=True)
    else:
        slope = x.sign() * (x.abs() / length) ** (power - 1)
    return {name: grad * slope.masked_fill(length == 0, 0)}
