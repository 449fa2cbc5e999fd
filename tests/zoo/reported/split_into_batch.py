# Expected: heads-by-view-alone
# Report: https://github.com/reczoo/FuxiCTR/issues/30
# Mistake: (batch, fields, heads * d) is viewed as (batch * heads, -1, d): a head gets some fields instead of some features.
import torch
from torch import nn

class MultiHeadSelfAttention(nn.Module):
    """Attention between the fields of a table, for predicting clicks."""
    def __init__(self, input_dim, attention_dim=4, num_heads=2):
        super().__init__()
        self.num_heads, self.attention_dim = num_heads, attention_dim
        self.W_q = nn.Linear(input_dim, attention_dim * num_heads, bias=False)
        self.W_k = nn.Linear(input_dim, attention_dim * num_heads, bias=False)
        self.W_v = nn.Linear(input_dim, attention_dim * num_heads, bias=False)

    def forward(self, X):
        batch_size = X.size(0)
        query, key, value = self.W_q(X), self.W_k(X), self.W_v(X)
        query = query.view(batch_size * self.num_heads, -1, self.attention_dim)
        key = key.view(batch_size * self.num_heads, -1, self.attention_dim)
        value = value.view(batch_size * self.num_heads, -1, self.attention_dim)
        scores = torch.bmm(query, key.transpose(1, 2)) / self.attention_dim ** 0.5
        output = torch.bmm(scores.softmax(dim=-1), value)
        return output.view(batch_size, -1, self.num_heads * self.attention_dim)

torch.manual_seed(6)
layer = MultiHeadSelfAttention(5)
print(layer(torch.randn(3, 6, 5)).shape)
