"""Forms of attention as they are published, to compare one's own with. GPT-2's is in gpt2.py; that of Llama, which turns
the halves of a vector, in llama.py.
"""

import torch
import torch.nn as nn


def attention(queries, keys, values, causal=False):  # (..., T, head_dim)
    """Scaled dot product attention (Vaswani and others, 2017)."""
    attn_scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    if causal:
        hide = torch.ones(attn_scores.shape[-2:], dtype=torch.bool).triu(diagonal=1)
        attn_scores = attn_scores.masked_fill(hide, -torch.inf)
    return torch.softmax(attn_scores, dim=-1) @ values


class MultiHead(nn.Module):
    """What `torch.nn.MultiheadAttention` computes for one sequence; with `causal`, what the chapter's class computes."""

    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.head_dim, self.causal = width // heads, causal
        self.W_query = nn.Linear(width, width)
        self.W_key = nn.Linear(width, width)
        self.W_value = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)

    def split(self, x):  # (B, T, H * head_dim) -> (B, H, T, head_dim)
        return x.view(x.shape[0], x.shape[1], -1, self.head_dim).transpose(1, 2)

    def placed(self, x):
        """Nothing here says where a token stands."""
        return x

    def forward(self, x):  # (B, T, width)
        queries, keys = self.placed(self.split(self.W_query(x))), self.placed(self.split(self.W_key(x)))
        context_vec = attention(queries, keys, self.split(self.W_value(x)), self.causal)
        return self.out_proj(context_vec.transpose(1, 2).reshape(x.shape))


class Grouped(MultiHead):
    """Groups of neighbouring heads share keys and values (Ainslie and others, 2023): heads 0 and 1 have the first, and so on."""

    def __init__(self, width, heads, groups, causal=False):
        super().__init__(width, heads, causal)
        self.shared = heads // groups
        self.W_key = nn.Linear(width, groups * self.head_dim)
        self.W_value = nn.Linear(width, groups * self.head_dim)

    def split(self, x):
        apart = super().split(x)
        return apart.repeat_interleave(self.shared, dim=1) if x.shape[-1] != self.out_proj.in_features else apart


class RotatedPairs(MultiHead):
    """Each pair of neighbouring numbers, (0, 1), (2, 3) and so on, is turned by its position's angle (Su and others, 2021)."""

    def __init__(self, width, heads, causal=False, base=10000.0):
        super().__init__(width, heads, causal)
        self.turns = base ** (-torch.arange(0, self.head_dim, 2).float() / self.head_dim)

    def placed(self, x):
        angles = torch.arange(x.shape[2])[:, None] * self.turns
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = torch.stack([even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()], dim=-1)
        return turned.flatten(-2)
