# Report: https://github.com/keitakurita/Practical_NLP_in_PyTorch/issues/1
# Fixed: the second attention takes keys and values from the encoder.
import torch
import torch.nn as nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.query, self.key, self.value, self.out = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, queries, keys, values, mask=None):
        split = lambda t: t.view(t.shape[0], t.shape[1], self.n_heads, -1).transpose(1, 2)
        q, k, v = split(self.query(queries)), split(self.key(keys)), split(self.value(values))
        s = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        return self.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

class DecoderBlock(nn.Module):
    def __init__(self, d_model=8, n_heads=2):
        super().__init__()
        self.masked_attn = MultiHeadAttention(d_model, n_heads)
        self.attn = MultiHeadAttention(d_model, n_heads)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, enc_out):
        causal = torch.ones(x.shape[1], x.shape[1]).tril().bool()
        x = self.norm1(x + self.masked_attn(x, x, x, causal))
        att = self.attn(queries=x, keys=enc_out, values=enc_out)
        return self.norm2(x + att)

torch.manual_seed(36)
layer = DecoderBlock()
x, memory = torch.randn(2, 4, 8), torch.randn(2, 6, 8)
print(layer(x, memory).shape)
