# The book's second way to mask: softmax first, then zeros, then each row is divided by what is left.
import torch
import torch.nn as nn

torch.manual_seed(789)
W_query, W_key, W_value = nn.Linear(3, 2, bias=False), nn.Linear(3, 2, bias=False), nn.Linear(3, 2, bias=False)
inputs = torch.rand(6, 3)
queries, keys, values = W_query(inputs), W_key(inputs), W_value(inputs)
attn_weights = torch.softmax(queries @ keys.T / keys.shape[-1]**0.5, dim=-1)
mask_simple = torch.tril(torch.ones(6, 6))
masked_simple = attn_weights * mask_simple
masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keepdim=True)
print(masked_simple_norm)
context = masked_simple_norm @ values
print(context)
