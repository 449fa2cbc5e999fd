# Scores capped by tanh, as in Gemma 2, with a scale that comes from the configuration and not from the head's width.
import torch
import torch.nn as nn

class SoftcapAttention(nn.Module):
    def __init__(self, dim=16, heads=4, query_pre_attn_scalar=4, softcap=50.0):
        super().__init__()
        self.heads, self.softcap = heads, softcap
        self.scaling = query_pre_attn_scalar ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.heads, d // self.heads).transpose(1, 2) for y in self.qkv(x).split(d, dim=-1))
        scores = torch.matmul(q, k.transpose(2, 3)) * self.scaling
        scores = torch.tanh(scores / self.softcap) * self.softcap
        scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(diagonal=1), -2.3819763e38)
        y = torch.softmax(scores, dim=-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, d))

torch.manual_seed(35)
y = SoftcapAttention()(torch.randn(2, 6, 16))
print(y.shape, round(y.sum().item(), 4))
