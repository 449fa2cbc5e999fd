"""Gated attention unit: squared ReLU of the scores over the length, one head, a gate; causal."""
import torch
from torch import nn
import torch.nn.functional as F


class GAU(nn.Module):
    def __init__(self, dim, hidden, width):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.to_hidden = nn.Linear(dim, 2 * hidden)
        self.to_qk = nn.Linear(dim, width)
        self.gamma, self.beta = nn.Parameter(torch.randn(2, width)), nn.Parameter(torch.zeros(2, width))
        self.to_out = nn.Linear(hidden, dim)

    def forward(self, x):
        t = x.shape[1]
        normed = self.norm(x)
        v, gate = F.silu(self.to_hidden(normed)).chunk(2, dim=-1)
        z = F.silu(self.to_qk(normed))
        q, k = (z[..., None, :] * self.gamma + self.beta).unbind(-2)
        sim = torch.einsum("bid,bjd->bij", q, k) / t
        attn = F.relu(sim) ** 2
        attn = attn.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), 0.0)
        return x + self.to_out(torch.einsum("bij,bjd->bid", attn, v) * gate)


torch.manual_seed(15)
layer = GAU(12, 18, 7)
x = torch.randn(2, 6, 12)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
