# Report: https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22
# Fixed: the projections are as wide as the model, and heads are split after them.
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_size = num_heads, embed_dim // num_heads
        self.values = nn.Linear(embed_dim, embed_dim, bias=False)
        self.keys = nn.Linear(embed_dim, embed_dim, bias=False)
        self.queries = nn.Linear(embed_dim, embed_dim, bias=False)
        self.fc_out = nn.Linear(embed_dim, embed_dim)

    def forward(self, values, keys, query):
        N, length = query.shape[:2]
        values = self.values(values).reshape(N, -1, self.num_heads, self.head_size)
        keys = self.keys(keys).reshape(N, -1, self.num_heads, self.head_size)
        queries = self.queries(query).reshape(N, -1, self.num_heads, self.head_size)
        energy = torch.einsum("nqhd,nkhd->nhqk", queries, keys)
        attention = torch.softmax(energy / self.head_size ** 0.5, dim=3)
        out = torch.einsum("nhql,nlhd->nqhd", attention, values).reshape(N, length, -1)
        return self.fc_out(out)


torch.manual_seed(37)
layer = MultiHeadAttention(8, 2)
x = torch.randn(2, 5, 8)
print(layer(x, x, x).shape)
