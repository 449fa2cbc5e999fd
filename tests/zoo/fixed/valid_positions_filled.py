# Report: https://github.com/lucidrains/halonet-pytorch/issues/4
# Fixed: what is outside of the image is filled.
import torch
from torch import nn

class Halo(nn.Module):
    """Each block of a row of tokens looks at itself and at one neighbour on either side; ends are padded."""
    def __init__(self, dim, block=2, halo=1):
        super().__init__()
        self.block, self.halo, self.dim = block, halo, dim
        self.to_q, self.to_kv, self.to_out = nn.Linear(dim, dim, bias=False), nn.Linear(dim, 2 * dim, bias=False), nn.Linear(dim, dim)

    def windows(self, t):
        return nn.functional.pad(t, (0, 0, self.halo, self.halo)).unfold(1, self.block + 2 * self.halo, self.block).transpose(-1, -2)

    def forward(self, x):
        b, n, d = x.shape
        q = self.to_q(x).view(b, n // self.block, self.block, d)
        k, v = self.to_kv(self.windows(x)).chunk(2, dim=-1)
        sim = q @ k.transpose(-1, -2) * d ** -0.5
        mask = self.windows(torch.ones(1, n, 1)).squeeze(-1)[:, :, None, :].bool()
        sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        return self.to_out((sim.softmax(dim=-1) @ v).reshape(b, n, d))

torch.manual_seed(15)
layer = Halo(4)
x = torch.randn(1, 6, 4)
print(layer(x).shape)
