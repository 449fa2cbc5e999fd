# Keys and values are projected along the tokens to a fixed length, so scores are (tokens, k) and nothing can be causal.
import torch
from torch import nn

class Linformer(nn.Module):
    def __init__(self, dim, seq_len, k=3, heads=2):
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.proj_k = nn.Parameter(torch.randn(seq_len, k) * k ** -0.5)
        self.proj_v = nn.Parameter(torch.randn(seq_len, k) * k ** -0.5)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        d_h = d // self.heads
        q = self.to_q(x).reshape(b, n, self.heads, d_h).transpose(1, 2)
        keys = torch.einsum('bnd,nk->bkd', self.to_k(x), self.proj_k[:n])
        values = torch.einsum('bnd,nk->bkd', self.to_v(x), self.proj_v[:n])
        keys, values = (t.reshape(b, -1, self.heads, d_h).transpose(1, 2) for t in (keys, values))
        attn = (torch.einsum('bhnd,bhkd->bhnk', q, keys) * d_h ** -0.5).softmax(dim=-1)
        return self.to_out(torch.einsum('bhnk,bhkd->bhnd', attn, values).transpose(1, 2).reshape(b, n, d))

torch.manual_seed(8)
y = Linformer(8, seq_len=10)(torch.randn(2, 7, 8))
print(y.shape, f"{y.sum().item():.4f}")
