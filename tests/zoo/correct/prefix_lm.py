"""Prefix language model: tokens of the prefix see each other in both directions, the others are causal."""
import torch
import torch.nn as nn

def prefix_mask(length, prefix):
    visible = torch.ones(length, length, dtype=torch.bool).tril()
    visible[:, :prefix] = True
    return visible

class PrefixAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x, prefix):
        b, t, w = x.shape
        q, k, v = (f(x).view(b, t, self.heads, w // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = (q @ k.transpose(2, 3)) * (w // self.heads) ** -0.5
        scores = scores.masked_fill(~prefix_mask(t, prefix), float("-inf"))
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, w))

torch.manual_seed(16)
layer = PrefixAttention(8, 2)
x = torch.randn(1, 6, 8)
y = layer(x, prefix=3)
print(prefix_mask(6, 3).int())
print(y.shape, "%.4f" % y.sum().item())
