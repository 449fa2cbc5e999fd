# Report: https://github.com/NTMC-Community/MatchZoo-py/issues/163
# Fixed: the number is -1e7.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, input_size=5):
        super().__init__()
        self.linear = nn.Linear(input_size, 1, bias=False)

    def forward(self, x, x_mask):
        """x: (batch, length, size); x_mask: True where there is padding."""
        x = self.linear(x).squeeze(dim=-1)
        x = x.masked_fill(x_mask, -1e7)
        return F.softmax(x, dim=-1)


torch.manual_seed(13)
layer = Attention()
x = torch.randn(2, 6, 5)
x_mask = torch.arange(6)[None] >= torch.tensor([3, 6])[:, None]
context = torch.bmm(layer(x, x_mask).unsqueeze(1), x).squeeze(1)
print(context.shape)
