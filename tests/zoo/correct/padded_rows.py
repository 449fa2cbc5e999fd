"""Rows of padding hide every key; their nan is replaced by 0 on purpose and they do not count in the loss."""
import torch
import torch.nn as nn

torch.manual_seed(41)
tokens = torch.tensor([[4, 2, 7, 5], [3, 6, 0, 0]])
real = tokens != 0
emb = nn.Embedding(8, 6, padding_idx=0)
q, k, v = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 6)

x = emb(tokens)
scores = q(x) @ k(x).transpose(1, 2) / 6 ** 0.5
visible = real[:, :, None] & real[:, None, :]
scores = scores.masked_fill(~visible, float("-inf"))
weights = torch.nan_to_num(scores.softmax(dim=-1), nan=0.0)
out = weights @ v(x)
print(weights[1])
print(out.shape, torch.isnan(out).any().item(), f"{out[real].sum().item():.4f}")
