# Queries from the decoder, keys and values from the encoder: the scores are not square and nothing is causal.
import torch
import torch.nn as nn

class CrossAttention(nn.Module):
    def __init__(self, query_dim, context_dim, heads=2, dim_head=4):
        super().__init__()
        inner_dim = dim_head * heads
        self.scale = dim_head ** -0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(context_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(context_dim, inner_dim, bias=False)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def forward(self, x, context, mask=None):
        b, n, _ = x.shape
        m = context.shape[1]
        q = self.to_q(x).view(b, n, self.heads, -1).transpose(1, 2)
        k = self.to_k(context).view(b, m, self.heads, -1).transpose(1, 2)
        v = self.to_v(context).view(b, m, self.heads, -1).transpose(1, 2)
        sim = torch.einsum('bhid,bhjd->bhij', q, k) * self.scale
        if mask is not None:
            sim = sim.masked_fill(~mask[:, None, None, :], -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = torch.einsum('bhij,bhjd->bhid', attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))

torch.manual_seed(31)
layer = CrossAttention(6, 10)
x, context = torch.randn(2, 3, 6), torch.randn(2, 7, 10)
mask = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
print(layer(x, context).shape)
print('%.4f' % layer(x, context, mask).sum().item())
