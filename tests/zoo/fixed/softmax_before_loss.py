# Report: https://github.com/bkitano/llama-from-scratch/issues/5
# Fixed: cross_entropy gets logits.
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(21)
V, D, T = 10, 12, 6

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(V, D)
        self.qkv = nn.Linear(D, 3 * D, bias=False)
        self.linear = nn.Linear(D, V)

    def forward(self, idx, targets=None):
        x = self.embedding(idx)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True)
        logits = self.linear(x)
        if targets is None:
            return logits
        return logits, F.cross_entropy(logits.view(-1, V), targets.reshape(-1))

model = Model()
ids = torch.randint(V, (3, T + 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    logits, loss = model(ids[:, :-1], ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.3f}")
