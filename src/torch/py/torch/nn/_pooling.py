"""Pooling: the largest value or the mean of each window. In one dimension it is that over images of one row, as in PyTorch."""

import _torch
import torch
from torch._arguments import only_defaults, per_dimension, window_step

from . import _native as F
from ._composed import places, windows


def _batched(input, name):
    if input.dim() not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got: {list(input.shape)}")
    return input if input.dim() == 4 else input.unsqueeze(0)


def _as_given(result, input, node):
    result = result if input.dim() == 4 else result.squeeze(0)
    _torch._name_node(result, node, 0)
    return result


def _checked(x, kernel, stride, padding, dilation=(1, 1)):
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for what, (rows, columns), names in (
        ("kernel size", kernel, ("kH", "kW")),
        ("stride", stride, ("dH", "dW")),
        ("dilation", dilation, ("dilationH", "dilationW")),
    ):
        if min(rows, columns) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {names[0]}: {rows} {names[1]}: {columns}")
    if min(padding) < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    for size, width in zip(padding, kernel):
        if size > width // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={size}, kernel_size={width} and "
                f"dilation={dilation[0]}"
            )
    sizes = places(x.shape[2:], kernel, dilation, padding, stride)
    if min(sizes) < 1:
        shown = "x".join(map(str, (x.size(1), *x.shape[2:])))
        result = "x".join(map(str, (x.size(1), *sizes)))
        raise RuntimeError(f"Given input size: ({shown}). Calculated output size: ({result}). Output size is too small")
    return sizes


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    only_defaults("max_pool2d", ceil_mode=ceil_mode, return_indices=return_indices)
    kernel, padding, dilation = per_dimension(kernel_size, 2), per_dimension(padding, 2), per_dimension(dilation, 2)
    stride = per_dimension(window_step(kernel, stride), 2)
    x = _batched(input, "max_pool2d")
    _checked(x, kernel, stride, padding, dilation)
    x = F.pad(x, (padding[1], padding[1], padding[0], padding[0]), value=float("-inf")) if any(padding) else x
    largest = windows(x, kernel, stride, dilation).flatten(-2).max(-1).values
    return _as_given(largest, input, "MaxPool2DWithIndices")


def _sum(x, rows, columns):
    """The sum of slices, one after the other: the order in which PyTorch adds."""
    total = None
    for row in rows:
        for column in columns:
            part = x[:, :, row, column]
            total = part if total is None else total + part
    return total


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    only_defaults("avg_pool2d", ceil_mode=ceil_mode, divisor_override=divisor_override)
    kernel, padding = per_dimension(kernel_size, 2), per_dimension(padding, 2)
    stride = per_dimension(window_step(kernel, stride), 2)
    x = _batched(input, "avg_pool2d")
    sizes = _checked(x, kernel, stride, padding)

    def summed(x):
        x = F.pad(x, (padding[1], padding[1], padding[0], padding[0])) if any(padding) else x
        slices = [
            [slice(at, at + (size - 1) * step + 1, step) for at in range(width)]
            for size, step, width in zip(sizes, stride, kernel)
        ]
        return _sum(x, *slices)

    if count_include_pad:
        count = kernel[0] * kernel[1]
    else:
        count = summed(torch.ones((1, 1, *x.shape[2:]), dtype=x.dtype))
    return _as_given(summed(x) / count, input, "AvgPool2D")


def adaptive_avg_pool2d(input, output_size):
    """The mean of each window of an image that is cut into this many rows and columns."""
    if per_dimension(output_size, 2) == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    mean = lambda x, rows, columns: _sum(x, rows, columns) / len(rows) / len(columns)
    return _adaptive(input, output_size, mean, "AdaptiveAvgPool2D")


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest of each window of an image that is cut into this many rows and columns."""
    only_defaults("adaptive_max_pool2d", return_indices=return_indices)
    largest = lambda x, rows, columns: (
        x[:, :, rows.start : rows.stop, columns.start : columns.stop].flatten(2).max(-1).values
    )
    return _adaptive(input, output_size, largest, "AdaptiveMaxPool2D")


def _adaptive(input, output_size, of_window, node):
    x = _batched(input, "adaptive_pool2d")
    sizes = [n if size is None else size for n, size in zip(x.shape[2:], per_dimension(output_size, 2))]
    # Where each part of a dimension begins and ends.
    rows, columns = (
        [range(at * n // size, -(-(at + 1) * n // size)) for at in range(size)] for n, size in zip(x.shape[2:], sizes)
    )
    parts = [torch.stack([of_window(x, row, column) for column in columns], -1) for row in rows]
    return _as_given(torch.stack(parts, -2), input, node)


def adaptive_avg_pool1d(input, output_size):
    if input.dim() not in (2, 3):
        raise RuntimeError(f"adaptive_avg_pool1d(): Expected 2D or 3D input tensor, but got {list(input.shape)}")
    (size,) = output_size if isinstance(output_size, (tuple, list)) else (output_size,)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)
