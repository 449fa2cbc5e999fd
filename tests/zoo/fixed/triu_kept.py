# Report: https://github.com/hkproj/pytorch-transformer/issues/19
# Fixed: "== 0" makes 1 of what is at or below the diagonal.
import math
import torch
import torch.nn as nn

torch.manual_seed(17)
d_model, h = 8, 2
w_q, w_k, w_v, w_o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

def attention(query, key, value, mask):
    scores = (query @ key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
    scores.masked_fill_(mask == 0, -1e9)
    return scores.softmax(dim=-1) @ value

def decode(x, decoder_mask):
    b, t, _ = x.shape
    q, k, v = (w(x).view(b, t, h, d_model // h).transpose(1, 2) for w in (w_q, w_k, w_v))
    return w_o(attention(q, k, v, decoder_mask).transpose(1, 2).contiguous().view(b, t, d_model))

decoder_input = torch.randn(1, 5, d_model)
decoder_mask = torch.triu(torch.ones(1, 5, 5), diagonal=1).type(torch.int) == 0
out = decode(decoder_input, decoder_mask)
print(out.shape)
