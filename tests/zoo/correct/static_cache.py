"""Meta's Llama: a cache of fixed size in buffers, start_pos, rotary positions as complex numbers, a pre-norm block."""
import math
import torch
from torch import nn
import torch.nn.functional as F


def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))
    return torch.polar(torch.ones(end, dim // 2), torch.outer(torch.arange(end).float(), freqs))


def apply_rotary_emb(xq, xk, freqs_cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = freqs_cis[None, :, None, :]
    return torch.view_as_real(xq_ * freqs_cis).flatten(3), torch.view_as_real(xk_ * freqs_cis).flatten(3)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, max_batch, max_seq):
        super().__init__()
        self.n_rep, self.n_heads, self.n_kv_heads, self.head_dim = n_heads // n_kv_heads, n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)
        self.cache_k = torch.zeros(max_batch, max_seq, n_kv_heads, self.head_dim)
        self.cache_v = torch.zeros(max_batch, max_seq, n_kv_heads, self.head_dim)

    def forward(self, x, start_pos, freqs_cis, mask):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xq, xk = apply_rotary_emb(xq, xk, freqs_cis)
        self.cache_k[:bsz, start_pos:start_pos + seqlen] = xk
        self.cache_v[:bsz, start_pos:start_pos + seqlen] = xv
        keys = self.cache_k[:bsz, :start_pos + seqlen].repeat_interleave(self.n_rep, dim=2)
        values = self.cache_v[:bsz, :start_pos + seqlen].repeat_interleave(self.n_rep, dim=2)
        xq, keys, values = xq.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores + mask
        scores = F.softmax(scores.float(), dim=-1).type_as(xq)
        return self.wo(torch.matmul(scores, values).transpose(1, 2).contiguous().view(bsz, seqlen, -1))


class Transformer(nn.Module):
    def __init__(self, vocab=19, dim=24, layers=2, heads=4, kv_heads=2, max_batch=3, max_seq=16):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocab, dim)
        self.attention = nn.ModuleList([Attention(dim, heads, kv_heads, max_batch, max_seq) for _ in range(layers)])
        self.norms = nn.ModuleList([RMSNorm(dim) for _ in range(layers)])
        self.norm, self.output = RMSNorm(dim), nn.Linear(dim, vocab, bias=False)
        self.freqs_cis = precompute_freqs_cis(dim // heads, max_seq * 2)

    @torch.inference_mode()
    def forward(self, tokens, start_pos):
        seqlen = tokens.shape[1]
        h = self.tok_embeddings(tokens)
        freqs_cis = self.freqs_cis[start_pos:start_pos + seqlen]
        mask = None
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"))
            mask = torch.triu(mask, diagonal=1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos)), mask])
        for norm, layer in zip(self.norms, self.attention):
            h = h + layer(norm(h), start_pos, freqs_cis, mask)
        return self.output(self.norm(h)).float()


torch.manual_seed(21)
model = Transformer()
tokens = torch.randint(0, 19, (2, 9))
full = model(tokens, 0)
parts = [model(tokens[:, :4], 0), model(tokens[:, 4:6], 4)] + [model(tokens[:, i:i + 1], i) for i in range(6, 9)]
print(full.shape, torch.allclose(full, torch.cat(parts, 1), atol=1e-5))
