"""How attention flows through the layers: weights averaged over heads, mixed with the identity, multiplied up."""
import torch
import torch.nn as nn


class Layer(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.weights = None

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        self.weights = torch.softmax(q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5, dim=-1)
        return x + self.out((self.weights @ v).transpose(1, 2).reshape(b, t, d))


torch.manual_seed(11)
layers = nn.ModuleList([Layer(8, 2) for _ in range(3)])
x = torch.randn(1, 5, 8)
for layer in layers:
    x = layer(x)
rollout = torch.eye(5)
for layer in layers:
    fused = layer.weights.detach().mean(dim=1)[0] + torch.eye(5)
    rollout = fused / fused.sum(dim=-1, keepdim=True) @ rollout
print(rollout)
print(rollout.sum(-1))
