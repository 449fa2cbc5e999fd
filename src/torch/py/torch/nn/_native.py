"""The operations of torch.nn.functional that come from the table of operations."""

import _torch

globals().update(_torch._functional)
