import torch
import torch.nn.functional as F

texts = torch.rand(2, 6, 2)
texts @ texts.T
# %%
scores = torch.rand(2, 4, 6, 6)
visible = torch.tril(torch.ones(6, 6))
scores.masked_fill(visible, -torch.inf)
# %%
padding = torch.zeros(2, 6).bool()
scores.masked_fill(padding, -torch.inf)
# %%
logits = torch.rand(2, 6, 10)
targets = torch.randint(0, 10, (2, 6))
F.cross_entropy(logits, targets)
# %%
torch.einsum("bqd,bkd->bqk", texts, torch.rand(2, 6, 3))
# %%
queries, keys = torch.rand(2, 8, 6, 4), torch.rand(2, 2, 6, 4)
F.scaled_dot_product_attention(queries, keys, keys)
