"""Linear maps: y = x A^T + b, and bilinear ones."""

from torch._arguments import hint
from torch import empty
from torch.nn import functional as F
from torch.nn import init
from torch.nn.parameter import Parameter

from .module import Module


class Identity(Module):
    """Returns its input, whatever arguments it was made with."""

    def __init__(self, *args, **kwargs):
        super().__init__()
        hint(args, kwargs)

    def forward(self, input):
        return input


class Linear(Module):
    """x @ weight.T + bias; weight is (out_features, in_features)."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        # Uniform in +-1/sqrt(inputs), for the weight and then for the bias.
        init.kaiming_uniform_(self.weight, a=5**0.5)
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / fan_in**0.5 if fan_in else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear; the type of MultiheadAttention's output projection."""
