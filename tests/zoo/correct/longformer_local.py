"""Local attention on both sides with global tokens, in the manner of Longformer: `attention_window` counts both sides."""
import math
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(8)


class LocalGlobalAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, attention_window):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_size // num_heads
        self.one_side = attention_window // 2
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden, is_global):
        b, n, c = hidden.shape
        shape = (b, n, self.num_heads, self.head_dim)
        q = self.query(hidden).view(shape).transpose(1, 2)
        k = self.key(hidden).view(shape).transpose(1, 2)
        v = self.value(hidden).view(shape).transpose(1, 2)
        near = (torch.arange(n)[:, None] - torch.arange(n)[None, :]).abs() <= self.one_side
        allowed = near[None] | is_global[:, :, None] | is_global[:, None, :]
        scores = q @ k.mT / math.sqrt(self.head_dim)
        scores = scores.masked_fill(~allowed[:, None], torch.finfo(scores.dtype).min)
        out = F.softmax(scores, dim=-1) @ v
        return out.transpose(1, 2).reshape(b, n, c)


layer = LocalGlobalAttention(30, 5, attention_window=4)
hidden = torch.randn(2, 13, 30)
is_global = torch.zeros(2, 13, dtype=torch.bool)
is_global[:, 0] = True
out = layer(hidden, is_global)
print(out.shape, out.isfinite().all())
