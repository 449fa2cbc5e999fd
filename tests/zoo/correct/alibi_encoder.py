"""An encoder with symmetric ALiBi: a token looks at near ones more, before and after it."""
import torch
from torch import nn

torch.manual_seed(11)


class SymmetricAlibi(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(width, width)
        self.to_k = nn.Linear(width, width)
        self.to_v = nn.Linear(width, width)
        self.to_out = nn.Linear(width, width)
        self.register_buffer("slopes", torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]))

    def split(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, padding):
        n = x.shape[1]
        q, k, v = self.split(self.to_q(x)), self.split(self.to_k(x)), self.split(self.to_v(x))
        places = torch.arange(n)
        distance = (places[:, None] - places[None, :]).abs()
        bias = -self.slopes[:, None, None] * distance
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        scores = scores + bias
        scores = scores.masked_fill(padding[:, None, None, :], float("-inf"))
        weights = scores.softmax(dim=-1)
        return self.to_out(torch.einsum("bhij,bhjd->bhid", weights, v).transpose(1, 2).flatten(2))


layer = SymmetricAlibi(20, 5)
x = torch.randn(3, 9, 20)
padding = torch.zeros(3, 9, dtype=torch.bool)
padding[1, 6:] = True
padding[2, 4:] = True
out = layer(x, padding)
print(out.shape, out[~padding].abs().mean() > 0)
