"""Every part is a module of its own: scores, mask, weights, mixing, splitting and joining."""
import torch
from torch import nn


class Scores(nn.Module):
    def forward(self, q, k):
        return torch.matmul(q, k.transpose(-1, -2)) / (q.shape[-1] ** 0.5)


class Hide(nn.Module):
    def forward(self, s):
        n = s.shape[-1]
        return s.masked_fill(torch.arange(n)[None] > torch.arange(n)[:, None], float("-inf"))


class Split(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        return x.unflatten(-1, (self.heads, x.shape[-1] // self.heads)).transpose(-3, -2)


class Join(nn.Module):
    def forward(self, x):
        return x.transpose(-3, -2).flatten(-2)


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores, self.hide = Scores(), Hide()
        self.weights = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(0.0))

    def forward(self, q, k, v):
        return self.weights(self.hide(self.scores(q, k))) @ v


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.project = nn.ModuleDict({name: nn.Sequential(nn.Linear(dim, dim), Split(heads)) for name in ("q", "k", "v")})
        self.attend = Attend()
        self.output = nn.Sequential(Join(), nn.Linear(dim, dim))

    def forward(self, x):
        return self.output(self.attend(*(self.project[name](x) for name in "qkv")))


torch.manual_seed(23)
net = nn.Sequential(SelfAttention(8, 2), SelfAttention(8, 4))
out = net(torch.randn(2, 5, 8))
print(out.shape, f"{out.sum().item():.4f}")
