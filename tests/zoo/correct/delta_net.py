"""The delta rule: what a key already recalls is taken out before the new value is written (Schlag and others)."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(17)


class DeltaNet(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.b_proj = nn.Linear(d_model, n_heads, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)

    def heads(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2)

    def forward(self, x, state=None):
        b, n, _ = x.shape
        q = F.normalize(self.heads(F.silu(self.q_proj(x))), dim=-1)
        k = F.normalize(self.heads(F.silu(self.k_proj(x))), dim=-1)
        v = self.heads(self.v_proj(x))
        beta = self.b_proj(x).sigmoid().transpose(1, 2)
        if state is None:
            state = x.new_zeros(b, self.n_heads, self.d_head, self.d_head)
        outputs = []
        for t in range(n):
            recalled = torch.einsum("bhk,bhkv->bhv", k[:, :, t], state)
            change = beta[:, :, t, None] * (v[:, :, t] - recalled)
            state = state + torch.einsum("bhk,bhv->bhkv", k[:, :, t], change)
            outputs.append(torch.einsum("bhk,bhkv->bhv", q[:, :, t], state))
        out = torch.stack(outputs, dim=1).flatten(2)
        return self.o_proj(out), state


layer = DeltaNet(20, 4)
x = torch.randn(3, 8, 20)
whole, _ = layer(x)
first, state = layer(x[:, :5])
second, _ = layer(x[:, 5:], state)
print(whole.shape, torch.allclose(whole, torch.cat([first, second], 1), atol=1e-5))
