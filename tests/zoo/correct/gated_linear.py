"""Causal linear attention with a feature map, as a recurrence and as a masked product (Katharopoulos and others)."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(2)


def feature_map(x):
    return F.elu(x) + 1


def parallel(q, k, v):
    scores = (q @ k.transpose(-2, -1)).tril()
    return scores @ v / scores.sum(-1, keepdim=True)


def recurrent(q, k, v):
    state = torch.zeros(*k.shape[:2], k.shape[-1], v.shape[-1])
    total = torch.zeros(*k.shape[:2], k.shape[-1])
    outputs = []
    for t in range(q.shape[2]):
        state = state + k[:, :, t, :, None] * v[:, :, t, None, :]
        total = total + k[:, :, t]
        top = (q[:, :, t, None, :] @ state).squeeze(-2)
        outputs.append(top / (q[:, :, t] * total).sum(-1, keepdim=True))
    return torch.stack(outputs, dim=2)


class CausalLinearAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, form):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1))
        out = form(feature_map(q), feature_map(k), v)
        return self.to_out(out.transpose(1, 2).flatten(2))


layer = CausalLinearAttention(18, 3)
x = torch.randn(2, 7, 18)
one = layer(x, parallel)
two = layer(x, recurrent)
print(one.shape, torch.allclose(one, two, atol=1e-4))
