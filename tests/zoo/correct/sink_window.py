"""Learned sinks beside the scores, and a sliding window of four keys; grouped heads."""
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, dim, heads, kv_heads, head_dim, window):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim, self.window = heads, kv_heads, head_dim, window
        self.sinks = nn.Parameter(torch.randn(heads))
        self.q = nn.Linear(dim, heads * head_dim)
        self.kv = nn.Linear(dim, 2 * kv_heads * head_dim)
        self.o = nn.Linear(heads * head_dim, dim)

    def forward(self, x):
        n, t, _ = x.shape
        q = self.q(x).view(n, t, self.kv_heads, self.heads // self.kv_heads, self.head_dim)
        k, v = self.kv(x).view(n, t, 2, self.kv_heads, self.head_dim).unbind(2)
        QK = torch.einsum("bqhmd,bkhd->bhmqk", q, k) * self.head_dim ** -0.5
        i = torch.arange(t)
        hidden = (i[None, :] > i[:, None]) | (i[:, None] - i[None, :] >= self.window)
        QK = QK.masked_fill(hidden, -float("inf"))
        S = self.sinks.view(1, self.kv_heads, -1, 1, 1).expand(n, -1, -1, t, 1)
        W = torch.softmax(torch.cat([QK, S], dim=-1), dim=-1)[..., :-1]
        return self.o(torch.einsum("bhmqk,bkhd->bqhmd", W, v).reshape(n, t, -1))


torch.manual_seed(16)
layer = SinkAttention(14, 6, 2, 5, 4)
x = torch.randn(3, 9, 14)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
