"""Functions of torch.nn.functional that are built from other operations."""

import _torch
import torch
from torch._arguments import per_dimension
from torch._autocast import in_lower_precision

from . import _native as F


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels: the first dimensions decide, the last two follow."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    lead = 2 if input.dim() == 4 else 1
    shape = (*input.shape[:lead], *(1,) * (input.dim() - lead))
    kept = torch.empty(shape, dtype=input.dtype).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(kept) if inplace else input * kept


def windows(x, kernel, stride, dilation):
    """(N, C, *sizes) -> (N, C, *places, *kernel): what the kernel sees at each of its places."""
    for axis, (size, step, apart) in enumerate(zip(kernel, stride, dilation)):
        x = x.unfold(2 + axis, apart * (size - 1) + 1, step)[..., ::apart]
    return x


def places(size, kernel, dilation, padding, stride):
    """How many places the kernel has along each dimension."""
    return [
        (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip(size, kernel, dilation, padding, stride)
    ]


def convolved(dims, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A convolution over `dims` dimensions: every window of the input times the weight."""
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to conv{dims}d, "
            f"but got input of size: {list(input.shape)}"
        )
    x = input if input.dim() == dims + 2 else input.unsqueeze(0)
    if x.size(1) != weight.size(1) * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(x.shape)} to have "
            f"{weight.size(1) * groups} channels, but got {x.size(1)} channels instead"
        )
    kernel, strides, dilations = weight.shape[2:], per_dimension(stride, dims), per_dimension(dilation, dims)
    spans = [d * (k - 1) for d, k in zip(dilations, kernel)]
    if padding == "same":
        sides = [(span // 2, span - span // 2) for span in spans]
    else:
        sides = [(side, side) for side in per_dimension(0 if padding == "valid" else padding, dims)]
    x = windows(F.pad(x, [side for pair in reversed(sides) for side in pair]), kernel, strides, dilations)
    # x: (N, C, *out, *kernel); each group of channels has its own part of the weight.
    out, batch, size = x.shape[2 : 2 + dims], x.size(0), weight.size(0)
    x = x.movedim(1, 1 + dims).reshape(batch, -1, groups, weight[0].numel()).transpose(1, 2)
    y = x @ weight.reshape(groups, size // groups, -1).transpose(1, 2)  # (N, groups, out, size / groups)
    y = y.transpose(2, 3).reshape(batch, size, *out)
    if input.is_contiguous() or input.stride(1) != 1:
        # Channels come last in memory only where those of the input do.
        y = y.contiguous()
    if bias is not None:
        y = y + bias.view(-1, *(1,) * dims)
    y = y if input.dim() == dims + 2 else y.squeeze(0)
    if input.dim() == dims + 2:
        _torch._name_node(y, "Convolution", 0)
    return y


@in_lower_precision
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return convolved(2, input, weight, bias, stride, padding, dilation, groups)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The blocks that a kernel sees, as columns: (N, C, H, W) -> (N, C * kernel, L)."""
    given = (kernel_size, dilation, padding, stride)
    kernel, dilation, padding, stride = (per_dimension(value, 2) for value in given)
    if input.dim() not in (3, 4):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.shape)}"
        )
    x = input if input.dim() == 4 else input.unsqueeze(0)
    blocks = places(x.shape[2:], kernel, dilation, padding, stride)
    x = windows(F.pad(x, (padding[1], padding[1], padding[0], padding[0])), kernel, stride, dilation)
    # (N, C, rows, columns, kernel rows, kernel columns)
    x = x.permute(0, 1, 4, 5, 2, 3).reshape(x.size(0), -1, blocks[0] * blocks[1])
    x = x.clone() if not padding[0] and not padding[1] and x.untyped_storage() == input.untyped_storage() else x
    x = x if input.dim() == 4 else x.squeeze(0)
    _torch._name_node(x, "Im2Col", 0)
    return x


def relu(input, inplace=False):
    """max(x, 0)."""
    return torch.relu_(input) if inplace else torch.relu(input)
