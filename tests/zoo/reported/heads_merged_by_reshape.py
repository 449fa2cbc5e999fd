# Expected: heads-joined-by-view-alone
# Report: https://github.com/jsbaan/transformer-from-scratch/pull/6
# Mistake: heads are merged by a reshape alone, so one token gets values of several.
import math

import torch
import torch.nn as nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.qkv_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def scaled_dot_product(self, q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.qkv_dim)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        attention = torch.softmax(scores, dim=-1)
        return torch.matmul(attention, v)

    def forward(self, x, mask=None):
        batch_size, seq_len, hidden_dim = x.shape
        qkv = self.qkv_proj(x)
        qkv = qkv.reshape(batch_size, seq_len, self.num_heads, 3 * self.qkv_dim)
        qkv = qkv.permute(0, 2, 1, 3)
        q, k, v = qkv.chunk(3, dim=-1)
        values = self.scaled_dot_product(q, k, v, mask)
        values = values.reshape(batch_size, seq_len, hidden_dim)
        return self.o_proj(values)


class EncoderLayer(nn.Module):
    def __init__(self, hidden_dim, num_heads, ff_dim):
        super().__init__()
        self.attn = MultiHeadSelfAttention(hidden_dim, num_heads)
        self.ff = nn.Sequential(
            nn.Linear(hidden_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, hidden_dim)
        )
        self.norm1 = nn.LayerNorm(hidden_dim)
        self.norm2 = nn.LayerNorm(hidden_dim)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.attn(x, mask))
        return self.norm2(x + self.ff(x))


if __name__ == "__main__":
    torch.manual_seed(41)
    layer = EncoderLayer(hidden_dim=18, num_heads=3, ff_dim=50)
    x = torch.randn(4, 7, 18)
    y = layer(x)
    print(y.shape)
    print(f"{(y * torch.arange(18)).sum().item():.4f}")
