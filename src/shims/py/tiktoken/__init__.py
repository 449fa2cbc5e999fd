"""Byte pair encodings of GPT models. Source: the documentation of `tiktoken`."""

from .core import Encoding
from .model import encoding_for_model, encoding_name_for_model
from .registry import get_encoding, list_encoding_names

__all__ = ["Encoding", "encoding_for_model", "encoding_name_for_model", "get_encoding", "list_encoding_names"]
__version__ = "0.9.0"
