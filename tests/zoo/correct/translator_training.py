"""Encoder and decoder, padding in both, labels shifted, the padding left out of the loss, gradients of two batches added."""
import math
import torch
from torch import nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b = query.size(0)
        query, key, value = [lin(x).view(b, -1, self.h, self.d_k).transpose(1, 2)
                             for lin, x in zip(self.linears, (query, key, value))]
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        p_attn = self.dropout(scores.softmax(dim=-1))
        return self.linears[-1]((p_attn @ value).transpose(1, 2).contiguous().view(b, -1, self.h * self.d_k))


class Transformer(nn.Module):
    def __init__(self, source_vocab=15, target_vocab=18, dim=21, heads=3):
        super().__init__()
        self.source, self.target = nn.Embedding(source_vocab, dim, padding_idx=PAD), nn.Embedding(target_vocab, dim, padding_idx=PAD)
        self.self_attn, self.src_attn, self.enc_attn = (MultiHeadedAttention(heads, dim) for _ in range(3))
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(4)])
        self.generator = nn.Linear(dim, target_vocab)
        self.dim = dim
        position = torch.arange(64).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, dim, 2) * -(math.log(10000.0) / dim))
        pe = torch.zeros(64, dim)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term[: dim // 2])
        self.register_buffer("pe", pe.unsqueeze(0))

    def encode(self, src, src_mask):
        x = self.source(src) * math.sqrt(self.dim) + self.pe[:, :src.size(1)]
        n = self.norms[0](x)
        return self.norms[1](x + self.enc_attn(n, n, n, src_mask))

    def decode(self, memory, src_mask, tgt, tgt_mask):
        x = self.target(tgt) * math.sqrt(self.dim) + self.pe[:, :tgt.size(1)]
        n = self.norms[2](x)
        x = x + self.self_attn(n, n, n, tgt_mask)
        return x + self.src_attn(self.norms[3](x), memory, memory, src_mask)

    def forward(self, src, tgt, src_mask, tgt_mask):
        return self.generator(self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask))


def subsequent_mask(size):
    return torch.triu(torch.ones(1, size, size), diagonal=1) == 0


def make_batch(sizes):
    src = torch.full((len(sizes), 7), PAD)
    tgt = torch.full((len(sizes), 9), PAD)
    for row, n in enumerate(sizes):
        words = torch.randint(3, 15, (n,))
        src[row, :n] = words
        tgt[row, 0], tgt[row, 1:n + 1], tgt[row, n + 1] = BOS, words, EOS
    tgt_in, tgt_out = tgt[:, :-1], tgt[:, 1:]
    src_mask = (src != PAD).unsqueeze(-2)
    tgt_mask = (tgt_in != PAD).unsqueeze(-2) & subsequent_mask(tgt_in.size(-1))
    return src, tgt_in, tgt_out, src_mask, tgt_mask


torch.manual_seed(18)
model = Transformer()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-9)
criterion = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)
first = last = None
model.train()
for step in range(12):
    optimizer.zero_grad()
    for _ in range(2):
        src, tgt_in, tgt_out, src_mask, tgt_mask = make_batch([6, 3, 5, 2])
        logits = model(src, tgt_in, src_mask, tgt_mask)
        loss = criterion(logits.reshape(-1, logits.size(-1)), tgt_out.reshape(-1)) / 2
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    first, last = first or loss.item(), loss.item()
print(last < first)


def greedy_decode(model, src, src_mask, max_len):
    model.eval()
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ys = torch.full((src.size(0), 1), BOS)
        for _ in range(max_len - 1):
            out = model.decode(memory, src_mask, ys, subsequent_mask(ys.size(1)))
            ys = torch.cat([ys, model.generator(out[:, -1]).argmax(-1, keepdim=True)], dim=1)
    return ys


src, _, _, src_mask, _ = make_batch([4, 3])
print(greedy_decode(model, src, src_mask, 6).shape)
