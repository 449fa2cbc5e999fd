# Report: https://github.com/huggingface/transformers/issues/31673
# Fixed: the window is taken from the causal mask, and does not replace it.
import torch
import torch.nn as nn


class DecoderLayer(nn.Module):
    def __init__(self, dim, heads, sliding_window=None):
        super().__init__()
        self.heads, self.sliding_window = heads, sliding_window
        self.qkv, self.o = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        lowest = torch.finfo(x.dtype).min
        mask = torch.full((t, t), lowest).triu(1)
        if self.sliding_window is not None:
            mask = mask + torch.full((t, t), lowest).tril(-self.sliding_window)
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        w = (q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5 + mask).softmax(-1)
        return x + self.o((w @ v).transpose(1, 2).reshape(b, t, d))


torch.manual_seed(25)
model = nn.Sequential(DecoderLayer(8, 2, sliding_window=3), DecoderLayer(8, 2))
x = torch.randn(1, 6, 8)
print(model(x).shape)
