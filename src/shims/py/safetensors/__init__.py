"""Files of tensors without code. Source: the format's description in the documentation of `safetensors`."""

from .torch import safe_open

__all__ = ["SafetensorError", "safe_open"]
__version__ = "0.5.3"


class SafetensorError(Exception):
    pass
