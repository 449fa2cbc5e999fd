"""Axes rearranged, reduced and repeated by name. Source: the documentation of `einops`."""

from ._einsum import einsum
from ._packing import pack, unpack
from ._pattern import EinopsError
from ._transform import rearrange, reduce, repeat

__all__ = ["EinopsError", "einsum", "pack", "rearrange", "reduce", "repeat", "unpack"]
__version__ = "0.8.1"
