"""ALiBi: a penalty that grows with the distance, passed to the fused function as attn_mask."""
import torch
from torch import nn
import torch.nn.functional as F


def slopes(heads):
    return torch.tensor([2 ** (-8 * (h + 1) / heads) for h in range(heads)])


class ALiBiAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)
        self.register_buffer("slopes", slopes(heads))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        i = torch.arange(t)
        distance = i[None, :] - i[:, None]
        bias = self.slopes[:, None, None] * distance
        bias = bias.masked_fill(distance > 0, float("-inf"))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.proj(y.transpose(1, 2).reshape(b, t, c))


torch.manual_seed(12)
layer = ALiBiAttention(24, 4)
x = torch.randn(2, 7, 24)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
