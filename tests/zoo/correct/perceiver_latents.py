"""A few learned latents read a long input by cross-attention, then attend to themselves (Perceiver, Set Transformer)."""
import torch
import torch.nn as nn

class Attend(nn.Module):
    def __init__(self, q_dim, kv_dim, heads=2, head_dim=4):
        super().__init__()
        self.heads = heads
        self.scale = head_dim ** -0.5
        self.to_q = nn.Linear(q_dim, heads * head_dim, bias=False)
        self.to_kv = nn.Linear(kv_dim, 2 * heads * head_dim, bias=False)
        self.to_out = nn.Linear(heads * head_dim, q_dim)

    def forward(self, x, context=None):
        context = x if context is None else context
        q = self.to_q(x)
        k, v = self.to_kv(context).chunk(2, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2).flatten(0, 1) for t in (q, k, v))
        attn = (torch.einsum("bid,bjd->bij", q, k) * self.scale).softmax(dim=-1)
        out = torch.einsum("bij,bjd->bid", attn, v)
        out = out.unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2)
        return self.to_out(out)

class Perceiver(nn.Module):
    def __init__(self, latents=3, dim=8, input_dim=5):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(latents, dim))
        self.cross = Attend(dim, input_dim)
        self.self_attn = Attend(dim, dim)

    def forward(self, data):
        x = self.latents.expand(data.shape[0], -1, -1)
        x = x + self.cross(x, data)
        return x + self.self_attn(x)

torch.manual_seed(36)
net = Perceiver()
data = torch.randn(2, 20, 5)
y = net(data)
shuffled = net(data[:, torch.randperm(20)])
print(y.shape, torch.allclose(y, shuffled, atol=1e-6))
