# Report: https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146
# Fixed: the softmax runs along the keys' axis.
import torch
import torch.nn as nn


class PixelAttention(nn.Module):
    """Self attention over the pixels of a feature map."""

    def __init__(self, n_channels, n_heads, d_k):
        super().__init__()
        self.norm = nn.GroupNorm(3, n_channels)
        self.projection = nn.Linear(n_channels, n_heads * d_k * 3)
        self.output = nn.Linear(n_heads * d_k, n_channels)
        self.scale = d_k**-0.5
        self.n_heads = n_heads
        self.d_k = d_k

    def forward(self, x):
        batch_size, n_channels, height, width = x.shape
        x = self.norm(x)
        x = x.view(batch_size, n_channels, -1).permute(0, 2, 1)
        qkv = self.projection(x).view(batch_size, -1, self.n_heads, 3 * self.d_k)
        q, k, v = torch.chunk(qkv, 3, dim=-1)
        attn = torch.einsum("bihd,bjhd->bijh", q, k) * self.scale
        attn = attn.softmax(dim=2)
        res = torch.einsum("bijh,bjhd->bihd", attn, v)
        res = res.reshape(batch_size, -1, self.n_heads * self.d_k)
        res = self.output(res)
        res = res + x
        return res.permute(0, 2, 1).view(batch_size, n_channels, height, width)


class MidBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv_in = nn.Conv2d(channels, channels, 3, padding=1)
        self.attn = PixelAttention(channels, n_heads=2, d_k=7)
        self.conv_out = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return self.conv_out(self.attn(torch.relu(self.conv_in(x))))


if __name__ == "__main__":
    torch.manual_seed(4)
    block = MidBlock(channels=12)
    image = torch.randn(3, 12, 4, 5)
    with torch.no_grad():
        out = block(image)
    print(out.shape)
    print(f"{out.sum().item():.4f}")
