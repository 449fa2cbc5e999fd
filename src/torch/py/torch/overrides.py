"""torch.overrides: what counts as a tensor."""

import torch
from torch._arguments import hint


def is_tensor_like(inp):
    return isinstance(inp, torch.Tensor)


def has_torch_function(relevant_args):
    hint(relevant_args)
    return False
