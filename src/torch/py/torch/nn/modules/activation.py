"""Activations: functions of one number as modules, softmax, and multi-head attention."""

import torch
from torch.nn import functional as F

from .module import Module


class _InPlace(Module):
    """An activation that may work in place."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""

    def _with_inplace(self, text):
        return text + (", inplace=True" if self.inplace else "")


class ReLU(_InPlace):
    """max(0, x)"""

    def forward(self, input):
        return F.relu(input, inplace=self.inplace)


class SiLU(_InPlace):
    """x * sigmoid(x)"""

    def forward(self, input):
        return F.silu(input, inplace=self.inplace)


class ELU(_InPlace):
    """x above zero, alpha * (exp(x) - 1) below."""

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self):
        return self._with_inplace(f"alpha={self.alpha}")


class LeakyReLU(_InPlace):
    """x above zero, negative_slope * x below."""

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return self._with_inplace(f"negative_slope={self.negative_slope}")


class GELU(Module):
    """x times the probability that a standard normal number is below x."""

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Sigmoid(Module):
    """1 / (1 + exp(-x))"""

    def forward(self, input):
        return torch.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return torch.tanh(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta"""

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class _Along(Module):
    """A function along one dimension."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def extra_repr(self):
        return f"dim={self.dim}"


class GLU(_Along):
    """The first half times the sigmoid of the second."""

    def __init__(self, dim=-1):
        super().__init__(dim)

    def forward(self, input):
        return F.glu(input, self.dim)


class Softmax(_Along):
    """exp(x) / sum(exp(x)) along dim."""

    def forward(self, input):
        return F.softmax(input, self.dim)


class LogSoftmax(_Along):
    """log(softmax(x)) along dim."""

    def forward(self, input):
        return F.log_softmax(input, self.dim)


def __getattr__(name):
    if name == "MultiheadAttention":
        from .attention import MultiheadAttention

        return MultiheadAttention
    raise AttributeError(f"module 'torch.nn.modules.activation' has no attribute '{name}'")
