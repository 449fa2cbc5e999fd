# Talking heads: a linear map over the heads before the softmax and another one after it.
# Rows of the mixed weights need not sum to 1; that is how the paper defines it.
import torch
import torch.nn as nn
from torch import einsum

class TalkingHeads(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.pre_softmax_proj = nn.Parameter(torch.randn(heads, heads) * 0.3)
        self.post_softmax_proj = nn.Parameter(torch.eye(heads) + torch.randn(heads, heads) * 0.1)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = [t.reshape(b, n, self.h, d // self.h).transpose(1, 2) for t in self.to_qkv(x).chunk(3, -1)]
        dots = einsum("bhid,bhjd->bhij", q, k) * (d // self.h) ** -0.5
        dots = einsum("bhij,hg->bgij", dots, self.pre_softmax_proj)
        attn = dots.softmax(dim=-1)
        attn = einsum("bhij,hg->bgij", attn, self.post_softmax_proj)
        out = einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, d))

torch.manual_seed(40)
layer = TalkingHeads(12, 3)
y = layer(torch.randn(2, 5, 12))
print(y.shape, round(y.sum().item(), 4))
