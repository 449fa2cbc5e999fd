# Report: https://github.com/ArrowLuo/CLIP4Clip/issues/22
# Fixed: repeat_interleave repeats each mask for the heads of its sample.
import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.attn = nn.MultiheadAttention(d_model, n_head, batch_first=True)
        self.n_head = n_head

    def forward(self, x, padding):
        attn_mask = padding[:, None, :].expand(-1, x.shape[1], -1)
        attn_mask = attn_mask.repeat_interleave(self.n_head, dim=0)
        return self.attn(x, x, x, need_weights=False, attn_mask=attn_mask)[0]

torch.manual_seed(8)
layer = Block(8, 2)
x = torch.randn(2, 5, 8)
padding = torch.arange(5)[None] >= torch.tensor([5, 3])[:, None]
print(layer(x, padding).shape)
