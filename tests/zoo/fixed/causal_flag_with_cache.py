# Report: https://github.com/pytorch/pytorch/issues/144858
# Fixed: the causal mask is aligned at the lower right, where the new queries are.
import torch
import torch.nn as nn
import torch.nn.functional as F

class CachedAttention(nn.Module):
    def __init__(self, dim=8, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.cache = None

    def forward(self, x, use_cache=False):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if use_cache:
            if self.cache is not None:
                k, v = torch.cat([self.cache[0], k], dim=2), torch.cat([self.cache[1], v], dim=2)
            self.cache = (k, v)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(t, k.shape[2]).tril(k.shape[2] - t).bool())
        return self.out(y.transpose(1, 2).reshape(b, t, d))

torch.manual_seed(24)
layer = CachedAttention().eval()
x = torch.randn(1, 6, 8)
with torch.no_grad():
    outputs = [layer(x[:, i:i + 1], use_cache=True) for i in range(6)]
print(torch.cat(outputs, dim=1).shape)
