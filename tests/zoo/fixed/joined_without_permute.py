# Report: https://github.com/jsbaan/transformer-from-scratch/pull/6
# Fixed: the heads are moved behind the tokens first.
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int = 12, num_heads: int = 3):
        super().__init__()
        self.num_heads = num_heads
        self.qkv_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        batch, length, hidden = x.shape
        qkv = self.qkv_proj(x).reshape(batch, length, self.num_heads, 3 * self.qkv_dim)
        q, k, v = qkv.permute(0, 2, 1, 3).chunk(3, dim=-1)
        logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.qkv_dim)
        values = torch.matmul(torch.softmax(logits, dim=-1), v)
        values = values.permute(0, 2, 1, 3).reshape(batch, length, hidden)
        return self.o_proj(values)


torch.manual_seed(4)
layer = MultiHeadAttention()
print(layer(torch.randn(2, 5, 12)).shape)
