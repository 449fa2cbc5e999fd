# Scaled cosine attention as in Swin v2: the scale is learned, as a logarithm, and capped at 100.
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class CosineAttention(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((num_heads, 1, 1))))
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B_, N, C = x.shape
        qkv = self.qkv(x).reshape(B_, N, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        logit_scale = torch.clamp(self.logit_scale, max=math.log(1.0 / 0.01)).exp()
        attn = F.softmax(attn * logit_scale, dim=-1)
        return self.proj((attn @ v).transpose(1, 2).reshape(B_, N, C))

torch.manual_seed(33)
m = CosineAttention(12, 3)
y = m(torch.randn(2, 4, 12))
print(y.shape, f"{y.sum().item():.4f}")
print(F.cosine_similarity(y[0], y[1], dim=-1))
