"""Rules of matrix products. For C = A B the gradient of A is G Bᵀ, that of B is Aᵀ G."""

import torch
from torch._gradients import rule, sum_to


@rule("matmul", "mm", "bmm", "mv")
def matmul(step, grad):
    second = "mat2" if "mat2" in step.arguments else "vec" if "vec" in step.arguments else "other"
    grads = {}
    if step.wants("input"):
        by_columns = _by_columns(step.arguments["input"])
        grads["input"] = _of_first(grad, step[second], step.shape_of("input"), by_columns)
    if step.wants(second):
        by_columns = _by_columns(step.arguments[second])
        grads[second] = _of_second(grad, step["input"], step.shape_of(second), by_columns)
    return grads


def _by_columns(matrix):
    """Whether a matrix lies in memory column by column: its gradient is then computed so."""
    return matrix.ndim == 2 and matrix.stride() == (1, matrix.shape[0]) and matrix.shape[1] > 1


def _of_first(grad, b, shape, by_columns=False):
    if b.ndim == 1:
        return sum_to(grad.unsqueeze(-1) * b, shape)
    if len(shape) == 1:
        return sum_to((grad.unsqueeze(-2) @ b.mT).squeeze(-2), shape)
    if by_columns:
        return (b @ grad.mT).mT
    return sum_to(grad @ b.mT, shape)


def _of_second(grad, a, shape, by_columns=False):
    if a.ndim == 1 and len(shape) == 1:
        return grad * a
    if a.ndim == 1:
        return sum_to(a.unsqueeze(-1) * grad.unsqueeze(-2), shape)
    if len(shape) == 1:
        return sum_to((a.mT @ grad.unsqueeze(-1)).squeeze(-1), shape)
    if len(shape) == 2 and a.ndim > 2:
        # Rows of a batch are rows of one tall matrix.
        a, grad = a.reshape(-1, a.shape[-1]), grad.reshape(-1, grad.shape[-1])
    if by_columns:
        return (grad.mT @ a).mT
    return sum_to(a.mT @ grad, shape)


@rule("dot")
def dot(step, grad):
    names = list(step.arguments)
    a, b = step.arguments[names[0]], step.arguments[names[1]]
    if a.ndim < 2 and b.ndim < 2:
        return {names[0]: lambda: grad * step[names[1]], names[1]: lambda: grad * step[names[0]]}
    # Rows of both, each with each.
    flat = grad.reshape(a.shape[:-1].numel(), b.shape[:-1].numel())
    rows = lambda name: step[name].reshape(-1, a.shape[-1])  # noqa: E731
    return {
        names[0]: lambda: (flat @ rows(names[1])).reshape(a.shape),
        names[1]: lambda: (flat.mT @ rows(names[0])).reshape(b.shape),
    }


@rule("linear")
def linear(step, grad):
    grads = {}
    if step.wants("input"):
        grads["input"] = grad @ step["weight"]
    flat = grad.reshape(-1, grad.shape[-1]) if grad.ndim > 1 else grad.unsqueeze(0)
    if step.wants("weight"):
        x = step["input"]
        weight = flat.mT @ x.reshape(-1, x.shape[-1])
        grads["weight"] = weight.reshape(step.shape_of("weight"))
    if step.wants("bias"):
        grads["bias"] = flat.sum(0).reshape(step.shape_of("bias"))
    return grads


@rule("addmm", "baddbmm")
def addmm(step, grad):
    names = list(step.arguments)
    base, first, second = names[:3]
    alpha, beta = step.get("alpha", 1), step.get("beta", 1)
    a, b = step.arguments[first], step.arguments[second]
    return {
        base: sum_to(grad if beta == 1 else grad * beta, step.shape_of(base)),
        first: lambda: _of_first(grad if alpha == 1 else grad * alpha, step[second], a.shape),
        second: lambda: _of_second(grad if alpha == 1 else grad * alpha, step[first], b.shape),
    }


@rule("einsum")
def einsum(step, grad):
    names = list(step.arguments)
    equation, operands = step[names[0]], step[names[1]]
    inputs, result = _spelled(equation.replace(" ", ""), operands)
    grads = []
    for at, own in enumerate(inputs):
        others = [letters for i, letters in enumerate(inputs) if i != at]
        tensors = [operand for i, operand in enumerate(operands) if i != at]
        known = set("".join(others) + result)
        # A letter that only this operand has was summed over: every element gets the same gradient.
        lone = [letter for letter in dict.fromkeys(own) if letter not in known]
        out = "".join(letter for letter in dict.fromkeys(own) if letter in known)
        part = torch.einsum(",".join([result] + others) + "->" + out, grad, *tensors)
        for letter in lone:
            part = part.unsqueeze(-1)
        order = out + "".join(lone)
        once = list(dict.fromkeys(own))
        part = part.permute([order.index(letter) for letter in once])
        sizes = dict(zip(own, operands[at].shape))
        part = part.expand([sizes[letter] for letter in once])
        if len(once) != len(own):
            part = _on_diagonal(part, once, own, operands[at])
        grads.append(part)
    return {names[1]: grads}


def _spelled(equation, operands):
    """The letters of each operand and of the result; an ellipsis is spelled out in letters of its own."""
    left, _, result = equation.partition("->")
    inputs = left.split(",")
    spare = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if letter not in equation]
    widths = [operand.ndim - len(own.replace("...", "")) for own, operand in zip(inputs, operands) if "..." in own]
    dots = "".join(spare[: max(widths, default=0)])
    spelled = []
    for own, operand in zip(inputs, operands):
        width = operand.ndim - len(own.replace("...", ""))
        spelled.append(own.replace("...", dots[len(dots) - width :] if width else ""))
    if "->" not in equation:
        letters = sorted(set("".join(inputs)) - {"."})
        result = dots + "".join(letter for letter in letters if "".join(inputs).count(letter) == 1)
    return spelled, result.replace("...", dots)


def _on_diagonal(part, once, own, operand):
    """A gradient of a diagonal, put on the diagonal."""
    whole = torch.zeros_like(operand)
    view = torch.einsum("".join(own) + "->" + "".join(once), whole)
    view.copy_(part)
    return whole


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
    if step.get("left", True) is False:
        raise NotImplementedError("linalg.solve: attn knows its gradient with left=True only")
    matrix, right = step["A"], step.arguments["B"]
    of_right = torch.linalg.solve(matrix.mT, grad)
    if not step.wants("A"):
        return {"B": of_right}
    found = step.result(lambda: torch.linalg.solve(matrix, step["B"]))
    if right.ndim == 1 or (right.ndim < matrix.ndim and right.shape == matrix.shape[:-1]):
        return {"A": -of_right[..., :, None] * found[..., None, :], "B": of_right}
    return {"A": -of_right @ found.mT, "B": of_right}
