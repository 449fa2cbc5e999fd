"""Encoder and decoder with caches for both attentions, in the style of Whisper: sinusoids, keys without bias, tied output."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def sinusoids(length, channels):
    inv = torch.exp(-math.log(10000) / (channels // 2 - 1) * torch.arange(channels // 2))
    time = torch.arange(length)[:, None] * inv[None, :]
    return torch.cat([time.sin(), time.cos()], dim=1)


class MultiHeadAttention(nn.Module):
    def __init__(self, n_state, n_head):
        super().__init__()
        self.n_head = n_head
        self.query = nn.Linear(n_state, n_state)
        self.key = nn.Linear(n_state, n_state, bias=False)
        self.value = nn.Linear(n_state, n_state)
        self.out = nn.Linear(n_state, n_state)

    def forward(self, x, xa=None, mask=None, cache=None):
        q = self.query(x)
        if xa is not None and cache:
            k, v = cache["k"], cache["v"]
        else:
            k, v = self.key(x if xa is None else xa), self.value(x if xa is None else xa)
            if xa is None and cache:
                k, v = torch.cat([cache["k"], k], dim=1), torch.cat([cache["v"], v], dim=1)
            if cache is not None:
                cache["k"], cache["v"] = k, v
        return self.out(self.attend(q, k, v, mask))

    def attend(self, q, k, v, mask=None):
        n_batch, n_ctx, n_state = q.shape
        scale = (n_state // self.n_head) ** -0.25
        q = q.view(*q.shape[:2], self.n_head, -1).permute(0, 2, 1, 3) * scale
        k = k.view(*k.shape[:2], self.n_head, -1).permute(0, 2, 3, 1) * scale
        v = v.view(*v.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
        qk = q @ k
        if mask is not None:
            total = k.shape[-1]
            qk = qk + mask[total - n_ctx:total, :total]
        w = F.softmax(qk.float(), dim=-1).to(q.dtype)
        return (w @ v).permute(0, 2, 1, 3).flatten(start_dim=2)


class Block(nn.Module):
    def __init__(self, n_state, n_head, cross=False):
        super().__init__()
        self.attn, self.attn_ln = MultiHeadAttention(n_state, n_head), nn.LayerNorm(n_state)
        self.cross_attn = MultiHeadAttention(n_state, n_head) if cross else None
        self.cross_ln = nn.LayerNorm(n_state) if cross else None
        self.mlp = nn.Sequential(nn.LayerNorm(n_state), nn.Linear(n_state, 24), nn.GELU(), nn.Linear(24, n_state))

    def forward(self, x, xa=None, mask=None, cache=None):
        own, other = (None, None) if cache is None else (cache.setdefault("self", {}), cache.setdefault("cross", {}))
        x = x + self.attn(self.attn_ln(x), mask=mask, cache=own)
        if self.cross_attn is not None:
            x = x + self.cross_attn(self.cross_ln(x), xa, cache=other)
        return x + self.mlp(x)


class Translator(nn.Module):
    def __init__(self, n_mels=5, n_vocab=13, n_state=12, n_head=2, n_text=10):
        super().__init__()
        self.front = nn.Linear(n_mels, n_state)
        self.encoder = Block(n_state, n_head)
        self.token_embedding = nn.Embedding(n_vocab, n_state)
        self.positional_embedding = nn.Parameter(torch.randn(n_text, n_state) * 0.1)
        self.decoder = Block(n_state, n_head, cross=True)
        self.register_buffer("mask", torch.full((n_text, n_text), float("-inf")).triu_(1))

    def encode(self, mel):
        return self.encoder(self.front(mel) + sinusoids(mel.shape[1], self.front.out_features))

    def decode(self, tokens, xa, cache=None):
        offset = cache["self"]["k"].shape[1] if cache else 0
        x = self.token_embedding(tokens) + self.positional_embedding[offset:offset + tokens.shape[1]]
        x = self.decoder(x, xa, mask=self.mask, cache=cache)
        return x @ self.token_embedding.weight.T


torch.manual_seed(41)
model = Translator()
mel, tokens = torch.randn(2, 8, 5), torch.randint(13, (2, 6))
loss = F.cross_entropy(model.decode(tokens[:, :-1], model.encode(mel)).flatten(0, 1), tokens[:, 1:].flatten())
loss.backward()
print(f"{loss.item():.4f}", f"{model.front.weight.grad.norm().item():.4f}")
model.eval()
with torch.no_grad():
    xa, cache = model.encode(mel), {}
    pieces = [model.decode(tokens[:, i:i + 1], xa, cache) for i in range(6)]
    print(torch.allclose(torch.cat(pieces, dim=1), model.decode(tokens, xa), atol=1e-5))
