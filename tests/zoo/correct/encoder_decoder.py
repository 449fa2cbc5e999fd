"""A translator in the manner of "Attention is all you need" on a copying task, trained for a few batches."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


def attention(query, key, value, mask=None, dropout=None):
    "Compute scaled dot-product attention. A 0 in the mask hides."
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super().__init__()
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.self_attn = MultiHeadedAttention(h, d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, 32), nn.ReLU(), nn.Linear(32, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, src_mask):
        y = self.norm1(x)
        x = x + self.self_attn(y, y, y, src_mask)
        return x + self.ff(self.norm2(x))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.self_attn = MultiHeadedAttention(h, d_model)
        self.src_attn = MultiHeadedAttention(h, d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, 32), nn.ReLU(), nn.Linear(32, d_model))
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, x, memory, src_mask, tgt_mask):
        y = self.norm1(x)
        x = x + self.self_attn(y, y, y, tgt_mask)
        x = x + self.src_attn(self.norm2(x), memory, memory, src_mask)
        return x + self.ff(self.norm3(x))


class Translator(nn.Module):
    def __init__(self, vocab=8, d_model=16, h=2):
        super().__init__()
        self.src_embed, self.tgt_embed = nn.Embedding(vocab, d_model), nn.Embedding(vocab, d_model)
        self.encoder, self.decoder = EncoderLayer(d_model, h), DecoderLayer(d_model, h)
        self.generator = nn.Linear(d_model, vocab)

    def forward(self, src, tgt, src_mask, tgt_mask):
        memory = self.encoder(self.src_embed(src), src_mask)
        return self.generator(self.decoder(self.tgt_embed(tgt), memory, src_mask, tgt_mask))


def subsequent_mask(size):
    return torch.triu(torch.ones(1, size, size), diagonal=1).type(torch.uint8) == 0


torch.manual_seed(2)
model = Translator()
opt = torch.optim.Adam(model.parameters(), lr=5e-3, betas=(0.9, 0.98), eps=1e-9)
for batch in range(3):
    src = torch.randint(1, 8, (3, 6))
    src[0, 4:] = 0
    tgt = torch.cat([torch.ones(3, 1, dtype=torch.long), src], dim=1)
    src_mask = (src != 0).unsqueeze(-2)
    tgt_in, tgt_out = tgt[:, :-1], tgt[:, 1:]
    tgt_mask = (tgt_in != 0).unsqueeze(-2) & subsequent_mask(tgt_in.size(-1))
    logits = model(src, tgt_in, src_mask, tgt_mask)
    loss = F.cross_entropy(logits.reshape(-1, 8), tgt_out.reshape(-1), ignore_index=0)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"batch {batch} loss {loss.item():.3f}")
