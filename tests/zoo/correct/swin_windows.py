# Attention inside of windows of an image, shifted by half a window, with the mask for what the shift brings together.
import torch
import torch.nn as nn

def window_partition(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, ws * ws, C)

def window_reverse(windows, ws, H, W):
    B = windows.shape[0] // (H * W // ws // ws)
    x = windows.view(B, H // ws, W // ws, ws, ws, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)

class ShiftedWindowAttention(nn.Module):
    def __init__(self, dim, heads, size, ws, shift):
        super().__init__()
        self.heads, self.size, self.ws, self.shift = heads, size, ws, shift
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        region = torch.zeros(1, size, size, 1)
        cuts = (slice(0, -ws), slice(-ws, -shift), slice(-shift, None))
        for n, (h, w) in enumerate((h, w) for h in cuts for w in cuts):
            region[:, h, w] = n
        region = window_partition(region, ws).squeeze(-1)
        different = region[:, None] - region[:, :, None]
        self.register_buffer("attn_mask", different.masked_fill(different != 0, -100.0))

    def forward(self, x):
        B, H, W, C = x.shape
        x = torch.roll(x, (-self.shift, -self.shift), dims=(1, 2))
        windows = window_partition(x, self.ws)
        q, k, v = self.qkv(windows).reshape(len(windows), -1, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        attn = q * (C // self.heads) ** -0.5 @ k.transpose(-2, -1)
        nW, N = self.attn_mask.shape[:2]
        attn = (attn.view(B, nW, self.heads, N, N) + self.attn_mask[None, :, None]).view(-1, self.heads, N, N)
        y = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(-1, N, C)
        y = window_reverse(self.proj(y), self.ws, H, W)
        return torch.roll(y, (self.shift, self.shift), dims=(1, 2))

torch.manual_seed(70)
layer = ShiftedWindowAttention(dim=6, heads=2, size=8, ws=4, shift=2)
y = layer(torch.randn(2, 8, 8, 6))
print(y.shape, f"{y.sum().item():.4f}")
