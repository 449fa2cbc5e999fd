# Report: https://github.com/om-ai-lab/OmDet/issues/19
# Fixed: batch_first is set.
import torch
import torch.nn as nn

class EncoderLayer(nn.Module):
    def __init__(self, d_model=8, nhead=2):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, nhead, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, src, pos):
        """src and pos: (batch, tokens, d_model)"""
        q = k = src + pos
        return self.norm(src + self.self_attn(q, k, value=src)[0])

torch.manual_seed(29)
layer = EncoderLayer().eval()
batch_size, tokens = 3, 5
x, pos = torch.randn(batch_size, tokens, 8), torch.randn(1, tokens, 8)
print(layer(x, pos).shape)
