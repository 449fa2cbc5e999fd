"""T5's self-attention: no scale (its initialisation has it) and a learned bias by distance, in buckets."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def relative_position_bucket(relative_position, num_buckets=8, max_distance=16):
    ret = 0
    num_buckets //= 2
    ret += (relative_position > 0).to(torch.long) * num_buckets
    n = torch.abs(relative_position)
    max_exact = num_buckets // 2
    is_small = n < max_exact
    large = max_exact + (
        torch.log(n.float() / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).to(torch.long)
    large = torch.min(large, torch.full_like(large, num_buckets - 1))
    return ret + torch.where(is_small, n, large)


class T5Attention(nn.Module):
    def __init__(self, d_model=16, d_kv=4, n_heads=4):
        super().__init__()
        inner = n_heads * d_kv
        self.n_heads, self.d_kv = n_heads, d_kv
        self.q = nn.Linear(d_model, inner, bias=False)
        self.k = nn.Linear(d_model, inner, bias=False)
        self.v = nn.Linear(d_model, inner, bias=False)
        self.o = nn.Linear(inner, d_model, bias=False)
        self.relative_attention_bias = nn.Embedding(8, n_heads)
        # T5 puts the division by sqrt(d_kv) into the initial weights of the queries.
        self.q.weight.data.normal_(mean=0.0, std=(d_model * d_kv) ** -0.5)
        self.k.weight.data.normal_(mean=0.0, std=d_model ** -0.5)
        self.v.weight.data.normal_(mean=0.0, std=d_model ** -0.5)

    def compute_bias(self, query_length, key_length):
        context_position = torch.arange(query_length)[:, None]
        memory_position = torch.arange(key_length)[None, :]
        buckets = relative_position_bucket(memory_position - context_position)
        return self.relative_attention_bias(buckets).permute(2, 0, 1).unsqueeze(0)

    def forward(self, x):
        batch, length, _ = x.shape

        def shape(states):
            return states.view(batch, -1, self.n_heads, self.d_kv).transpose(1, 2)

        q, k, v = shape(self.q(x)), shape(self.k(x)), shape(self.v(x))
        scores = torch.matmul(q, k.transpose(3, 2))
        scores += self.compute_bias(length, length)
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        out = torch.matmul(weights, v).transpose(1, 2).contiguous().view(batch, -1, self.n_heads * self.d_kv)
        return self.o(out)


torch.manual_seed(7)
attention = T5Attention()
y = attention(torch.randn(2, 7, 16))
print(tuple(y.shape), round(y.sum().item(), 3))
print(relative_position_bucket(torch.arange(-6, 7)))
