# A model of GPT-2's size with random weights, as chapter 4 of the book writes it, and two ways in which it writes text.
# LAYERS, WIDTH, HEADS and WORDS are set before this runs.
import time

import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * ((x - mean) / torch.sqrt(var + self.eps)) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.W_query = nn.Linear(width, width, bias=False)
        self.W_key = nn.Linear(width, width, bias=False)
        self.W_value = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("mask", torch.triu(torch.ones(context, context), diagonal=1))
        self.cache = None

    def forward(self, x, use_cache):
        batch, tokens, width = x.shape
        keys, values, queries = self.W_key(x), self.W_value(x), self.W_query(x)
        keys = keys.view(batch, tokens, self.heads, self.head_width)
        values = values.view(batch, tokens, self.heads, self.head_width)
        queries = queries.view(batch, tokens, self.heads, self.head_width)
        before = 0
        if use_cache:
            if self.cache is not None:
                before = self.cache[0].shape[1]
                keys = torch.cat((self.cache[0], keys), dim=1)
                values = torch.cat((self.cache[1], values), dim=1)
            self.cache = keys, values
        keys, values, queries = keys.transpose(1, 2), values.transpose(1, 2), queries.transpose(1, 2)
        scores = queries @ keys.transpose(2, 3)
        scores.masked_fill_(self.mask.bool()[before:before + tokens, :before + tokens], -torch.inf)
        weights = self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1))
        context = (weights @ values).transpose(1, 2)
        return self.out_proj(context.contiguous().view(batch, tokens, width))


class TransformerBlock(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.att = MultiHeadAttention(width, heads, context)
        self.ff = nn.Sequential(nn.Linear(width, 4 * width), GELU(), nn.Linear(4 * width, width))
        self.norm1, self.norm2 = LayerNorm(width), LayerNorm(width)
        self.drop_shortcut = nn.Dropout(0.1)

    def forward(self, x, use_cache):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, layers, width, heads, words, context):
        super().__init__()
        self.tok_emb, self.pos_emb = nn.Embedding(words, width), nn.Embedding(context, width)
        self.drop_emb = nn.Dropout(0.1)
        self.trf_blocks = nn.ModuleList([TransformerBlock(width, heads, context) for _ in range(layers)])
        self.final_norm = LayerNorm(width)
        self.out_head = nn.Linear(width, words, bias=False)
        self.written = 0

    def forward(self, ids, use_cache=False):
        first = self.written if use_cache else 0
        self.written = first + ids.shape[1]
        places = torch.arange(first, self.written)
        x = self.drop_emb(self.tok_emb(ids) + self.pos_emb(places))
        for block in self.trf_blocks:
            x = block(x, use_cache)
        return self.out_head(self.final_norm(x))

    def forget(self):
        """Forgets the text that the cache belongs to."""
        self.written = 0
        for block in self.trf_blocks:
            block.att.cache = None


def generate(ids, count, use_cache):
    """The text and the seconds that each new token took."""
    model.forget()
    new, seconds = ids, []
    with torch.no_grad():
        for _ in range(count):
            start = time.perf_counter()
            logits = model(new, use_cache=True) if use_cache else model(ids)
            probabilities = torch.softmax(logits[:, -1, :], dim=-1)
            new = torch.argmax(probabilities, dim=-1, keepdim=True)
            ids = torch.cat((ids, new), dim=1)
            seconds.append(time.perf_counter() - start)
    return ids, seconds


torch.manual_seed(123)
model = GPTModel(LAYERS, WIDTH, HEADS, WORDS, 1024)
model.eval()
start_ids = torch.randint(0, WORDS, (1, 4))
# What each new token reads: the weights of all layers, and of the last one that chooses a word.
weight_bytes = sum(4 * p.numel() for name, p in model.named_parameters() if "emb" not in name)


def sum_speed():
    """Gigabytes a second at which half a gigabyte is summed up: what the memory can deliver."""
    numbers, fewest = torch.ones(125_000_000), float("inf")
    for _ in range(5):
        start = time.perf_counter()
        numbers.sum().item()
        fewest = min(fewest, time.perf_counter() - start)
    return 0.5 / fewest
