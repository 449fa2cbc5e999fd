# Report: https://github.com/mlfoundations/open_lm/issues/4
# Fixed: heads are moved before the tokens, so axis -2 is that of the tokens.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, dim, 2).float() / dim))

    def turn(self, x):
        t = torch.arange(x.shape[-2]).float()
        freqs = torch.outer(t, self.inv_freq)
        cos, sin = torch.cat((freqs, freqs), -1).cos(), torch.cat((freqs, freqs), -1).sin()
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-b, a), dim=-1) * sin

    def forward(self, q, k):
        return self.turn(q), self.turn(k)


class Attention(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        self.heads = heads
        self.in_proj, self.out_proj = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.pos_embed = Rotary(dim // heads)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (p.view(b, t, self.heads, -1).transpose(1, 2) for p in self.in_proj(x).chunk(3, dim=-1))
        q, k = self.pos_embed(q, k)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out_proj(y.transpose(1, 2).reshape(b, t, d))


torch.manual_seed(32)
layer = Attention()
x = torch.randn(1, 6, 16)
print(layer(x).shape)
