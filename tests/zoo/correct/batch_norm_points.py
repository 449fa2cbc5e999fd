# Attention between the points of a cloud with batch norm after it: while training, samples share their statistics.
import torch
import torch.nn as nn

class PointAttention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.q = nn.Linear(channels, channels // 2, bias=False)
        self.k = nn.Linear(channels, channels // 2, bias=False)
        self.v = nn.Linear(channels, channels)
        self.after_norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        energy = self.q(x) @ self.k(x).transpose(1, 2) / (x.shape[-1] // 2) ** 0.5
        y = torch.softmax(energy, dim=-1) @ self.v(x)
        offset = self.after_norm((x - y).transpose(1, 2)).transpose(1, 2)
        return x + torch.relu(offset)

torch.manual_seed(10)
net = PointAttention(6)
points = torch.randn(3, 7, 6)
for _ in range(2):
    out = net(points)
    out.mean().backward()
    print(f"{out.sum().item():.3f}")
net.eval()
print(net(points)[0].shape, f"{net(points).sum().item():.3f}", torch.allclose(net(points)[:1], net(points[:1]), atol=1e-6))
