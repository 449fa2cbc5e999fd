"""The trained model: the chapter's attention, two blocks of it, over whole words.

`python` and `attn run` print the same numbers. How it was trained: train.py.
"""

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """The class of 3.6.2."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "num_heads must divide d_out"
        self.d_out = d_out
        self.num_heads = self.num_kv_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1), persistent=False)

    def split(self, x):  # (B, T, d_out) -> (B, H, T, head_dim)
        b, num_tokens, _ = x.shape
        return x.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

    def heads(self, x):  # three of (B, H, T, head_dim)
        return self.split(self.W_query(x)), self.split(self.W_key(x)), self.split(self.W_value(x))

    def forward(self, x):  # (B, T, d_in)
        b, num_tokens, _ = x.shape
        queries, keys, values = self.heads(x)
        attn_scores = queries @ keys.transpose(2, 3)  # (B, H, T, T)
        hide = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores = attn_scores.masked_fill(hide, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.head_dim**0.5, dim=-1)
        context_vec = self.dropout(attn_weights) @ values
        context_vec = context_vec.transpose(1, 2).contiguous()
        context_vec = context_vec.view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)  # (B, T, d_out)


class Block(nn.Module):
    """Attention, then a small network for each word. Each adds what it finds to the vectors that came in."""

    def __init__(self, width, context_length, dropout, num_heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = MultiHeadAttention(width, width, context_length, dropout, num_heads)
        self.norm2 = nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):  # (B, T, width)
        x = x + self.attention(self.norm1(x))
        return x + self.network(self.norm2(x))


class Words:
    """The tokenizer: a token is a whole word."""

    def __init__(self, text):
        self.words = text.split()

    def encode(self, text, **options):
        return [self.words.index(word) for word in text.split()]

    def decode(self, numbers, **options):
        return " ".join(self.words[number] for number in numbers).replace(" .", ".")


class Model(nn.Module):
    """Words to the scores (logits) of each next word."""

    def __init__(self, num_words, width=64, context_length=64, dropout=0.0, num_heads=4, layers=2):
        super().__init__()
        self.word = nn.Embedding(num_words, width)
        self.place = nn.Embedding(context_length, width)
        self.blocks = nn.ModuleList(Block(width, context_length, dropout, num_heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Linear(width, num_words, bias=False)
        self.context_length = context_length

    def forward(self, texts):  # (B, T), numbers of words
        x = self.word(texts) + self.place(torch.arange(texts.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.answer(self.norm(x))  # (B, T, num_words)
