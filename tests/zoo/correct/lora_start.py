"""LoRA around frozen projections; B begins at zero."""
import torch
from torch import nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scaling = alpha / rank

    def forward(self, x):
        return self.base(x) + (x @ self.A.T @ self.B.T) * self.scaling


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q_proj = LoRALinear(nn.Linear(dim, dim))
        self.k_proj = nn.Linear(dim, dim).requires_grad_(False)
        self.v_proj = LoRALinear(nn.Linear(dim, dim))
        self.o_proj = nn.Linear(dim, dim).requires_grad_(False)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
                   for p in (self.q_proj, self.k_proj, self.v_proj))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, c))


torch.manual_seed(3)
layer = SelfAttention(12, 2)
x, target = torch.randn(3, 5, 12), torch.randn(3, 5, 12)
trained = [p for p in layer.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=0.01)
for step in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(layer(x), target)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
