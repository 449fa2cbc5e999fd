import torch
import torch.nn as nn

# ALiBi: no positions in the embeddings; each head subtracts its slope times the distance.

def slopes(heads):
    return torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)])

class ALiBi(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.register_buffer("m", slopes(heads)[:, None, None])

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (y.reshape(b, t, self.heads, self.hd).transpose(1, 2) for y in self.to_qkv(x).chunk(3, dim=-1))
        i = torch.arange(t)
        distance = (i[None, :] - i[:, None]).float()
        score = torch.einsum("bhid,bhjd->bhij", q, k) * self.hd ** -0.5 + self.m * distance
        score = score.masked_fill(distance > 0, float("-inf"))
        a = score.softmax(-1)
        return self.proj(torch.einsum("bhij,bhjd->bihd", a, v).reshape(b, t, d))

torch.manual_seed(3)
net = ALiBi(16, 4)
x = torch.randn(2, 9, 16)
y = net(x)
loss = (y - x).pow(2).mean()
loss.backward()
print(y.shape, "%.4f" % loss.item())
print("%.4f" % net.to_qkv.weight.grad.norm().item())
print(slopes(8))
