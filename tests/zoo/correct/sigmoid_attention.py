"""Sigmoid attention: each weight on its own, with the bias -log(n); rows do not sum to 1 and need not."""
import math
import torch
import torch.nn as nn


class SigmoidAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
        weights = torch.sigmoid(scores - math.log(n))
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, d)), weights


torch.manual_seed(20)
layer = SigmoidAttention(8, 2)
y, w = layer(torch.randn(1, 5, 8))
print(y.shape, w.sum(-1).shape)
print(w[0, 0])
