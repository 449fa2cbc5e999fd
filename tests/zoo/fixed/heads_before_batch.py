# Report: https://github.com/gazelle93/Transformer-Various-Positional-Encoding/issues/1
# Fixed: rows are viewed as (batch, heads), as they were made.
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, emb_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, emb_dim // num_heads
        self.query, self.key, self.value, self.out = (nn.Linear(emb_dim, emb_dim) for _ in range(4))

    def to_heads(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3).reshape(b * self.num_heads, n, self.head_dim)

    def concat(self, t, batch_size):
        t = t.view(batch_size, self.num_heads, -1, self.head_dim)
        return t.permute(0, 2, 1, 3).contiguous().view(batch_size, -1, self.num_heads * self.head_dim)

    def forward(self, x):
        q, k, v = self.to_heads(self.query(x)), self.to_heads(self.key(x)), self.to_heads(self.value(x))
        w = torch.softmax(q @ k.transpose(1, 2) / self.head_dim ** 0.5, dim=-1)
        return self.out(self.concat(w @ v, x.shape[0]))


torch.manual_seed(7)
layer = Attention(8, 2)
x = torch.randn(3, 5, 8)
print(layer(x).shape)
