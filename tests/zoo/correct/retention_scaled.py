"""RetNet: parallel retention with queries scaled by the root of their width, decay instead of softmax, a norm of groups."""
import torch
from torch import nn


class Retention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.width = heads, dim // heads
        self.wq, self.wk, self.wv = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.gate = nn.Linear(dim, dim, bias=False)
        self.norm = nn.GroupNorm(heads, dim)
        self.out = nn.Linear(dim, dim, bias=False)
        self.register_buffer("gamma", 1 - 2.0 ** (-5 - torch.arange(heads)))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (w(x).view(b, t, self.heads, self.width).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        q = q * self.width ** -0.5
        i = torch.arange(t)
        distance = (i[:, None] - i[None, :]).float()
        decay = torch.where(distance >= 0, self.gamma[:, None, None] ** distance.clamp(min=0), 0.0)
        y = (q @ k.transpose(-2, -1) * decay) @ v
        y = self.norm(y.transpose(1, 2).reshape(b * t, c)).view(b, t, c)
        return self.out(torch.nn.functional.silu(self.gate(x)) * y)


torch.manual_seed(5)
layer = Retention(16, 2)
x = torch.randn(3, 6, 16)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
