"""FAVOR+: random features of the softmax kernel; queries and keys are each scaled by the fourth root of their width."""
import math
import torch
from torch import nn


def favor(x, W):
    d = x.shape[-1]
    x = x * d ** -0.25
    projected = x @ W.T
    norm = (x ** 2).sum(-1, keepdim=True) / 2
    return torch.exp(projected - norm) / math.sqrt(W.shape[0]) + 1e-6


class PerformerAttention(nn.Module):
    def __init__(self, dim, heads, features):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(dim, dim)
        self.register_buffer("W", torch.randn(features, dim // heads))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p(x).view(b, t, self.heads, -1).transpose(1, 2) for p in (self.to_q, self.to_k, self.to_v))
        q, k = favor(q, self.W), favor(k, self.W)
        kv = k.transpose(-2, -1) @ v
        z = 1 / (q @ k.sum(-2).unsqueeze(-1))
        return self.out((q @ kv * z).transpose(1, 2).reshape(b, t, c))


torch.manual_seed(2)
layer = PerformerAttention(12, 3, 64)
x = torch.randn(2, 7, 12)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
