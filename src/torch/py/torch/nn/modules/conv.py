"""Convolutions over sequences and images, as products of windows with a weight."""

import torch
from torch._arguments import per_dimension
from torch.nn import functional as F
from torch.nn.parameter import Parameter

from ._show import unusual
from .linear import Linear
from .module import Module


class _Conv(Module):
    _dims = 1

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode={padding_mode!r} of convolutions is not part of attn ('zeros' is)")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_dimension(kernel_size, self._dims)
        self.stride = per_dimension(stride, self._dims)
        self.padding = padding if isinstance(padding, str) else per_dimension(padding, self._dims)
        self.dilation = per_dimension(dilation, self._dims)
        self.groups = groups
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(torch.empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    reset_parameters = Linear.reset_parameters

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        text += unusual(self, padding=(0,) * self._dims, dilation=(1,) * self._dims, groups=1)
        return text if self.bias is not None else text + ", bias=False"


class Conv1d(_Conv):
    """(N, C, L) -> (N, out, L'); weight is (out, C / groups, kernel)."""

    def forward(self, input):
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """(N, C, H, W) -> (N, out, H', W'); weight is (out, C / groups, kernel height, kernel width)."""

    _dims = 2

    def forward(self, input):
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
