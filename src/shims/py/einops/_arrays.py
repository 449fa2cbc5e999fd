"""What `einops` needs of an array: tensors are rearranged, and NumPy's arrays as the tensors on their elements."""

import sys

import torch


def is_array(array):
    """Whether this is one of NumPy's arrays. Errors: it is no tensor either."""
    if isinstance(array, torch.Tensor):
        return False
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        return True
    raise RuntimeError(f"Tensor type unknown to einops {type(array)}")


def library(array):
    """The module whose functions take this array."""
    return sys.modules["numpy"] if is_array(array) else torch
