import math
import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    """All query heads share one head of keys and values."""

    def __init__(self, d, h):
        super().__init__()
        self.h, self.d_h = h, d // h
        self.q_proj = nn.Linear(d, d)
        self.kv_proj = nn.Linear(d, 2 * self.d_h)
        self.o_proj = nn.Linear(d, d)

    def forward(self, x):
        n, l, d = x.shape
        q = self.q_proj(x).reshape(n, l, self.h, self.d_h).permute(0, 2, 1, 3)
        k, v = self.kv_proj(x).split(self.d_h, dim=-1)
        logits = q.matmul(k.unsqueeze(1).transpose(-1, -2)) / math.sqrt(self.d_h)
        future = torch.arange(l)[None, :] > torch.arange(l)[:, None]
        logits = torch.where(future, torch.tensor(float("-inf")), logits)
        p = logits.softmax(-1)
        return self.o_proj(p.matmul(v.unsqueeze(1)).permute(0, 2, 1, 3).reshape(n, l, d))


torch.manual_seed(2)
m = MultiQueryAttention(12, 3)
y = m(torch.randn(3, 5, 12))
print(y.size(), f"{y.std().item():.4f}")
print(sum(p.numel() for p in m.parameters()))
