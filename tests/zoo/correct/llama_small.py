"""A small Llama: RMSNorm, rotary positions, grouped queries, SwiGLU, tied output, a cache for generation."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def rotary_tables(dim, start, length, theta=10000.0):
    inv_freq = theta ** (-torch.arange(0, dim, 2).float() / dim)
    freqs = torch.outer(torch.arange(start, start + length).float(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    return emb.cos(), emb.sin()


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rope(x, cos, sin):
    return x * cos + rotate_half(x) * sin


class Attention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, dropout=0.1):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.n_rep = n_heads // n_kv_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, past=None):
        bsz, seqlen, _ = x.shape
        start = 0 if past is None else past[0].shape[2]
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        cos, sin = rotary_tables(self.head_dim, start, seqlen)
        xq, xk = apply_rope(xq, cos, sin), apply_rope(xk, cos, sin)
        if past is not None:
            xk = torch.cat([past[0], xk], dim=2)
            xv = torch.cat([past[1], xv], dim=2)
        present = (xk, xv)
        keys = xk.repeat_interleave(self.n_rep, dim=1)
        values = xv.repeat_interleave(self.n_rep, dim=1)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(self.head_dim)
        total = keys.shape[2]
        visible = torch.ones(total, total, dtype=torch.bool).tril()[total - seqlen:]
        scores = scores.masked_fill(~visible, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        weights = self.attn_dropout(weights)
        out = torch.matmul(weights, values)
        return self.wo(out.transpose(1, 2).contiguous().view(bsz, seqlen, -1)), present


class Layer(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads):
        super().__init__()
        self.attention = Attention(dim, n_heads, n_kv_heads)
        self.attention_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)
        self.w1, self.w2, self.w3 = nn.Linear(dim, 24, bias=False), nn.Linear(24, dim, bias=False), nn.Linear(dim, 24, bias=False)

    def forward(self, x, past=None):
        y, present = self.attention(self.attention_norm(x), past)
        h = x + y
        z = self.ffn_norm(h)
        return h + self.w2(F.silu(self.w1(z)) * self.w3(z)), present


class Llama(nn.Module):
    def __init__(self, vocab=17, dim=16, layers=2):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([Layer(dim, 4, 2) for _ in range(layers)])
        self.norm = RMSNorm(dim)
        self.output = nn.Linear(dim, vocab, bias=False)
        self.output.weight = self.tok_embeddings.weight

    def forward(self, tokens, pasts=None):
        h, presents = self.tok_embeddings(tokens), []
        for i, layer in enumerate(self.layers):
            h, present = layer(h, None if pasts is None else pasts[i])
            presents.append(present)
        return self.output(self.norm(h)), presents


torch.manual_seed(31)
model = Llama()
tokens = torch.randint(17, (4, 9))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for it in range(3):
    logits, _ = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"{it}: {loss.item():.3f}")
model.eval()
with torch.no_grad():
    full, _ = model(tokens)
    first, pasts = model(tokens[:, :4])
    rest = []
    for i in range(4, 9):
        y, pasts = model(tokens[:, i:i + 1], pasts)
        rest.append(y)
print(torch.allclose(full, torch.cat([first, *rest], dim=1), atol=1e-4))
print("tied" if model.output.weight is model.tok_embeddings.weight else "not tied")
