"""Learned queries read an image's patches; padding is hidden; weights can be returned."""
import torch
from torch import nn


class Resampler(nn.Module):
    def __init__(self, dim, width, queries, heads):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(queries, dim) * 0.5)
        self.norm_x, self.norm_q = nn.LayerNorm(width), nn.LayerNorm(dim)
        self.to_q, self.to_kv = nn.Linear(dim, dim, bias=False), nn.Linear(width, 2 * dim, bias=False)
        self.heads, self.drop = heads, nn.Dropout(0.1)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, valid=None, return_weights=False):
        b = x.shape[0]
        q = self.to_q(self.norm_q(self.latents)).expand(b, -1, -1)
        k, v = self.to_kv(self.norm_x(x)).chunk(2, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        sim = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if valid is not None:
            sim = sim.masked_fill(~valid[:, None, None, :], torch.finfo(sim.dtype).min)
        weights = sim.softmax(-1)
        out = self.to_out((self.drop(weights) @ v).transpose(1, 2).flatten(2))
        return (out, weights) if return_weights else out


class Patches(nn.Module):
    def __init__(self, size, channels, dim):
        super().__init__()
        self.size = size
        self.embed = nn.Linear(size * size * channels, dim)
        self.position = nn.Parameter(torch.randn(1, 6, dim) * 0.02)

    def forward(self, image):
        b, c, h, w = image.shape
        p = self.size
        x = image.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * p * p)
        return self.embed(x) + self.position


torch.manual_seed(20)
patches, resampler = Patches(4, 3, 14), Resampler(15, 14, 4, 3)
image = torch.randn(2, 3, 8, 12)
tokens = patches(image)
valid = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
resampler.eval()
out, weights = resampler(tokens, valid, return_weights=True)
print(tokens.shape, out.shape, weights.shape, f"{out.abs().sum().item():.3f}")
