"""Low-rank adapters on queries and values: the base is frozen and B begins at zero, so A gets no gradient at first."""
import math
import torch
import torch.nn as nn


class LoRALinear(nn.Module):
    def __init__(self, linear, rank=2, alpha=4):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(linear.in_features, rank) / math.sqrt(rank))
        self.B = nn.Parameter(torch.zeros(rank, linear.out_features))
        self.scaling = alpha / rank

    def forward(self, x):
        return self.linear(x) + self.scaling * (x @ self.A @ self.B)


class Attention(nn.Module):
    def __init__(self, d=8, heads=2):
        super().__init__()
        self.heads = heads
        self.W_query, self.W_key, self.W_value, self.out_proj = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (w(x).view(b, t, self.heads, -1).transpose(1, 2) for w in (self.W_query, self.W_key, self.W_value))
        w = (q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5)
        w = w.masked_fill(torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1), -torch.inf).softmax(dim=-1)
        return self.out_proj((w @ v).transpose(1, 2).flatten(2))


torch.manual_seed(5)
layer = Attention()
for p in layer.parameters():
    p.requires_grad_(False)
layer.W_query, layer.W_value = LoRALinear(layer.W_query), LoRALinear(layer.W_value)
trained = [p for p in layer.parameters() if p.requires_grad]
x, y = torch.randn(3, 5, 8), torch.randn(3, 5, 8)
opt = torch.optim.AdamW(trained, lr=5e-2)
for n in range(3):
    loss = nn.functional.mse_loss(layer(x), y)
    opt.zero_grad()
    loss.backward()
    print(f"{loss.item():.4f}", f"{layer.W_query.A.grad.norm().item():.4f}")
    opt.step()
print(sum(p.numel() for p in trained), "of", sum(p.numel() for p in layer.parameters()))
