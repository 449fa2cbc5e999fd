"""Rules of arithmetic and of functions of one number. A rule's shapes may be those of the result: what was broadcast
is summed back afterwards."""

import math

import torch
from torch._gradients import rule


@rule("add")
def add(step, grad):
    return {"input": grad, "other": _times(grad, step.arguments.get("alpha"))}


@rule("sub")
def sub(step, grad):
    return {"input": grad, "other": _times(-grad, step.arguments.get("alpha"))}


@rule("rsub")
def rsub(step, grad):
    return {"input": _times(-grad, step.arguments.get("alpha")), "other": grad}


def _times(grad, factor):
    return grad if factor is None or factor == 1 else grad * factor


@rule("mul")
def mul(step, grad):
    # PyTorch saves a number as a tensor, so a second pass needs what the first freed.
    step.saw = True
    grads = {}
    if step.wants("input"):
        grads["input"] = grad * step["other"]
    if step.wants("other"):
        grads["other"] = grad * step["input"]
    return grads


@rule("div")
def div(step, grad):
    if step.arguments.get("rounding_mode") is not None:
        # PyTorch saves what the gradient of an exact quotient needs.
        step["other"], step.wants("other") and step["input"]
        return {"input": torch.zeros_like(grad), "other": torch.zeros_like(grad)}
    step.saw = True
    if not isinstance(step.arguments["input"], torch.Tensor):
        # A number over a tensor is the reciprocal times the number, here too.
        reciprocal = step["other"].reciprocal()
        return {"other": grad * step["input"] * -(reciprocal * reciprocal)}
    grads = {"input": grad / step["other"]}
    if step.wants("other"):
        grads["other"] = -grad * ((step["input"] / step["other"]) / step["other"])
    return grads


@rule("pow")
def pow(step, grad):
    base, exponent = step["input"], step["exponent"]
    grads = {}
    if step.wants("input"):
        if isinstance(exponent, torch.Tensor):
            slope = exponent * base ** (exponent - 1)
            grads["input"] = grad * torch.where(exponent == 0, torch.zeros_like(slope), slope)
        elif exponent == 0:
            grads["input"] = torch.zeros_like(grad)
        else:
            grads["input"] = grad * (exponent * base ** (exponent - 1))
    if step.wants("exponent"):
        logarithm = base.log() if isinstance(base, torch.Tensor) else math.log(base) if base else -math.inf
        value = base**exponent
        slope = value * logarithm
        zero = (base == 0) & (exponent >= 0)
        grads["exponent"] = grad * torch.where(torch.as_tensor(zero), torch.zeros_like(slope), slope)
    return grads


@rule("neg")
def neg(step, grad):
    return {"input": -grad}


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


@rule("sign", "floor", "ceil", "round", "trunc")
def flat(step, grad):
    return {"input": torch.zeros_like(grad)}


@rule("deg2rad", factor=math.pi / 180)
@rule("rad2deg", factor=180 / math.pi)
def scaled(step, grad, factor):
    return {"input": _times(grad, factor)}


_of_one("abs", lambda x: x.sign())
_of_one("square", lambda x: 2 * x)
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
_from_result("exp", torch.exp, lambda y: y)
_from_result("reciprocal", torch.reciprocal, lambda y: -(y * y))
_from_result("tan", torch.tan, lambda y: 1 + y**2)
_from_result("exp2", torch.exp2, lambda y: y * math.log(2))
_from_result("expm1", torch.expm1, lambda y: y + 1)
_from_result("tanh", torch.tanh, lambda y: 1 - y * y)
_from_result("relu", torch.relu, lambda y: (y > 0).to(y.dtype))
_of_one("logsigmoid", lambda x: torch.sigmoid(-x))


@rule("atan2")
def atan2(step, grad):
    y, x = step["input"], step["other"]
    share = grad / (x * x + y * y)
    return {"input": share * x, "other": -share * y}


@rule("log")
def log(step, grad):
    return {"input": grad / step["input"]}


@rule("sqrt")
def sqrt(step, grad):
    return {"input": grad / (2 * step.result(lambda: step["input"].sqrt()))}


@rule("rsqrt")
def rsqrt(step, grad):
    return {"input": -0.5 * grad * step.result(lambda: step["input"].rsqrt()) ** 3}


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


@rule("leaky_relu")
def leaky_relu(step, grad):
    slope = step.get("negative_slope", 0.01)
    return {"input": torch.where(step["input"] > 0, grad, grad * slope)}


@rule("clamp", "clamp_min", "clamp_max")
def clamp(step, grad):
    x, least, most = step["input"], step.get("min"), step.get("max")
    inside = torch.ones_like(x, dtype=torch.bool)
    if least is not None:
        inside = inside & (x >= least)
    if most is not None:
        inside = inside & (x <= most)
    return {"input": torch.where(inside, grad, torch.zeros_like(grad))}


@rule("where")
def where(step, grad):
    keep, zero = step["condition"], torch.zeros_like(grad)
    return {"input": torch.where(keep, grad, zero), "other": torch.where(keep, zero, grad)}


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


@rule("remainder")
def remainder(step, grad):
    return {"input": grad, "other": lambda: -grad * torch.floor(step["input"] / step["other"])}


@rule("addcmul")
def addcmul(step, grad):
    scaled = _times(grad, step.arguments.get("value"))
    return {
        "input": grad,
        "tensor1": lambda: scaled * step["tensor2"],
        "tensor2": lambda: scaled * step["tensor1"],
    }


@rule("addcdiv")
def addcdiv(step, grad):
    scaled, divisor = _times(grad, step.arguments.get("value")), step["tensor2"]
    return {
        "input": grad,
        "tensor1": lambda: scaled / divisor,
        "tensor2": lambda: -scaled * (step["tensor1"] / divisor / divisor),
    }


@rule("masked_fill")
def masked_fill(step, grad):
    grads = {"input": grad.masked_fill(step["mask"], 0)}
    if step.wants("value"):
        grads["value"] = torch.where(step["mask"], grad, torch.zeros_like(grad)).sum()
    return grads


@rule("tril", triangle=torch.tril)
@rule("triu", triangle=torch.triu)
def triangle(step, grad, triangle):
    return {"input": triangle(grad, step.get("diagonal", 0))}


@rule("dropout")
def dropout(step, grad):
    noise = step["kept"]
    return {"input": grad if noise is None else grad * noise}


@rule("lerp")
def lerp(step, grad):
    weight = step["weight"]
    grads = {"input": grad * (1 - weight), "end": grad * weight}
    if step.wants("weight"):
        grads["weight"] = grad * (step["end"] - step["input"])
    return grads


@rule("fill", "zero_")
def fill(step, grad):
    return {"input": torch.zeros_like(grad), "value": grad.sum()}


@rule("copy")
def copy(step, grad):
    return {"input": torch.zeros_like(grad), "src": grad, "other": grad}
