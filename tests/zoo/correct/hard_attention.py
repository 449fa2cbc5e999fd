"""One key per query: argmax forwards, the softmax's gradient backwards (straight through)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

class HardAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        soft = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2) / x.shape[-1] ** 0.5, dim=-1)
        hard = F.one_hot(soft.argmax(dim=-1), soft.shape[-1]).to(soft.dtype)
        weights = hard - soft.detach() + soft
        return weights @ self.v(x)

torch.manual_seed(15)
layer = HardAttention(4)
y = layer(torch.randn(2, 5, 4))
y.sum().backward()
print(y.shape, f"{y.sum().item():.4f}", f"{layer.k.weight.grad.norm().item():.4f}")
