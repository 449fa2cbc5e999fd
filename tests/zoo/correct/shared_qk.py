"""Reformer's shared queries and keys: one projection for both, keys normalised, a token looks at itself only at need."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SharedQK(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.toqk = nn.Linear(dim, dim, bias=False)
        self.tov = nn.Linear(dim, dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, e = x.shape
        merge = lambda z: z.view(b, t, self.heads, -1).transpose(1, 2)
        qk, v = merge(self.toqk(x)), merge(self.tov(x))
        q, k = qk, F.normalize(qk, p=2, dim=-1)
        dots = torch.einsum("bhie,bhje->bhij", q, k) * (e // self.heads) ** -0.5
        i = torch.arange(t)
        dots[:, :, i, i] = -5e4
        dots.masked_fill_((i[None, :] > i[:, None]), torch.finfo(dots.dtype).min)
        out = torch.einsum("bhij,bhje->bhie", dots.softmax(dim=-1), v)
        return self.to_out(out.transpose(1, 2).reshape(b, t, e))


torch.manual_seed(7)
y = SharedQK(8, 2)(torch.randn(2, 6, 8))
print(y.shape, f"{y.sum().item():.4f}")
