import torch
import torch.nn as nn


class RelativeSelfAttention(nn.Module):
    """Self-attention with relative positions after Shaw et al.: learned vectors by clipped distance, added to the keys
    and to the values."""

    def __init__(self, d=8, k=3):
        super().__init__()
        self.k, self.d = k, d
        self.W_Q = nn.Linear(d, d, bias=False)
        self.W_K = nn.Linear(d, d, bias=False)
        self.W_V = nn.Linear(d, d, bias=False)
        self.a_K = nn.Embedding(2 * k + 1, d)
        self.a_V = nn.Embedding(2 * k + 1, d)

    def forward(self, x):
        n = x.shape[1]
        j = torch.arange(n)
        clipped = (j[None, :] - j[:, None]).clamp(-self.k, self.k) + self.k
        rel_k, rel_v = self.a_K(clipped), self.a_V(clipped)
        Q, K, V = self.W_Q(x), self.W_K(x), self.W_V(x)
        e = torch.einsum("bid,bjd->bij", Q, K) + torch.einsum("bid,ijd->bij", Q, rel_k)
        alpha = torch.softmax(e / self.d ** 0.5, dim=-1)
        return torch.einsum("bij,bjd->bid", alpha, V) + torch.einsum("bij,ijd->bid", alpha, rel_v)


torch.manual_seed(55)
layer = RelativeSelfAttention()
z = layer(torch.randn(2, 6, 8))
z.pow(2).sum().backward()
print(z.shape)
print(["%.3f" % p.grad.norm().item() for p in layer.parameters()])
