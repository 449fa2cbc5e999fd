# Report: https://github.com/facebookresearch/xformers/issues/1185
# Fixed: `to` returns an object of the same class.
import torch
import torch.nn as nn


class BlockMask:
    """Documents of the given lengths lie one after the other; a token sees its own document."""

    def __init__(self, lengths, dtype=torch.float32):
        self.lengths, self.dtype = lengths, dtype

    def to(self, dtype):
        return type(self)(self.lengths, dtype)

    def materialize(self):
        doc = torch.repeat_interleave(torch.arange(len(self.lengths)), torch.tensor(self.lengths))
        return torch.zeros(len(doc), len(doc), dtype=self.dtype).masked_fill(doc[:, None] != doc, float("-inf"))


class CausalBlockMask(BlockMask):
    def materialize(self):
        whole = super().materialize()
        return whole.masked_fill(torch.ones_like(whole).triu(1).bool(), float("-inf"))


class Attention(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, attn_bias):
        s = self.q(x) @ self.k(x).transpose(-1, -2) / x.shape[-1] ** 0.5
        return (s + attn_bias.to(x.dtype).materialize()).softmax(-1) @ self.v(x)


torch.manual_seed(27)
layer = Attention()
x = torch.randn(1, 5, 6)
mask = CausalBlockMask([3, 2])
print(layer(x, mask).shape)
