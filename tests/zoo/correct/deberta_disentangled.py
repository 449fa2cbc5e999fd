"""DeBERTa: content and position attend to each other; three terms, so the root of three times the width."""
import torch
from torch import nn


class DisentangledAttention(nn.Module):
    def __init__(self, dim, heads, span=4):
        super().__init__()
        self.heads, self.hd, self.span = heads, dim // heads, span
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.pos_q, self.pos_k = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.rel = nn.Embedding(2 * span, dim)

    def heads_of(self, x):
        return x.view(*x.shape[:-1], self.heads, self.hd).transpose(-3, -2)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.heads_of(self.q(x)), self.heads_of(self.k(x)), self.heads_of(self.v(x))
        rel_k, rel_q = self.heads_of(self.pos_k(self.rel.weight)), self.heads_of(self.pos_q(self.rel.weight))
        i = torch.arange(t)
        delta = (i[:, None] - i[None, :] + self.span).clamp(0, 2 * self.span - 1)
        c2c = q @ k.transpose(-1, -2)
        c2p = (q @ rel_k.transpose(-1, -2)).gather(-1, delta.expand(b, self.heads, t, t))
        p2c = (k @ rel_q.transpose(-1, -2)).gather(-1, delta.expand(b, self.heads, t, t)).transpose(-1, -2)
        scores = (c2c + c2p + p2c) / (3 * self.hd) ** 0.5
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c)


torch.manual_seed(14)
layer = DisentangledAttention(15, 3)
x = torch.randn(2, 7, 15)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
