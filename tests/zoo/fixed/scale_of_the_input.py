# Report: https://github.com/karpathy/ng-video-lecture/pull/6
# Fixed: the scale is that of the head's width.
import torch
import torch.nn as nn
from torch.nn import functional as F

torch.manual_seed(10)
n_embd, block_size, head_size = 32, 8, 8

class Head(nn.Module):
    def __init__(self, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer('tril', torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float('-inf'))
        wei = F.softmax(wei, dim=-1)
        return wei @ self.value(x)

layer = nn.ModuleList([Head(head_size) for _ in range(4)])
x = torch.randn(2, 8, n_embd)
out = torch.cat([h(x) for h in layer], dim=-1)
loss = out.square().mean()
loss.backward()
print(out.shape)
