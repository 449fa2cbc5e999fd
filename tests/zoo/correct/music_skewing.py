"""Music Transformer: relative positions by skewing."""
import math
import torch
from torch import nn
import torch.nn.functional as F


class RelativeGlobalAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_len=12):
        super().__init__()
        self.num_heads, self.d_head = num_heads, d_model // num_heads
        self.max_len = max_len
        self.key, self.value, self.query = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.Er = nn.Parameter(torch.randn(max_len, d_model // num_heads))

    def forward(self, x):
        batch, seq, _ = x.shape
        k_t = self.key(x).reshape(batch, seq, self.num_heads, -1).permute(0, 2, 3, 1)
        v = self.value(x).reshape(batch, seq, self.num_heads, -1).transpose(1, 2)
        q = self.query(x).reshape(batch, seq, self.num_heads, -1).transpose(1, 2)
        Er_t = self.Er[self.max_len - seq:, :].transpose(0, 1)
        Srel = self.skew(q @ Er_t)
        attn = (q @ k_t + Srel) / math.sqrt(self.d_head)
        mask = torch.tril(torch.ones(seq, seq))
        attn = F.softmax(attn.masked_fill(mask == 0, float("-inf")), dim=-1)
        return (attn @ v).transpose(1, 2).reshape(batch, seq, -1)

    def skew(self, QEr):
        padded = F.pad(QEr, (1, 0))
        batch, heads, rows, columns = padded.shape
        return padded.reshape(batch, heads, columns, rows)[:, :, 1:, :]


torch.manual_seed(19)
layer = RelativeGlobalAttention(20, 4)
x = torch.randn(2, 9, 20)
print(layer(x).shape, f"{layer(x).abs().sum().item():.3f}")
