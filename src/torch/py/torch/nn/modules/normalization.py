"""Normalisation over the last dimensions, or over groups of channels."""

from torch.nn import functional as F
from torch.nn import init
from torch.nn.parameter import optional

from .module import Module


def _over_last(module, normalized_shape, eps, elementwise_affine, device, dtype):
    """The settings and the weight of a norm over the last dimensions."""
    module.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    module.eps = eps
    module.elementwise_affine = elementwise_affine
    module.register_parameter("weight", optional(elementwise_affine, module.normalized_shape, device, dtype))


class LayerNorm(Module):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        _over_last(self, normalized_shape, eps, elementwise_affine, device, dtype)
        self.register_parameter("bias", optional(elementwise_affine and bias, self.normalized_shape, device, dtype))
        self.reset_parameters()

    def reset_parameters(self):
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    """x / sqrt(mean(x^2) + eps) * weight over the last dimensions."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        _over_last(self, normalized_shape, eps, elementwise_affine, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    extra_repr = LayerNorm.extra_repr


class GroupNorm(Module):
    """Mean 0 and variance 1 within each group of channels; input is (N, C, ...)."""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name in ("weight", "bias"):
            self.register_parameter(name, optional(affine, num_channels, device, dtype))
        self.reset_parameters()

    def reset_parameters(self):
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
