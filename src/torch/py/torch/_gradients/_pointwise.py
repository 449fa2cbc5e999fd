"""Rules of arithmetic and of functions of one number. A rule's shapes may be those of the result: what was broadcast
is summed back afterwards."""

import math

import torch
from torch._gradients import expressed, rule


def _times(grad, factor):
    return grad if factor == 1 else grad * factor


def _of_one(name, slope):
    """The rule of a function of one number, from its derivative."""

    @rule(name)
    def function(step, grad):
        return {"input": grad * slope(step["input"])}


def _from_result(name, function, slope):
    """As `_of_one`, with the derivative as a function of the function's value."""

    @rule(name)
    def back(step, grad):
        return {"input": grad * slope(step.result(lambda: function(step["input"])))}


_of_one("abs", lambda x: x.sign())
_of_one("sin", lambda x: x.cos())
_of_one("cos", lambda x: -x.sin())
_of_one("asin", lambda x: (1 - x * x).rsqrt())
_of_one("acos", lambda x: -((1 - x * x).rsqrt()))
_of_one("atan", lambda x: 1 / (x * x + 1))
_of_one("sinh", lambda x: x.cosh())
_of_one("cosh", lambda x: x.sinh())
_of_one("log2", lambda x: 1 / (x * math.log(2)))
_of_one("log10", lambda x: 1 / (x * math.log(10)))
_of_one("log1p", lambda x: 1 / (x + 1))
_of_one("erf", lambda x: 2 / math.sqrt(math.pi) * torch.exp(-(x * x)))
_of_one("erfc", lambda x: -2 / math.sqrt(math.pi) * torch.exp(-(x * x)))
_from_result("reciprocal", torch.reciprocal, lambda y: -(y * y))
_from_result("tan", torch.tan, lambda y: 1 + y**2)
_from_result("exp2", torch.exp2, lambda y: y * math.log(2))
_from_result("expm1", torch.expm1, lambda y: y + 1)
_from_result("tanh", torch.tanh, lambda y: 1 - y * y)
_from_result("relu", torch.relu, lambda y: (y > 0).to(y.dtype))
_of_one("logsigmoid", lambda x: torch.sigmoid(-x))

for _name in ("sign", "floor", "ceil", "round", "trunc"):
    expressed(_name, input=lambda grad: torch.zeros_like(grad))
expressed("deg2rad", input=lambda grad: grad * (math.pi / 180))
expressed("rad2deg", input=lambda grad: grad * (180 / math.pi))
expressed("rsub", input=lambda grad, alpha: _times(-grad, alpha), other=lambda grad: grad)
expressed(
    "atan2",
    input=lambda grad, input, other: grad / (other * other + input * input) * other,
    other=lambda grad, input, other: -(grad / (other * other + input * input)) * input,
)
expressed(
    "remainder",
    input=lambda grad: grad,
    other=lambda grad, input, other: -grad * torch.floor(input / other),
)
expressed(
    "leaky_relu",
    input=lambda grad, input, negative_slope: torch.where(input > 0, grad, grad * negative_slope),
)
expressed(
    "addcmul",
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: _times(grad, value) * tensor2,
    tensor2=lambda grad, tensor1, value: _times(grad, value) * tensor1,
)
expressed(
    "addcdiv",
    input=lambda grad, tensor2: grad,  # PyTorch saves the divisor in any case.
    tensor1=lambda grad, tensor2, value: _times(grad, value) / tensor2,
    tensor2=lambda grad, tensor1, tensor2, value: -_times(grad, value) * (tensor1 / tensor2 / tensor2),
)
expressed(
    "lerp",
    input=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, input, end, weight: grad * (end - input),
)


@rule("sigmoid")
def sigmoid(step, grad):
    value = step.result(lambda: step["input"].sigmoid())
    return {"input": grad * (1 - value) * value}


@rule("silu")
def silu(step, grad):
    x = step["input"]
    part = x.sigmoid()
    return {"input": grad * part * (1 + x * (1 - part))}


@rule("gelu")
def gelu(step, grad):
    x = step["input"]
    if step.arguments.get("approximate") == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        bent = inner.tanh()
        slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
        return {"input": grad * (0.5 * (1 + bent) + 0.5 * x * (1 - bent * bent) * slope)}
    below = 0.5 * (1 + torch.erf(x * math.sqrt(0.5)))
    density = torch.exp(-0.5 * x * x) * (1 / math.sqrt(2 * math.pi))
    return {"input": grad * (below + x * density)}


@rule("maximum", larger=True)
@rule("minimum", larger=False)
def extreme(step, grad, larger):
    a, b = step["input"], step["other"]
    first = a > b if larger else a < b
    half, zero = torch.where(a == b, grad / 2, grad), torch.zeros_like(grad)
    return {"input": torch.where(first | (a == b), half, zero), "other": torch.where(first, zero, half)}


@rule("hypot")
def hypot(step, grad):
    length = step.result(lambda: torch.hypot(step["input"], step["other"]))
    return {name: lambda name=name: grad * (step[name] / length) for name in ("input", "other")}
