# Residual branches that begin closed: alpha is 0, so at first no projection gets a gradient.
import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.alpha = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        y = torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, dim=-1) @ v
        return x + self.alpha * self.proj(y)

torch.manual_seed(6)
net = nn.Sequential(Block(6), Block(6))
x, y = torch.randn(2, 4, 6), torch.randn(2, 4, 6)
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for _ in range(3):
    loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.4f}", f"{net[0].qkv.weight.grad.norm().item():.4f}")
