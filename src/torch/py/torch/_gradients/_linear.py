"""Rules of linear algebra."""

import torch
from _torch import _call
from torch._gradients import rule


@rule("complex_mul")
def complex_product(step, grad):
    def by(name):
        return lambda: _call("complex_mul", grad, step[name] * torch.tensor([1, -1]))

    return {"input": by("other"), "other": by("input")}


@rule("inverse", "linalg_inv")
def inverse(step, grad):
    name = next(iter(step.arguments))
    inverted = step.result(lambda: torch.linalg.inv(step[name])).mT
    return {name: -(inverted @ grad @ inverted)}


@rule("det", "linalg_det")
def det(step, grad):
    name = next(iter(step.arguments))
    matrix = step[name]
    return {name: (grad * torch.linalg.det(matrix))[..., None, None] * torch.linalg.inv(matrix).mT}


@rule("linalg_slogdet")
def slogdet(step, grads):
    name = next(iter(step.arguments))
    grad = grads[1]
    return {} if grad is None else {name: grad[..., None, None] * torch.linalg.inv(step[name]).mT}


@rule("linalg_solve")
def solve(step, grad):
    matrix, right = step["A"], step.arguments["B"]
    of_right = torch.linalg.solve(matrix.mT, grad)
    if not step.wants("A"):
        return {"B": of_right}
    found = step.result(lambda: torch.linalg.solve(matrix, step["B"]))
    if right.ndim == 1 or (right.ndim < matrix.ndim and right.shape == matrix.shape[:-1]):
        return {"A": -of_right[..., :, None] * found[..., None, :], "B": of_right}
    return {"A": -of_right @ found.mT, "B": of_right}
