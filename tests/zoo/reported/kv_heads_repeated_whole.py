# Expected: group-order
# Report: https://github.com/ekzhang/jax-js/pull/180
# Mistake: keys and values are repeated as a whole (0 1 2 0 1 2) and not each head for its group (0 0 1 1 2 2).
import torch
import torch.nn as nn
import torch.nn.functional as F


def expand_kv(t, n_rep):
    # (batch, kv_heads, seq, head_dim) -> (batch, heads, seq, head_dim)
    if n_rep == 1:
        return t
    return t.repeat(1, n_rep, 1, 1)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads):
        super().__init__()
        assert n_heads % n_kv_heads == 0
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def forward(self, x):
        bsz, seqlen, _ = x.shape
        q = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        n_rep = self.n_heads // self.n_kv_heads
        k = expand_kv(k, n_rep)
        v = expand_kv(v, n_rep)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        out = out.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(out)


if __name__ == "__main__":
    torch.manual_seed(11)
    layer = GroupedQueryAttention(dim=30, n_heads=6, n_kv_heads=3)
    x = torch.randn(2, 7, 30)
    y = layer(x)
    print(y.shape)
    print(f"{y.sum().item():.4f}")
