# Expected: cache-differs
# Report: https://github.com/lucidrains/rotary-embedding-torch/issues/11
# Mistake: angles are cached by length alone, so every single new token gets the angles of the first one.
import torch
import torch.nn as nn

class RotaryEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.freqs = 1.0 / 10000 ** (torch.arange(0, dim, 2).float() / dim)
        self.cache = {}

    def angles(self, length, offset):
        key = f"freqs:{length}"
        if key not in self.cache:
            self.cache[key] = torch.outer(torch.arange(offset, offset + length).float(), self.freqs)
        return self.cache[key]

    def rotate_queries_or_keys(self, t, offset=0):
        a = self.angles(t.shape[-2], offset)
        x, y = t[..., 0::2], t[..., 1::2]
        return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], dim=-1).flatten(-2)

class Attention(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.rotary = RotaryEmbedding(dim)
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))

    def forward(self, x, past=None):
        offset = 0 if past is None else past[0].shape[1]
        q = self.rotary.rotate_queries_or_keys(self.q(x), offset)
        k, v = self.rotary.rotate_queries_or_keys(self.k(x), offset), self.v(x)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=1), torch.cat([past[1], v], dim=1)
        n, t = x.shape[1], k.shape[1]
        s = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool()[t - n:], float("-inf"))
        return s.softmax(dim=-1) @ v, (k, v)

torch.manual_seed(34)
layer = Attention().eval()
x = torch.randn(1, 6, 8)
past, pieces = None, []
with torch.no_grad():
    for i in range(6):
        y, past = layer(x[:, i:i + 1], past)
        pieces.append(y)
print(torch.cat(pieces, dim=1).shape)
