"""Generation with one shared key head and a cache that grows: the same numbers as without the cache."""
import torch
import torch.nn as nn

class CachedMQA(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, self.head_dim, bias=False)
        self.value = nn.Linear(dim, self.head_dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, past=None):
        bs, new, dim = x.shape
        q = self.query(x).view(bs, new, self.heads, self.head_dim).transpose(1, 2)
        k, v = self.key(x), self.value(x)
        if past is not None:
            k = torch.cat([past[0], k], dim=1)
            v = torch.cat([past[1], v], dim=1)
        total = k.shape[1]
        scores = q @ k[:, None].transpose(-2, -1) * self.head_dim ** -0.5
        allowed = torch.ones(total, total, dtype=torch.bool).tril()[total - new:]
        scores = scores.masked_fill(~allowed, float('-inf'))
        y = scores.softmax(dim=-1) @ v[:, None]
        return self.out(y.transpose(1, 2).reshape(bs, new, dim)), (k, v)

torch.manual_seed(0)
layer = CachedMQA()
x = torch.randn(1, 7, 16)
with torch.no_grad():
    full, _ = layer(x)
    pieces, past = [], None
    for piece in (x[:, :3], x[:, 3:4], x[:, 4:6], x[:, 6:]):
        y, past = layer(piece, past)
        pieces.append(y)
    print(past[0].shape, torch.allclose(full, torch.cat(pieces, dim=1), atol=1e-6))
    print(f"{full.sum().item():.4f}")
