"""One layer, and masks of many kinds: a graph, a look-ahead, right to left, a directed graph."""
import torch
from torch import nn


class MaskedAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, mask):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / self.dim ** 0.5
        scores = scores.masked_fill(~mask, float("-inf"))
        return torch.softmax(scores, -1) @ self.v(x)


class GATLayer(nn.Module):
    """Attention of a graph: each node sees its neighbours."""

    def __init__(self, dim):
        super().__init__()
        self.w, self.a, self.b = nn.Linear(dim, dim), nn.Linear(dim, 1), nn.Linear(dim, 1)

    def forward(self, h, adj):
        h = self.w(h)
        e = torch.nn.functional.leaky_relu(self.a(h) + self.b(h).transpose(-2, -1), 0.2)
        return torch.softmax(e.masked_fill(~adj, float("-inf")), -1) @ h


torch.manual_seed(6)
n, dim = 7, 10
x = torch.randn(2, n, dim)
layer, i = MaskedAttention(dim), torch.arange(n)
lookahead = i[None, :] <= i[:, None] + 2
backward = i[None, :] >= i[:, None]
dag = torch.ones(n, n, dtype=torch.bool).triu()
band = (i[None, :] - i[:, None]).abs() <= 1
for mask in (lookahead, backward, dag, band):
    print(f"{layer(x, mask).sum().item():.4f}")
adj = (torch.rand(n, n) < 0.4) | torch.eye(n, dtype=torch.bool)
print(f"{GATLayer(dim)(x, adj).sum().item():.4f}")
