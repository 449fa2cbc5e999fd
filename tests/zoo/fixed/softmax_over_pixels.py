# Report: https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146
# Fixed: the softmax runs over dim=2, the key.
import torch
import torch.nn as nn


class PixelAttention(nn.Module):
    """Self-attention over the pixels of a feature map, as a denoiser uses it."""

    def __init__(self, channels, heads, d_k):
        super().__init__()
        self.heads, self.d_k = heads, d_k
        self.norm = nn.LayerNorm(channels)
        self.project = nn.Linear(channels, heads * d_k * 3)
        self.join = nn.Linear(heads * d_k, channels)

    def forward(self, image):
        b, c, h, w = image.shape
        pixels = image.view(b, c, h * w).permute(0, 2, 1)
        qkv = self.project(self.norm(pixels)).view(b, -1, self.heads, 3 * self.d_k)
        q, k, v = torch.chunk(qkv, 3, dim=-1)
        attn = torch.einsum("bihd,bjhd->bijh", q, k) * self.d_k ** -0.5
        attn = attn.softmax(dim=2)
        mixed = torch.einsum("bijh,bjhd->bihd", attn, v).reshape(b, -1, self.heads * self.d_k)
        return (self.join(mixed) + pixels).permute(0, 2, 1).view(b, c, h, w)


torch.manual_seed(0)
layer = PixelAttention(8, heads=2, d_k=4)
out = layer(torch.randn(2, 8, 3, 3))
print(out.shape)
