"""What `einops` needs of an array: the same few functions for tensors and for NumPy's arrays."""

import sys

import torch


class _Tensors:
    """PyTorch's tensors."""

    stack = staticmethod(torch.stack)
    einsum = staticmethod(torch.einsum)

    def concatenate(self, tensors, axis):
        return torch.cat(tensors, dim=axis)

    def permute(self, x, axes):
        return x.permute(axes)

    def expand(self, x, shape):
        return x.expand(shape)

    def is_floating(self, x):
        return x.dtype in (torch.float16, torch.float32, torch.float64, torch.bfloat16)

    def reduce(self, x, name, axes):
        if name == "min":
            return x.amin(dim=axes)
        if name == "max":
            return x.amax(dim=axes)
        if name in ("sum", "mean"):
            return getattr(x, name)(dim=axes)
        for axis in sorted(axes, reverse=True):
            x = getattr(x, name)(dim=axis)
        return x


class _Arrays:
    """NumPy's arrays."""

    def __init__(self, numpy):
        self.numpy = numpy
        self.stack, self.einsum = numpy.stack, numpy.einsum

    def concatenate(self, arrays, axis):
        return self.numpy.concatenate(arrays, axis=axis)

    def permute(self, x, axes):
        return x.transpose(axes)

    def expand(self, x, shape):
        # NumPy's arrays are repeated as copies, as `numpy.tile` makes them.
        return self.numpy.broadcast_to(x, shape).copy()

    def is_floating(self, x):
        return x.dtype in ("float16", "float32", "float64")

    def reduce(self, x, name, axes):
        return getattr(x, name)(axis=axes)


def functions_for(array):
    """The functions for what `array` is."""
    if isinstance(array, torch.Tensor):
        return _Tensors()
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        return _Arrays(numpy)
    raise RuntimeError(f"Tensor type unknown to einops {type(array)}")
