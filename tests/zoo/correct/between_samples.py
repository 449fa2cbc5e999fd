"""Attention between the samples of a batch, on purpose: rows of a table are compared with each other."""
import torch
import torch.nn as nn


class AttentionBetweenDatapoints(nn.Module):
    """x: (rows, columns, dim). A row becomes one token of columns * dim features, and rows attend to rows."""

    def __init__(self, columns, dim, heads=2):
        super().__init__()
        self.rows = nn.MultiheadAttention(columns * dim, heads, batch_first=True)
        self.columns = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(columns * dim), nn.LayerNorm(dim)

    def forward(self, x):
        flat = x.flatten(1).unsqueeze(0)
        y = self.norm1(flat)
        flat = flat + self.rows(y, y, y, need_weights=False)[0]
        x = flat.squeeze(0).view_as(x)
        y = self.norm2(x)
        return x + self.columns(y, y, y, need_weights=False)[0]


torch.manual_seed(9)
layer = AttentionBetweenDatapoints(columns=3, dim=4)
table = torch.randn(6, 3, 4)
out = layer(table)
print(out.shape, f"{out.sum().item():.4f}")
