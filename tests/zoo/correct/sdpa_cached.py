# scaled_dot_product_attention with a cache: the mask for new tokens has to be given, is_causal would align it wrongly.
import torch
import torch.nn as nn
import torch.nn.functional as F

class CachedSDPA(nn.Module):
    def __init__(self, dim=12, heads=3, dropout=0.25):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def split(self, t):
        return t.view(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, past=None):
        b, new, d = x.shape
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
        total = k.shape[2]
        keep = torch.ones(total, total, dtype=torch.bool).tril()[total - new:]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep, dropout_p=self.dropout if self.training else 0.0)
        return self.o_proj(y.transpose(1, 2).reshape(b, new, d)), (k, v)

torch.manual_seed(53)
layer = CachedSDPA()
x = torch.randn(2, 7, 12)
layer(x)[0].sum().backward()
print(f"{layer.q_proj.weight.grad.norm().item():.3f}")
layer.eval()
with torch.no_grad():
    whole, _ = layer(x)
    a, past = layer(x[:, :3])
    b, past = layer(x[:, 3:5], past)
    c, past = layer(x[:, 5:], past)
print(torch.allclose(whole, torch.cat([a, b, c], dim=1), atol=1e-5), f"{whole.sum().item():.3f}")
