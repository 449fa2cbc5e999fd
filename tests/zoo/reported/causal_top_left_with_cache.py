# Expected: cache-differs
# Report: https://github.com/Dao-AILab/flash-attention/issues/282
# Mistake: with cached keys the causal mask starts at the upper left corner, so new queries see the oldest keys only.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedSelfAttention(nn.Module):
    """Causal self attention that can continue from cached keys and values."""

    def __init__(self, dim, n_head):
        super().__init__()
        self.n_head = n_head
        self.head_dim = dim // n_head
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def split(self, t):
        B, T, C = t.shape
        return t.view(B, T, self.n_head, self.head_dim).transpose(1, 2)

    def forward(self, x, past=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=-1)
        q, k, v = self.split(q), self.split(k), self.split(v)
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        S = k.size(2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        keep = torch.ones(T, S, dtype=torch.bool).tril()
        scores = scores.masked_fill(~keep, float("-inf"))
        y = F.softmax(scores, dim=-1) @ v
        y = y.transpose(1, 2).reshape(B, T, C)
        return self.out(y), (k, v)


def main():
    torch.manual_seed(3)
    attn = CachedSelfAttention(dim=24, n_head=4)
    x = torch.randn(2, 9, 24)
    with torch.no_grad():
        whole, _ = attn(x)
        first, past = attn(x[:, :5])
        rest, past = attn(x[:, 5:], past)
    pieces = torch.cat([first, rest], dim=1)
    print(pieces.shape, past[0].shape)
    print("whole", f"{whole.sum().item():.4f}", "in pieces", f"{pieces.sum().item():.4f}")


if __name__ == "__main__":
    main()
