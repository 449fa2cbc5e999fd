# Report: https://github.com/lucidrains/vit-pytorch/issues/65
# Fixed: the scale is that of the head's width.
import torch
from torch import nn, einsum

class Attention(nn.Module):
    def __init__(self, dim, heads=4, dim_head=4, dropout=0.):
        super().__init__()
        inner = dim_head * heads
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.to_qkv = nn.Linear(dim, inner * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner, dim), nn.Dropout(dropout))

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1))
        dots = einsum('bhid,bhjd->bhij', q, k) * self.scale
        out = einsum('bhij,bhjd->bhid', dots.softmax(dim=-1), v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))

torch.manual_seed(9)
layer = Attention(32)
print(layer(torch.randn(2, 5, 32)).shape)
