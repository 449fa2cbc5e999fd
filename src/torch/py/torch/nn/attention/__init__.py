"""torch.nn.attention: there is one way to compute attention here, whichever is asked for."""

from enum import Enum

from torch._arguments import hint


class SDPBackend(Enum):
    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION = -1, 0, 1, 2, 3


class sdpa_kernel:
    """Does nothing."""

    def __init__(self, backends, set_priority=False):
        hint(backends, set_priority)

    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass
