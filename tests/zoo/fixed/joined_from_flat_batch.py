# Report: https://github.com/meta-pytorch/opacus/pull/825
# Fixed: the heads get an axis of their own, which is moved behind the tokens.
import torch
import torch.nn as nn

class BatchFirstAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.qlinear, self.klinear, self.vlinear, self.out_proj = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, query):
        bsz, tgt_len, embed_dim = query.size()
        def heads(t):
            return t.view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2).reshape(bsz * self.num_heads, tgt_len, self.head_dim)
        q, k, v = heads(self.qlinear(query)), heads(self.klinear(query)), heads(self.vlinear(query))
        weights = torch.bmm(q, k.transpose(1, 2)).div(self.head_dim ** 0.5).softmax(dim=-1)
        attn_output = torch.bmm(weights, v)
        attn_output = attn_output.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2)
        attn_output = attn_output.reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(attn_output)

torch.manual_seed(5)
layer = BatchFirstAttention(8, 2)
print(layer(torch.randn(2, 4, 8)).shape)
