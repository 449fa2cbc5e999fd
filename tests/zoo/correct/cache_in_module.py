"""A cache that the module keeps, with reset_cache()."""
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, num_heads, dropout=0.0, qkv_bias=False):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.cache_k, self.cache_v, self.seen = None, None, 0

    def forward(self, x, use_cache=False):
        b, t, _ = x.shape
        keys = self.W_key(x).view(b, t, self.num_heads, self.head_dim)
        values = self.W_value(x).view(b, t, self.num_heads, self.head_dim)
        queries = self.W_query(x).view(b, t, self.num_heads, self.head_dim)
        start = 0
        if use_cache:
            if self.cache_k is None:
                self.cache_k, self.cache_v = keys, values
            else:
                self.cache_k = torch.cat([self.cache_k, keys], dim=1)
                self.cache_v = torch.cat([self.cache_v, values], dim=1)
            keys, values = self.cache_k, self.cache_v
            start = self.seen
            self.seen += t
        keys, queries, values = keys.transpose(1, 2), queries.transpose(1, 2), values.transpose(1, 2)
        scores = queries @ keys.transpose(2, 3)
        rows, columns = torch.arange(start, start + t), torch.arange(keys.shape[2])
        scores.masked_fill_(columns[None, :] > rows[:, None], -torch.inf)
        weights = self.dropout(torch.softmax(scores / self.head_dim ** 0.5, dim=-1))
        context = (weights @ values).transpose(1, 2).reshape(b, t, self.d_out)
        return self.out_proj(context)

    def reset_cache(self):
        self.cache_k, self.cache_v, self.seen = None, None, 0


class Model(nn.Module):
    def __init__(self, vocab=13, dim=18, context=32):
        super().__init__()
        self.tok_emb, self.pos_emb = nn.Embedding(vocab, dim), nn.Embedding(context, dim)
        self.att = MultiHeadAttention(dim, dim, 3)
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, vocab)
        self.current_pos = 0

    def forward(self, ids, use_cache=False):
        if use_cache:
            pos = torch.arange(self.current_pos, self.current_pos + ids.shape[1])
            self.current_pos += ids.shape[1]
        else:
            pos = torch.arange(ids.shape[1])
        x = self.tok_emb(ids) + self.pos_emb(pos)
        return self.head(self.norm(x + self.att(x, use_cache)))

    def reset_cache(self):
        self.att.reset_cache()
        self.current_pos = 0


def generate(model, ids, new):
    model.eval()
    with torch.no_grad():
        model.reset_cache()
        logits = model(ids, use_cache=True)
        for _ in range(new):
            next_id = logits[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, next_id], 1)
            logits = model(next_id, use_cache=True)
    return ids


torch.manual_seed(9)
model = Model()
ids = torch.randint(0, 13, (2, 5))
out = generate(model, ids, 4)
print(out.shape)
with torch.no_grad():
    full = model(out)
    model.reset_cache()
    parts = torch.cat([model(out[:, :3], True), model(out[:, 3:], True)], 1)
print((full - parts).abs().max() < 1e-5)
