"""Queries and keys are normalised per head; a learned factor takes the place of 1/sqrt(d)."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.g = nn.Parameter(torch.full((heads, 1, 1), 4.0))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (w(x).view(b, t, self.heads, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        q = F.normalize(q, dim=-1)
        k = F.normalize(k, dim=-1)
        att = self.g * (q @ k.transpose(-2, -1))
        att = att.masked_fill(torch.ones(t, t).tril() == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.wo(y.transpose(1, 2).reshape(b, t, c))


class QKLayerNormAttention(nn.Module):
    """The same idea with LayerNorm, which leaves a norm of sqrt(d): the scale stays."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.q_norm = nn.LayerNorm(dim // heads)
        self.k_norm = nn.LayerNorm(dim // heads)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, c))


torch.manual_seed(12)
x = torch.randn(2, 6, 12)
for layer in (QKNormAttention(12, 3), QKLayerNormAttention(12, 3)):
    y = layer(x)
    print(type(layer).__name__, tuple(y.shape), f"{y.sum().item():.3f}")
