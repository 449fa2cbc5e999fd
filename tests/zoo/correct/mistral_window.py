"""Sliding window attention with a rolling cache, in the manner of Mistral: a token sees itself and the window - 1 before it."""
import torch
from torch import nn

torch.manual_seed(5)


class RollingCache:
    """The keys and values of the last `window` tokens."""

    def __init__(self, window):
        self.window = window
        self.keys = self.values = None

    def update(self, keys, values):
        if self.keys is not None:
            keys = torch.cat([self.keys, keys], dim=2)
            values = torch.cat([self.values, values], dim=2)
        self.keys, self.values = keys[:, :, -self.window:], values[:, :, -self.window:]
        return keys, values


class SlidingAttention(nn.Module):
    def __init__(self, dim, n_heads, window):
        super().__init__()
        self.n_heads, self.head_dim, self.window = n_heads, dim // n_heads, window
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x, cache=None):
        b, t, d = x.shape
        q, k, v = (w(x).view(b, t, self.n_heads, self.head_dim).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        if cache is not None:
            k, v = cache.update(k, v)
        s = k.shape[2]
        rows = torch.arange(s - t, s)[:, None]
        columns = torch.arange(s)[None, :]
        seen = (columns <= rows) & (rows - columns < self.window)
        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        scores = scores.masked_fill(~seen, float("-inf"))
        out = torch.softmax(scores, dim=-1) @ v
        return self.wo(out.transpose(1, 2).reshape(b, t, d))


layer = SlidingAttention(24, 3, window=4).eval()
x = torch.randn(2, 11, 24)
with torch.no_grad():
    whole = layer(x)
    cache = RollingCache(4)
    parts = [layer(x[:, :5], cache)]
    for at in range(5, 11):
        parts.append(layer(x[:, at:at + 1], cache))
print(whole.shape, torch.allclose(whole, torch.cat(parts, dim=1), atol=1e-5))
