"""Talking heads: 1x1 convolutions mix the heads before and after the softmax."""
import torch
from torch import nn


class TalkingHeads(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.before = nn.Conv2d(heads, heads, 1, bias=False)
        self.after = nn.Conv2d(heads, heads, 1, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        s = self.before(q @ k.transpose(-2, -1) * self.scale)
        p = self.after(s.softmax(-1))
        return self.proj((p @ v).transpose(1, 2).reshape(b, n, c))


torch.manual_seed(4)
layer = TalkingHeads(12, 4)
x = torch.randn(2, 5, 12)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
