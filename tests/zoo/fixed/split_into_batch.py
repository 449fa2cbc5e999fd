# Report: https://github.com/reczoo/FuxiCTR/issues/30
# Fixed: heads get an axis of their own, which is moved before the fields, and back after the attention.
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
        query = query.view(batch_size, -1, self.num_heads, self.attention_dim).transpose(1, 2)
        key = key.view(batch_size, -1, self.num_heads, self.attention_dim).transpose(1, 2)
        value = value.view(batch_size, -1, self.num_heads, self.attention_dim).transpose(1, 2)
        scores = torch.matmul(query, key.transpose(2, 3)) / self.attention_dim ** 0.5
        output = torch.matmul(scores.softmax(dim=-1), value)
        return output.transpose(1, 2).reshape(batch_size, -1, self.num_heads * self.attention_dim)

torch.manual_seed(6)
layer = MultiHeadSelfAttention(5)
print(layer(torch.randn(3, 6, 5)).shape)
