# Each token sees the last `window` tokens and the first `sinks` ones.
import torch
import torch.nn as nn
import torch.nn.functional as F

def window_mask(length, window, sinks):
    """True where a query may look at a key."""
    i = torch.arange(length)[:, None]
    j = torch.arange(length)[None, :]
    return (j <= i) & ((i - j < window) | (j < sinks))

class WindowAttention(nn.Module):
    def __init__(self, width, heads, window=3, sinks=1):
        super().__init__()
        self.heads, self.window, self.sinks = heads, window, sinks
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / (width // self.heads) ** 0.5
        visible = window_mask(length, self.window, self.sinks)
        weights = F.softmax(scores.masked_fill(~visible, float("-inf")), dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))

torch.manual_seed(8)
print(window_mask(7, 3, 1).int())
layer = WindowAttention(8, 2)
out = layer(torch.randn(2, 7, 8))
print(out.shape, round(out.sum().item(), 4))
