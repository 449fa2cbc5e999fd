# GPT-NeoX: only the first part of each head is rotated; attention and MLP in parallel on one input.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(17)

def rotate_part(x, rotary_dim, offset=0):
    part, rest = x[..., :rotary_dim], x[..., rotary_dim:]
    inv = 10000 ** (-torch.arange(0, rotary_dim, 2).float() / rotary_dim)
    angle = torch.outer(torch.arange(offset, offset + x.shape[-2]).float(), inv)
    cos, sin = angle.cos(), angle.sin()
    a, b = part.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos, rest], dim=-1)

class ParallelBlock(nn.Module):
    def __init__(self, dim=16, heads=2, rotary_pct=0.5, dropout=0.2):
        super().__init__()
        self.heads, self.rotary_dim = heads, int(dim // heads * rotary_pct)
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.query_key_value, self.dense = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.drop = nn.Dropout(dropout)

    def attend(self, x, cache):
        b, t, d = x.shape
        q, k, v = self.query_key_value(x).view(b, t, self.heads, -1).transpose(1, 2).chunk(3, dim=-1)
        offset = 0 if cache is None else cache[0].shape[-2]
        q, k = rotate_part(q, self.rotary_dim, offset), rotate_part(k, self.rotary_dim, offset)
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=-2), torch.cat([cache[1], v], dim=-2)
        n = k.shape[-2]
        s = q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5
        s = s + torch.full((n, n), float("-inf")).triu(1)[n - t:]
        w = self.drop(s.softmax(dim=-1))
        return self.dense((w @ v).transpose(1, 2).reshape(b, t, d)), (k, v)

    def forward(self, x, cache=None):
        y, cache = self.attend(self.ln1(x), cache)
        return x + y + self.mlp(self.ln2(x)), cache

block = ParallelBlock()
x = torch.randn(2, 6, 16)
block(x)[0].square().mean().backward()
print(f"{block.query_key_value.weight.grad.norm().item():.3f}")
block.eval()
with torch.no_grad():
    whole, _ = block(x)
    one, cache = block(x[:, :4])
    two, cache = block(x[:, 4:], cache)
print(torch.allclose(whole, torch.cat([one, two], dim=1), atol=1e-5), f"{whole.sum().item():.3f}")
