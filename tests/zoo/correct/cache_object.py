"""Grouped queries, rotary positions, and a cache that is an object with update(), as in transformers."""
import math
import torch
from torch import nn


class DynamicCache:
    def __init__(self):
        self.key_cache, self.value_cache = [], []

    def get_seq_length(self):
        return self.key_cache[0].shape[-2] if self.key_cache else 0

    def update(self, key, value, layer_idx):
        if len(self.key_cache) <= layer_idx:
            self.key_cache.append(key)
            self.value_cache.append(value)
        else:
            self.key_cache[layer_idx] = torch.cat([self.key_cache[layer_idx], key], dim=-2)
            self.value_cache[layer_idx] = torch.cat([self.value_cache[layer_idx], value], dim=-2)
        return self.key_cache[layer_idx], self.value_cache[layer_idx]


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rotary(positions, dim, base=10000.0):
    inv = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
    angles = positions[:, None].float() * inv
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


class Attention(nn.Module):
    def __init__(self, dim, heads, kv_heads, layer_idx):
        super().__init__()
        self.heads, self.kv_heads, self.hd, self.layer_idx = heads, kv_heads, dim // heads, layer_idx
        self.q_proj = nn.Linear(dim, heads * self.hd, bias=False)
        self.k_proj = nn.Linear(dim, kv_heads * self.hd, bias=False)
        self.v_proj = nn.Linear(dim, kv_heads * self.hd, bias=False)
        self.o_proj = nn.Linear(heads * self.hd, dim, bias=False)

    def forward(self, x, past_key_values=None):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.heads, self.hd).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.kv_heads, self.hd).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.kv_heads, self.hd).transpose(1, 2)
        start = 0
        if past_key_values is not None and len(past_key_values.key_cache) > self.layer_idx:
            start = past_key_values.key_cache[self.layer_idx].shape[-2]
        cos, sin = rotary(torch.arange(start, start + t), self.hd)
        q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
        if past_key_values is not None:
            k, v = past_key_values.update(k, v, self.layer_idx)
        k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)
        v = v.repeat_interleave(self.heads // self.kv_heads, dim=1)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.hd)
        total = k.shape[-2]
        mask = torch.full((t, total), float("-inf")).triu(total - t + 1)
        weights = torch.softmax(scores + mask, dim=-1)
        return self.o_proj((weights @ v).transpose(1, 2).reshape(b, t, -1))


class Decoder(nn.Module):
    def __init__(self, vocab=17, dim=24, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(layers)])
        self.layers = nn.ModuleList([Attention(dim, 6, 2, i) for i in range(layers)])
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids, past_key_values=None):
        x = self.embed(ids)
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x), past_key_values)
        return self.head(x)


torch.manual_seed(8)
model = Decoder().eval()
ids = torch.randint(0, 17, (3, 9))
with torch.no_grad():
    full = model(ids)
    cache = DynamicCache()
    parts = [model(ids[:, :5], cache)] + [model(ids[:, i:i + 1], cache) for i in range(5, 9)]
print(full.shape, cache.get_seq_length(), torch.allclose(full, torch.cat(parts, 1), atol=1e-5))
