# Report: https://github.com/facebookresearch/xformers/issues/103
# Fixed: the causal mask is made whether there is another one or not.
import torch
import torch.nn as nn

class ScaledDotProduct(nn.Module):
    def __init__(self, causal=False):
        super().__init__()
        self.causal = causal

    def forward(self, q, k, v, att_mask=None):
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if self.causal:
            causal = torch.ones(q.shape[-2], k.shape[-2]).tril().bool()
            att_mask = causal if att_mask is None else att_mask & causal
        if att_mask is not None:
            scores = scores.masked_fill(~att_mask, float("-inf"))
        return scores.softmax(dim=-1) @ v

class Layer(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.attention = ScaledDotProduct(causal=True)

    def forward(self, x, mask=None):
        return self.attention(self.q(x), self.k(x), self.v(x), mask)

torch.manual_seed(26)
layer = Layer()
x = torch.randn(2, 5, 6)
print(layer(x).shape)
