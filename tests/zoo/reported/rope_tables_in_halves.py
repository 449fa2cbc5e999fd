# Expected: rotary-not-relative
# Report: https://github.com/huggingface/transformers/pull/47403
# Mistake: the tables are laid out in halves and the rotation takes neighbouring pairs.
import torch
import torch.nn as nn


def rotary_tables(length, dim, base=10000.0):
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
    freqs = torch.outer(torch.arange(length).float(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    return emb.cos(), emb.sin()


def rotate_half_codec(x):
    x = x.reshape(*x.shape[:-1], -1, 2)
    x1, x2 = x.unbind(dim=-1)
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def apply_rotary(q, k, cos, sin):
    q = q * cos + rotate_half_codec(q) * sin
    k = k * cos + rotate_half_codec(k) * sin
    return q, k


class DiTAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.dim_head = dim // heads
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q = self.to_q(x).view(b, n, self.heads, self.dim_head).transpose(1, 2)
        k = self.to_k(x).view(b, n, self.heads, self.dim_head).transpose(1, 2)
        v = self.to_v(x).view(b, n, self.heads, self.dim_head).transpose(1, 2)
        cos, sin = rotary_tables(n, self.dim_head)
        q, k = apply_rotary(q, k, cos, sin)
        weights = torch.softmax(q @ k.transpose(2, 3) / self.dim_head**0.5, dim=-1)
        out = (weights @ v).transpose(1, 2).reshape(b, n, d)
        return self.to_out(out)


if __name__ == "__main__":
    torch.manual_seed(21)
    attn = DiTAttention(dim=40, heads=5)
    x = torch.randn(2, 13, 40)
    y = attn(x)
    print(y.shape, f"{y.sum().item():.4f}")
    print(y.norm(dim=-1)[0])
