# %%
import torch
import torch.nn as nn
torch.manual_seed(123)
x = torch.rand(2, 6, 3)

class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=1)
        return self.dropout(attn_weights) @ values
ca = CausalAttention(3, 2, 6, 0.0)
ca(x)
# %%
class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(3, 4); self.W_key = nn.Linear(3, 4); self.W_value = nn.Linear(3, 4)
        self.register_buffer("mask", torch.triu(torch.ones(6, 6), diagonal=1))
    def forward(self, x):
        q = self.W_query(x).view(2, 2, 6, 2)
        k = self.W_key(x).view(2, 2, 6, 2)
        v = self.W_value(x).view(2, 2, 6, 2)
        s = q @ k.transpose(2, 3)
        s.masked_fill(self.mask.bool(), -torch.inf)
        w = torch.softmax(s / 4**0.5, dim=-1)
        w = w * torch.tril(torch.ones(6, 6))
        w = torch.nn.functional.dropout(w, 0.2)
        out = (w @ k)
        return out.contiguous().view(2, 6, 4)
m = Split().eval()
m(x)
