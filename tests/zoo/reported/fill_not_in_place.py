# Expected: masked-copy-unused, mask-missing
# Report: https://github.com/lucidrains/flamingo-pytorch/issues/10
# Mistake: masked_fill returns a copy; the line has no effect.
import torch
from torch import nn, einsum

class MaskedCrossAttention(nn.Module):
    def __init__(self, dim, dim_head=4, heads=2):
        super().__init__()
        self.scale, self.heads = dim_head ** -0.5, heads
        self.to_q = nn.Linear(dim, dim_head * heads, bias=False)
        self.to_kv = nn.Linear(dim, dim_head * heads * 2, bias=False)
        self.to_out = nn.Linear(dim_head * heads, dim, bias=False)

    def forward(self, x, media, text_without_media):
        b, h = x.shape[0], self.heads
        q, k, v = self.to_q(x), *self.to_kv(media).chunk(2, dim=-1)
        q, k, v = (t.reshape(b, t.shape[1], h, -1).transpose(1, 2) for t in (q, k, v))
        sim = einsum('bhid,bhjd->bhij', q * self.scale, k)
        attn = sim.softmax(dim=-1)
        attn.masked_fill(text_without_media[:, None, :, None], 0.)
        out = einsum('bhij,bhjd->bhid', attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, x.shape[1], -1))

torch.manual_seed(14)
layer = MaskedCrossAttention(6)
x, media = torch.randn(2, 4, 6), torch.randn(2, 3, 6)
nothing_yet = torch.tensor([[True, True, False, False], [True, False, False, False]])
print(layer(x, media, nothing_yet).shape)
