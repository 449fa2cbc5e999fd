"""What the files of `torch.save` call to build tensors."""

import torch
from torch._arguments import hint


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """The tensor with this layout over `storage`, a one-dimensional tensor."""
    # Hooks are not saved, and what a file says of a tensor besides changes no element.
    hint(backward_hooks, metadata)
    tensor = torch.as_strided(storage, size, stride, storage_offset).detach()
    return tensor.requires_grad_(requires_grad)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    """The parameter with this data."""
    hint(backward_hooks)
    return torch.nn.Parameter(data, requires_grad)
