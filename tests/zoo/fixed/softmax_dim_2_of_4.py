# Report: https://github.com/FudanNLP/fastNLP/issues/254
# Fixed: the softmax runs over the last axis, however many there are.
import math
import torch
from torch import nn

class DotAttention(nn.Module):
    def __init__(self, key_size):
        super().__init__()
        self.scale = math.sqrt(key_size)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, Q, K, V, mask_out=None):
        output = torch.matmul(Q, K.transpose(-1, -2)) / self.scale
        if mask_out is not None:
            output = output.masked_fill(mask_out, -1e18)
        return torch.matmul(self.softmax(output), V)

class MultiHead(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.q_in, self.k_in, self.v_in, self.out = (nn.Linear(size, size) for _ in range(4))
        self.attention = DotAttention(size // heads)

    def forward(self, x):
        b, t, s = x.shape
        q, k, v = (f(x).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.q_in, self.k_in, self.v_in))
        return self.out(self.attention(q, k, v).transpose(1, 2).reshape(b, t, s))

torch.manual_seed(1)
layer = MultiHead(8, 2)
print(layer(torch.randn(2, 5, 8)).shape)
