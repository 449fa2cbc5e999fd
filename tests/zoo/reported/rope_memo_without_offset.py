# Expected: cache-differs
# Report: https://github.com/lucidrains/rotary-embedding-torch/issues/11
# Mistake: angles are kept by length alone: every later call of that length gets the positions of the first one.
import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate_pairs(x):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((-b, a), dim=-1).flatten(-2)


class Rotary(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        freqs = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("freqs", freqs)
        self.memo = {}

    def angles(self, length, offset):
        key = f"angles:{length}"
        if key not in self.memo:
            pos = torch.arange(length).float() + offset
            table = torch.einsum("i,j->ij", pos, self.freqs)
            self.memo[key] = table.repeat_interleave(2, dim=-1)
        return self.memo[key]

    def forward(self, x, offset=0):
        ang = self.angles(x.size(-2), offset)
        return x * ang.cos() + rotate_pairs(x) * ang.sin()


class RotaryAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.rotary = Rotary(dim // heads)
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, cache=None):
        b, n, d = x.shape
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        offset = 0 if cache is None else cache[0].size(2)
        q, k = self.rotary(q, offset), self.rotary(k, offset)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        out = out.transpose(1, 2).reshape(b, n, d)
        return self.to_out(out), (k, v)


if __name__ == "__main__":
    torch.manual_seed(7)
    layer = RotaryAttention(dim=32, heads=4)
    x = torch.randn(3, 10, 32)
    with torch.no_grad():
        y, cache = layer(x[:, :6])
        outs = [y]
        for t in range(6, 10):
            y, cache = layer(x[:, t : t + 1], cache)
            outs.append(y)
    out = torch.cat(outs, dim=1)
    print(out.shape, f"{out.sum().item():.4f}")
