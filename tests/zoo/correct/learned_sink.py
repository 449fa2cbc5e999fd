"""A learned score per head joins each row before the softmax and is dropped after it, so a head can attend to nothing.
The weights that are left sum to less than 1, which is the purpose."""
import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.sinks = nn.Parameter(torch.zeros(heads))
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5
        scores = scores + torch.triu(torch.full((t, t), -torch.inf), diagonal=1)
        sink = self.sinks.view(1, -1, 1, 1).expand(b, -1, t, 1)
        weights = torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)[..., :-1]
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, d)), weights


torch.manual_seed(66)
layer = SinkAttention(8, 2)
y, w = layer(torch.randn(1, 4, 8))
print(y.shape)
print(w.sum(-1))
