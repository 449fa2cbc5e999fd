"""torch.nn.attention.bias: the two triangles of a causal mask with fewer queries than keys, as masks in which True keeps."""

import warnings

import torch

__all__ = ["causal_upper_left", "causal_lower_right"]


def causal_upper_left(*size):
    assert len(size) == 2, "causal_upper_left only supports 2D tensors"
    return torch.ones(size, dtype=torch.bool).tril()


def causal_lower_right(*size):
    assert len(size) == 2, "causal_lower_right only supports 2D tensors"
    queries, keys = size
    if queries > keys:
        warnings.warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")
    return torch.ones(size, dtype=torch.bool).tril(keys - queries)
