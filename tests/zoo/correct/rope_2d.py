"""Rotary positions of an image: half of each head turns with the row, the other half with the column."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate(x, angle):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()], dim=-1).flatten(-2)


class Rope2d(nn.Module):
    def __init__(self, head_dim, base=100.0):
        super().__init__()
        quarter = head_dim // 4
        self.register_buffer("freqs", base ** (-torch.arange(quarter).float() / quarter))

    def forward(self, x, rows, cols):
        up, across = x.chunk(2, dim=-1)
        return torch.cat([rotate(up, torch.outer(rows, self.freqs)), rotate(across, torch.outer(cols, self.freqs))], dim=-1)


class ImageAttention(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Linear(dim, dim) for _ in range(4))
        self.rope = Rope2d(dim // heads)

    def forward(self, x, shift=0.0):
        b, h, w, d = x.shape
        rows = torch.arange(h).float().repeat_interleave(w) + shift
        cols = torch.arange(w).float().repeat(h) + shift
        q, k, v = (f(x).view(b, h * w, self.heads, -1).transpose(1, 2) for f in (self.to_q, self.to_k, self.to_v))
        q, k = self.rope(q, rows, cols), self.rope(k, rows, cols)
        scores = q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5
        out = scores.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).reshape(b, h, w, d))


torch.manual_seed(6)
layer = ImageAttention()
image = torch.randn(1, 3, 4, 16)
y = layer(image)
print(y.shape, f"{y.sum().item():.3f}", torch.allclose(y, layer(image, shift=7.0), atol=1e-4))
