# Report: https://github.com/pytorch/pytorch/issues/124464
# Fixed: dropout_p is 0 outside of training.
import torch
import torch.nn as nn
import torch.nn.functional as F

class Attention(nn.Module):
    def __init__(self, dim=8, heads=2, attn_drop=0.3):
        super().__init__()
        self.heads, self.attn_drop = heads, attn_drop
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        x = F.scaled_dot_product_attention(q, k, v, dropout_p=self.attn_drop if self.training else 0.0)
        return self.proj(x.transpose(1, 2).reshape(b, n, c))

torch.manual_seed(20)
layer = Attention().eval()
x = torch.randn(2, 6, 8)
with torch.no_grad():
    print(layer(x).shape)
