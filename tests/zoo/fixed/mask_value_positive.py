# Report: https://github.com/awslabs/gluonts/pull/1401
# Fixed: hidden scores become -1e9.
import torch
import torch.nn as nn

class InterpretableAttention(nn.Module):
    def __init__(self, d_hidden=8, n_head=2):
        super().__init__()
        self.n_head, self.d_head = n_head, d_hidden // n_head
        self.q_proj, self.k_proj = nn.Linear(d_hidden, d_hidden), nn.Linear(d_hidden, d_hidden)
        self.v_proj = nn.Linear(d_hidden, self.d_head)
        self.out_proj = nn.Linear(self.d_head, d_hidden)

    def forward(self, x, mask):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.n_head, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.n_head, self.d_head).transpose(1, 2)
        v = self.v_proj(x)
        score = q @ k.transpose(-1, -2) / self.d_head ** 0.5
        score = score.masked_fill(mask[:, None, None, :], -1e9)
        attn = score.softmax(dim=-1).mean(dim=1)
        return self.out_proj(attn @ v)

torch.manual_seed(11)
layer = InterpretableAttention()
x = torch.randn(2, 6, 8)
mask = torch.arange(6)[None] >= torch.tensor([6, 4])[:, None]
print(layer(x, mask).shape)
