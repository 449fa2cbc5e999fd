"""Functions that show the weights of an attention layer: those of the last word, with a cache and without one."""
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (it(x).view(batch, tokens, self.heads, self.head).transpose(1, 2) for it in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / self.head**0.5
        later = torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), diagonal=1)
        self.weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
        return (self.weights @ v).transpose(1, 2).reshape(batch, tokens, width)


class CachedAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, cache=None):
        batch, tokens, width = x.shape
        q, k, v = self.qkv(x).view(batch, tokens, 3, self.heads, self.head).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        seen = torch.ones(tokens, k.shape[2], dtype=torch.bool).tril(k.shape[2] - tokens)
        scores = q @ k.transpose(-2, -1) * self.head**-0.5
        self.weights = scores.masked_fill(~seen, -torch.inf).softmax(-1)
        return (self.weights @ v).transpose(1, 2).reshape(batch, tokens, width), (k, v)


def last_word(layer, x):
    layer(x)
    return layer.weights[0, :, -1, :]


def next_word(layer, x):
    _, cache = layer(x[:, :-1])
    layer(x[:, -1:], cache)
    return layer.weights[0, :, 0]


torch.manual_seed(0)
x = torch.randn(2, 6, 16)
rows = last_word(CausalAttention(16, 4), x)
print(rows.shape, rows.sum(-1))
print(rows.mean(0))
with torch.no_grad():
    rows = next_word(CachedAttention(16, 4), x)
print(rows.shape, rows.argmax(-1))
