"""torch.nn.attention: there is one way to compute attention here, whichever is asked for."""

from contextlib import nullcontext
from enum import Enum

from torch._arguments import hint


class SDPBackend(Enum):
    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION = -1, 0, 1, 2, 3


def sdpa_kernel(backends, set_priority=False):
    """A context that does nothing."""
    hint(backends, set_priority)
    return nullcontext()
