# Axial attention: along the rows of an image, then along its columns, heads inside of the batch.
import torch
import torch.nn as nn

class AxialAttention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.h = heads
        self.row, self.col = nn.Linear(channels, 3 * channels), nn.Linear(channels, 3 * channels)

    def along(self, x, proj):
        *outer, n, c = x.shape
        q, k, v = proj(x).view(*outer, n, 3, self.h, c // self.h).unbind(-3)
        w = torch.einsum("...nhd,...mhd->...hnm", q, k).div((c // self.h) ** 0.5).softmax(-1)
        return torch.einsum("...hnm,...mhd->...nhd", w, v).reshape(*outer, n, c)

    def forward(self, x):
        x = x + self.along(x, self.row)
        x = x.transpose(1, 2)
        x = x + self.along(x, self.col)
        return x.transpose(1, 2)

torch.manual_seed(45)
y = AxialAttention(6, 2)(torch.randn(2, 3, 4, 6))
print(y.shape, f"{y.sum().item():.4f}")
