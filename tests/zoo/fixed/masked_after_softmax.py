# Report: https://github.com/huggingface/pytorch-image-models/pull/2236
# Fixed: scores are masked, before the softmax.
import torch
import torch.nn as nn

class EvaAttention(nn.Module):
    def __init__(self, dim, num_heads=2):
        super().__init__()
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, attn_mask=None):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        if attn_mask is not None:
            attn = attn.masked_fill(~attn_mask[:, None, None, :], float("-inf"))
        attn = attn.softmax(dim=-1)
        return self.proj((attn @ v).transpose(1, 2).reshape(B, N, C))

torch.manual_seed(19)
layer = EvaAttention(8)
x = torch.randn(2, 5, 8)
keep = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
print(layer(x, keep).shape)
