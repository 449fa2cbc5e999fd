"""A decoder with ALiBi through scaled_dot_product_attention, in the manner of MPT."""
import math
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(3)


def alibi_slopes(n_heads):
    start = 2 ** (-8 / n_heads)
    return torch.tensor([start ** (i + 1) for i in range(n_heads)])


def build_bias(n_heads, seq_len):
    distance = torch.arange(1 - seq_len, 1).view(1, 1, 1, seq_len)
    return alibi_slopes(n_heads).view(1, n_heads, 1, 1) * distance


class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.head_dim = n_heads, d_model // n_heads
        self.Wqkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, attn_bias=None):
        b, s, d = x.shape
        q, k, v = self.Wqkv(x).view(b, s, 3, self.n_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        causal = torch.ones(s, s, dtype=torch.bool).triu(1)
        mask = torch.zeros(1, self.n_heads, s, s)
        if attn_bias is not None:
            mask = mask + attn_bias[..., -s:]
        mask = mask.masked_fill(causal, torch.finfo(x.dtype).min)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(out.transpose(1, 2).reshape(b, s, d))


class Block(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attn = Attention(d_model, n_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(), nn.Linear(2 * d_model, d_model))

    def forward(self, x, attn_bias):
        x = x + self.attn(self.norm_1(x), attn_bias)
        return x + self.ffn(self.norm_2(x))


class MPT(nn.Module):
    def __init__(self, vocab, d_model=24, n_heads=4, n_layers=2, max_seq_len=16):
        super().__init__()
        self.wte = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList([Block(d_model, n_heads) for _ in range(n_layers)])
        self.norm_f = nn.LayerNorm(d_model)
        self.register_buffer("attn_bias", build_bias(n_heads, max_seq_len), persistent=False)

    def forward(self, ids):
        x = self.wte(ids)
        for block in self.blocks:
            x = block(x, self.attn_bias)
        return self.norm_f(x) @ self.wte.weight.T


model = MPT(31).eval()
ids = torch.randint(0, 31, (3, 10))
with torch.no_grad():
    logits = model(ids)
print(logits.shape, logits.sum().item() > -1e9)
print(torch.allclose(model(ids[:, :6]), logits[:, :6], atol=1e-5))
