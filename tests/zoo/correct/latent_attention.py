"""Multi-head latent attention: keys of two parts, one without position and one rotated that all heads share."""
import torch
from torch import nn


def apply_rotary(x, freqs):
    y = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(y * freqs).flatten(-2)


class MLA(nn.Module):
    def __init__(self, dim=20, heads=3, rank=10, nope=6, rope=4, v_dim=5, context=32):
        super().__init__()
        self.heads, self.nope, self.rope, self.v_dim = heads, nope, rope, v_dim
        self.wq = nn.Linear(dim, heads * (nope + rope), bias=False)
        self.wkv_a = nn.Linear(dim, rank + rope, bias=False)
        self.kv_norm = nn.RMSNorm(rank)
        self.wkv_b = nn.Linear(rank, heads * (nope + v_dim), bias=False)
        self.wo = nn.Linear(heads * v_dim, dim, bias=False)
        self.softmax_scale = (nope + rope) ** -0.5
        angles = torch.outer(torch.arange(context).float(), 10000 ** (-torch.arange(0, rope, 2).float() / rope))
        self.register_buffer("freqs", torch.polar(torch.ones_like(angles), angles))

    def forward(self, x):
        b, t, _ = x.shape
        freqs = self.freqs[:t, None, :]
        q = self.wq(x).view(b, t, self.heads, -1)
        q_nope, q_pe = q.split([self.nope, self.rope], dim=-1)
        q_pe = apply_rotary(q_pe, freqs)
        kv, k_pe = self.wkv_a(x).split([self.wkv_a.out_features - self.rope, self.rope], dim=-1)
        k_pe = apply_rotary(k_pe[:, :, None, :], freqs)
        kv = self.wkv_b(self.kv_norm(kv)).view(b, t, self.heads, self.nope + self.v_dim)
        k_nope, v = kv.split([self.nope, self.v_dim], dim=-1)
        q = torch.cat([q_nope, q_pe], dim=-1)
        k = torch.cat([k_nope, k_pe.expand(-1, -1, self.heads, -1)], dim=-1)
        scores = torch.einsum("bshd,bthd->bhst", q, k) * self.softmax_scale
        scores = scores + torch.full((t, t), float("-inf")).triu(1)
        y = torch.einsum("bhst,bthd->bshd", scores.softmax(-1), v)
        return self.wo(y.flatten(2))


torch.manual_seed(13)
layer = MLA()
x = torch.randn(2, 7, 20)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
