"""Longformer attention (Beltagy et al., 2020): a sliding window plus a few global tokens with
projections of their own. The banded computation (O(n w)) is compared with a dense masked one."""
import math

import torch
from torch import nn
import torch.nn.functional as F

NEG = float("-inf")


class LongformerSelfAttention(nn.Module):
    def __init__(self, dim, heads, window, n_global):
        super().__init__()
        self.h, self.d, self.w, self.g = heads, dim // heads, window, n_global
        self.query, self.key, self.value = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.query_global, self.key_global, self.value_global = (nn.Linear(dim, dim) for _ in range(3))

    def heads(self, t):
        return t.view(t.size(0), t.size(1), self.h, self.d).transpose(1, 2)

    def global_rows(self, x, pad):
        """the first g tokens look at everything, through the *_global projections"""
        q = self.heads(self.query_global(x[:, :self.g]))
        k, v = self.heads(self.key_global(x)), self.heads(self.value_global(x))
        s = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        return s.masked_fill(pad[:, None, None, :], NEG).softmax(-1) @ v

    def forward(self, x, pad):
        """x (b, n, dim); pad (b, n) is True at padding"""
        b, n, _ = x.shape
        w, g = self.w, self.g
        q, k, v = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        q = q / math.sqrt(self.d)

        # 2w+1 neighbours of every position: (b, h, n, d, 2w+1)
        k_win = F.pad(k, (0, 0, w, w)).unfold(2, 2 * w + 1, 1)
        v_win = F.pad(v, (0, 0, w, w)).unfold(2, 2 * w + 1, 1)
        s_win = torch.einsum("bhnd,bhndj->bhnj", q, k_win)
        where = torch.arange(n, device=x.device)[:, None] + torch.arange(-w, w + 1, device=x.device)
        inside = (where >= 0) & (where < n)
        hide = pad[:, where.clamp(0, n - 1)]                   # (b, n, 2w+1)
        # global tokens are counted below, so they leave the window
        hide = hide | ~inside | (where < g)
        s_win = s_win.masked_fill(hide[:, None], NEG)

        s_glob = q @ k[:, :, :g].transpose(-1, -2)             # (b, h, n, g)
        s_glob = s_glob.masked_fill(pad[:, None, None, :g], NEG)

        p = torch.cat([s_glob, s_win], dim=-1).softmax(dim=-1)
        out = p[..., :g] @ v[:, :, :g] + torch.einsum("bhnj,bhndj->bhnd", p[..., g:], v_win)
        out = torch.cat([self.global_rows(x, pad), out[:, :, g:]], dim=2)
        return out.transpose(1, 2).reshape(b, n, -1)

    def dense(self, x, pad):
        """n x n version for checking"""
        b, n, _ = x.shape
        i = torch.arange(n)
        allowed = (i[:, None] - i[None, :]).abs() <= self.w
        allowed = allowed | (i < self.g)[None, :]
        q, k, v = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        keep = allowed[None, None] & ~pad[:, None, None, :]
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
        out = torch.cat([self.global_rows(x, pad), out[:, :, self.g:]], dim=2)
        return out.transpose(1, 2).reshape(b, n, -1)


class LongformerLayer(nn.Module):
    def __init__(self, dim, heads, window, n_global):
        super().__init__()
        self.attn = LongformerSelfAttention(dim, heads, window, n_global)
        self.proj = nn.Linear(dim, dim)
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.ffn = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, pad):
        x = self.ln1(x + self.proj(self.attn(x, pad)))        # post-norm as in RoBERTa
        return self.ln2(x + self.ffn(x))


@torch.no_grad()
def main():
    torch.manual_seed(0)
    b, n, dim = 3, 40, 32
    x = torch.randn(b, n, dim)
    lengths = torch.tensor([40, 31, 18])
    pad = torch.arange(n)[None] >= lengths[:, None]
    real = ~pad

    for window, n_global in ((1, 1), (4, 2), (7, 3)):
        att = LongformerSelfAttention(dim, 4, window, n_global)
        banded, dense = att(x, pad), att.dense(x, pad)
        diff = (banded - dense).abs().max().item()
        print(f"window {window}, {n_global} global: as the dense one: {diff < 1e-5}")
        assert torch.isfinite(banded).all() and diff < 1e-5

    # what stands in the padding must not be felt by real tokens
    layer = LongformerLayer(dim, 4, 3, 1)
    y = layer(x, pad)
    x2 = torch.where(pad[..., None], torch.full_like(x, 7.0), x)
    assert torch.allclose(y[real], layer(x2, pad)[real], atol=1e-5)

    # one layer: token 30 feels the window 27..33 and the global token 0
    x3 = x[:1].clone()
    feels = []
    for j in range(n):
        z = x3.clone()
        z[0, j] += 1
        moved = layer(z, pad[:1])[0, 30] - layer(x3, pad[:1])[0, 30]
        if moved.abs().max() > 1e-6:
            feels.append(j)
    print("token 30 depends on", feels)
    assert feels == [0] + list(range(27, 34))


if __name__ == "__main__":
    main()
