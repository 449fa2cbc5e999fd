"""Multi-head latent attention: keys and values come from a narrow latent that is all the cache keeps; one rotary key
is shared by the heads."""
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rope(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    freq = base ** (-torch.arange(half).float() / half)
    angle = positions[:, None].float() * freq
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1)


class LatentAttention(nn.Module):
    def __init__(self, dim=32, heads=4, nope=6, rope_dim=4, v_dim=8, q_rank=12, kv_rank=10):
        super().__init__()
        self.heads, self.nope, self.rope_dim, self.v_dim = heads, nope, rope_dim, v_dim
        self.wq_a = nn.Linear(dim, q_rank, bias=False)
        self.q_norm = RMSNorm(q_rank)
        self.wq_b = nn.Linear(q_rank, heads * (nope + rope_dim), bias=False)
        self.wkv_a = nn.Linear(dim, kv_rank + rope_dim, bias=False)
        self.kv_norm = RMSNorm(kv_rank)
        self.wkv_b = nn.Linear(kv_rank, heads * (nope + v_dim), bias=False)
        self.wo = nn.Linear(heads * v_dim, dim, bias=False)
        self.softmax_scale = (nope + rope_dim) ** -0.5

    def forward(self, x):
        b, t, _ = x.shape
        positions = torch.arange(t)
        q = self.wq_b(self.q_norm(self.wq_a(x))).view(b, t, self.heads, -1).transpose(1, 2)
        q_nope, q_pe = q.split([self.nope, self.rope_dim], dim=-1)
        latent, k_pe = self.wkv_a(x).split([self.wkv_a.out_features - self.rope_dim, self.rope_dim], dim=-1)
        q = torch.cat([q_nope, rope(q_pe, positions)], dim=-1)
        kv = self.wkv_b(self.kv_norm(latent)).view(b, t, self.heads, -1).transpose(1, 2)
        k_nope, v = kv.split([self.nope, self.v_dim], dim=-1)
        k = torch.cat([k_nope, rope(k_pe, positions)[:, None].expand(-1, self.heads, -1, -1)], dim=-1)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.softmax_scale
        scores = scores + torch.full((t, t), float("-inf")).triu_(1)
        y = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v)
        return self.wo(y.flatten(2))


torch.manual_seed(9)
mla = LatentAttention()
out = mla(torch.randn(2, 6, 32))
print(out.shape)
print(f"{out.abs().sum().item():.3f}")
