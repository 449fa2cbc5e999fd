"""Several documents in one row: attention stays inside each of them, by a mask for scaled_dot_product_attention."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(14)


def document_mask(documents):
    same = documents[:, :, None] == documents[:, None, :]
    n = documents.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    return (same & causal)[:, None]


class PackedAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.0):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)
        self.o_proj = nn.Linear(dim, dim, bias=False)

    def forward(self, x, mask):
        q, k, v = (p(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        p = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
        return self.o_proj(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm = nn.RMSNorm(dim)
        self.attention = PackedAttention(dim, heads)

    def forward(self, x, documents):
        mask = document_mask(documents)
        return x + self.attention(self.norm(x), mask)


layer = Layer(28, 4)
documents = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 2, 2], [0, 0, 0, 0, 0, 1, 1, 1, 1]])
x = torch.randn(2, 9, 28)
whole = layer(x, documents)
alone = layer(x[:1, 3:7], documents[:1, 3:7])
print(whole.shape, torch.allclose(whole[:1, 3:7], alone, atol=1e-5))
