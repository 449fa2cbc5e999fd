"""Attention under the maximal update parametrisation (muP): scores are divided by d, not by its root, so that one
learning rate fits all widths."""
import torch
import torch.nn as nn


class MuPAttention(nn.Module):
    def __init__(self, d_model, n_heads, attn_mult=8.0):
        super().__init__()
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.attn_mult = attn_mult
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.c_proj = nn.Linear(d_model, d_model, bias=False)
        nn.init.zeros_(self.q_proj.weight)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        att = q @ k.transpose(-2, -1) * (self.attn_mult / self.d_head)
        att = att.masked_fill(torch.tril(torch.ones(t, t)) == 0, float("-inf"))
        y = att.softmax(dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))


for width in (16, 32):
    torch.manual_seed(1)
    layer = MuPAttention(width, 2)
    x = torch.randn(2, 6, width)
    opt = torch.optim.Adam(layer.parameters(), lr=1e-2)
    for _ in range(2):
        loss = (layer(x) - x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(width, f"{loss.item():.4f}")
