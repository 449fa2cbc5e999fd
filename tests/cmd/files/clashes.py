# %%
import torch
import torch.nn as nn

torch.manual_seed(123)
inputs = torch.rand(6, 3)

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(3, 2, bias=False)
        self.W_key = nn.Linear(3, 2, bias=False)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        return queries @ keys

head = Head()
# %%
head(inputs)
# %%
queries = head.W_query(inputs)
scores = queries @ queries.T
mask = torch.triu(torch.ones(8, 8), diagonal=1)
scores.masked_fill(mask, -torch.inf)
# %%
scores.masked_fill(mask.bool(), -torch.inf)
# %%
queries.T.view(12)
# %%
querys
# %%
weights = torch.softmax(scores.masked_fill(torch.ones(6, 6).triu(0).bool(), -torch.inf), dim=-1)
# %%
weights = torch.softmax(queries @ queries.T, dim=-1)
weights[0] = 0
weights.sum().backward()
