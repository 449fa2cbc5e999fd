"""A router's softmax over experts: the two best, their weights normalised again, mix the experts' outputs."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class MoE(nn.Module):
    def __init__(self, d=8, experts=4, k=2):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(d, experts, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(d, 16), nn.SiLU(), nn.Linear(16, d)) for _ in range(experts)])

    def forward(self, x):
        weights, chosen = F.softmax(self.gate(x), dim=-1).topk(self.k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(x)
        for n, expert in enumerate(self.experts):
            share = (weights * (chosen == n)).sum(dim=-1, keepdim=True)
            out = out + share * expert(x)
        return out


class Block(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.attn, self.moe = nn.MultiheadAttention(d, 2, batch_first=True), MoE(d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x):
        y, causal = self.n1(x), torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        x = x + self.attn(y, y, y, attn_mask=causal, need_weights=False)[0]
        return x + self.moe(self.n2(x))


torch.manual_seed(13)
block = Block()
x = torch.randn(2, 5, 8)
loss = (block(x) - 1).square().mean()
loss.backward()
print(f"{loss.item():.4f}", f"{block.moe.gate.weight.grad.norm().item():.4f}")
