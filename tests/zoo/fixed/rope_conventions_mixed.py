# Report: https://github.com/raiyanyahya/how-to-train-your-gpt/issues/6
# Fixed: the angles are laid out in two halves, as the rotation takes its pairs.
import torch
import torch.nn as nn

def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)

def rotary(x, positions):
    d = x.shape[-1]
    inv_freq = 1.0 / 10000 ** (torch.arange(0, d, 2).float() / d)
    emb = torch.outer(positions.float(), inv_freq).repeat(1, 2)
    return x * emb.cos() + rotate_half(x) * emb.sin()

class Attention(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim, bias=False)

    def forward(self, x, start=0):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        positions = torch.arange(start, start + t)
        q, k = rotary(q, positions), rotary(k, positions)
        s = q @ k.mT / (d // self.heads) ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool(), float('-inf'))
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))

torch.manual_seed(31)
layer = Attention()
x = torch.randn(1, 6, 16)
print(layer(x).shape)
