"""A preallocated cache, written at the current position, with learned positions that continue."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, emb_dim, n_heads, max_len):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = emb_dim // n_heads
        self.W_qkv = nn.Linear(emb_dim, 3 * emb_dim)
        self.proj = nn.Linear(emb_dim, emb_dim)
        self.register_buffer("causal", torch.ones(max_len, max_len).tril().bool())
        self.register_buffer("cache_k", torch.zeros(1, n_heads, max_len, self.head_dim))
        self.register_buffer("cache_v", torch.zeros(1, n_heads, max_len, self.head_dim))

    def forward(self, x, start=0):
        _, t, c = x.shape
        q, k, v = self.W_qkv(x).chunk(3, dim=-1)
        q, k, v = [z.view(1, t, self.n_heads, self.head_dim).transpose(1, 2) for z in (q, k, v)]
        end = start + t
        self.cache_k[:, :, start:end] = k
        self.cache_v[:, :, start:end] = v
        k, v = self.cache_k[:, :, :end], self.cache_v[:, :, :end]
        att = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        att = att.masked_fill(~self.causal[start:end, :end], float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(1, t, c))


class Decoder(nn.Module):
    def __init__(self, vocab=11, emb_dim=12, max_len=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, emb_dim)
        self.pos = nn.Embedding(max_len, emb_dim)
        self.norm = nn.LayerNorm(emb_dim)
        self.attn = Attention(emb_dim, 3, max_len)
        self.head = nn.Linear(emb_dim, vocab, bias=False)

    def forward(self, ids, start=0):
        x = self.tok(ids) + self.pos(torch.arange(start, start + ids.shape[1]))
        return self.head(x + self.attn(self.norm(x), start))


@torch.inference_mode()
def generate(model, ids, n, cached):
    logits = model(ids)
    for _ in range(n):
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
        logits = model(ids[:, -1:], ids.shape[1] - 1) if cached else model(ids)
    return ids


torch.manual_seed(42)
model = Decoder().eval()
prompt = torch.tensor([[1, 5, 2]])
print(generate(model, prompt, 6, cached=True))
print(torch.equal(generate(model, prompt, 6, cached=True), generate(model, prompt, 6, cached=False)))
