import torch
import torch.nn as nn

class TemperatureAttention(nn.Module):
    """Local self-attention of small images: a learned temperature replaces the scale, and a token does not see itself."""

    def __init__(self, dim, heads=2, dim_head=4):
        super().__init__()
        self.heads = heads
        self.temperature = nn.Parameter(torch.log(torch.tensor(dim_head ** -0.5)))
        self.to_qkv = nn.Linear(dim, heads * dim_head * 3, bias=False)
        self.to_out = nn.Linear(heads * dim_head, dim)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = [t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1)]
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.temperature.exp()
        itself = torch.eye(n, dtype=torch.bool)
        dots = dots.masked_fill(itself, -torch.finfo(dots.dtype).max)
        out = dots.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))

torch.manual_seed(73)
y = TemperatureAttention(6)(torch.randn(2, 5, 6))
print(y.shape, f"{y.sum().item():.4f}")
