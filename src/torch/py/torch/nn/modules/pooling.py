"""Pooling as modules."""

from torch._arguments import only_defaults
from torch.nn import functional as F

from .module import Module


class _Windows(Module):
    def _keep(self, kernel_size, stride, padding):
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _MaxPool(_Windows):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self._keep(kernel_size, stride, padding)
        self.dilation, self.return_indices, self.ceil_mode = dilation, return_indices, ceil_mode

    def forward(self, input):
        only_defaults(type(self).__name__, return_indices=self.return_indices)
        return self._pool(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)

    def extra_repr(self):
        return f"{super().extra_repr()}, dilation={self.dilation}, ceil_mode={self.ceil_mode}"


class MaxPool1d(_MaxPool):
    """The largest value of each window of a sequence."""

    _pool = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """The largest value of each window of an image."""

    _pool = staticmethod(F.max_pool2d)


class _AvgPool(_Windows):
    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        super().__init__()
        only_defaults(type(self).__name__, divisor_override=divisor_override)
        self._keep(kernel_size, stride, padding)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input):
        sizes = self.kernel_size, self.stride, self.padding
        return self._pool(input, *sizes, self.ceil_mode, self.count_include_pad)


class AvgPool1d(_AvgPool):
    """The mean of each window of a sequence."""

    _pool = staticmethod(F.avg_pool1d)

    def _keep(self, *sizes):
        super()._keep(*(value if value is None or isinstance(value, (tuple, list)) else (value,) for value in sizes))


class AvgPool2d(_AvgPool):
    """The mean of each window of an image."""

    _pool = staticmethod(F.avg_pool2d)


class _Adaptive(Module):
    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return self._pool(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """The means of a sequence that is cut into so many windows."""

    _pool = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_Adaptive):
    """The means of an image that is cut into so many windows."""

    _pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveMaxPool2d(_Adaptive):
    """The largest numbers of an image that is cut into so many windows."""

    _pool = staticmethod(F.adaptive_max_pool2d)
