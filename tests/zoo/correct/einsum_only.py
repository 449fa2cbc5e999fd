import torch
from torch import einsum, nn

class MHA(nn.Module):
    """Weights as parameters with an axis for the head; nothing is split or joined by view."""
    def __init__(self, model, heads, key):
        super().__init__()
        self.wq = nn.Parameter(torch.randn(heads, model, key) * model ** -0.5)
        self.wk = nn.Parameter(torch.randn(heads, model, key) * model ** -0.5)
        self.wv = nn.Parameter(torch.randn(heads, model, key) * model ** -0.5)
        self.wo = nn.Parameter(torch.randn(heads, key, model) * (heads * key) ** -0.5)
        self.key = key

    def forward(self, x):
        q = einsum('bnm,hmk->bhnk', x, self.wq)
        k = einsum('bnm,hmk->bhnk', x, self.wk)
        v = einsum('bnm,hmk->bhnk', x, self.wv)
        logits = einsum('bhik,bhjk->bhij', q, k) / self.key ** 0.5
        n = x.shape[1]
        logits = logits + torch.triu(torch.full((n, n), float('-inf')), 1)
        return einsum('bhij,bhjk,hkm->bim', logits.softmax(-1), v, self.wo)

torch.manual_seed(4)
f = MHA(10, 2, 5)
x = torch.randn(3, 6, 10)
y = f(x)
print(y.shape, '%.4f' % y.norm().item())
