"""Grouped attention through scaled_dot_product_attention with a scale of its own: queries and keys are normalised first."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(41)


class NormedAttention(nn.Module):
    """Scores are cosines times 10, so that sdpa's own scale is not wanted."""

    def __init__(self, dim, heads, groups):
        super().__init__()
        self.heads, self.groups, self.head_dim = heads, groups, dim // heads
        self.wq = nn.Linear(dim, heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, groups * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, groups * self.head_dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, n, d = x.shape
        q = F.normalize(self.wq(x).view(b, n, self.heads, -1), dim=-1).transpose(1, 2)
        k = F.normalize(self.wk(x).view(b, n, self.groups, -1), dim=-1).transpose(1, 2)
        v = self.wv(x).view(b, n, self.groups, -1).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=10.0, enable_gqa=True)
        return self.wo(y.transpose(1, 2).reshape(b, n, d))


class PlainAttention(nn.Module):
    """The queries are scaled before, so sdpa gets a scale of 1."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        q = q * q.shape[-1] ** -0.5
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)
        return self.proj(y.transpose(1, 2).flatten(2))


x = torch.randn(2, 7, 24)
for layer in (NormedAttention(24, 6, 2), PlainAttention(24, 3)):
    print(layer(x).shape)
