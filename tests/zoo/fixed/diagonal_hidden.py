# Report: https://github.com/pbloem/former/issues/6
# Fixed: the diagonal stays visible.
import torch
import torch.nn as nn

def mask_(matrices, maskval=0.0, mask_diagonal=True):
    """Writes maskval into the upper triangle of each matrix of a batch."""
    h, w = matrices.size(-2), matrices.size(-1)
    rows, cols = torch.triu_indices(h, w, offset=0 if mask_diagonal else 1)
    matrices[..., rows, cols] = maskval

class SelfAttention(nn.Module):
    def __init__(self, emb, heads):
        super().__init__()
        self.emb, self.heads = emb, heads
        self.tokeys, self.toqueries, self.tovalues, self.unify = (nn.Linear(emb, emb, bias=False) for _ in range(4))

    def forward(self, x):
        b, t, e = x.size()
        s = e // self.heads
        k, q, v = (f(x).view(b, t, self.heads, s).transpose(1, 2).reshape(b * self.heads, t, s)
                   for f in (self.tokeys, self.toqueries, self.tovalues))
        dot = torch.bmm(q, k.transpose(1, 2)) / s ** 0.5
        mask_(dot, maskval=float('-inf'), mask_diagonal=False)
        out = torch.bmm(dot.softmax(dim=2), v).view(b, self.heads, t, s)
        return self.unify(out.transpose(1, 2).contiguous().view(b, t, e))

torch.manual_seed(18)
layer = SelfAttention(6, 2)
x = torch.randn(2, 4, 6)
print(layer(x).shape)
