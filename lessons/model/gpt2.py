"""GPT-2 (Radford and others, 2019), written as the chapter writes attention. Its weights come from a folder.

`config` has the names of the folder's `config.json`.
"""

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """The chapter's class, with biases and a cache: a dict that keeps the keys and values of earlier tokens."""

    def __init__(self, d_in, d_out, dropout, num_heads):
        super().__init__()
        assert d_out % num_heads == 0, "num_heads must divide d_out"
        self.d_out = d_out
        self.num_heads = self.num_kv_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out)
        self.W_value = nn.Linear(d_in, d_out)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):  # (B, T, d_out) -> (B, H, T, head_dim)
        b, num_tokens, _ = x.shape
        return x.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

    def heads(self, x):  # three of (B, H, T, head_dim)
        return self.split(self.W_query(x)), self.split(self.W_key(x)), self.split(self.W_value(x))

    def forward(self, x, cache=None):  # (B, T, d_in)
        b, num_tokens, _ = x.shape
        queries, keys, values = self.heads(x)
        if cache is not None:
            keys = torch.cat([cache.get("keys", keys[:, :, :0]), keys], dim=2)
            values = torch.cat([cache.get("values", values[:, :, :0]), values], dim=2)
            cache["keys"], cache["values"] = keys, values
        earlier = keys.shape[2] - num_tokens
        # A query sees the keys at positions up to its own.
        hide = torch.ones(num_tokens, keys.shape[2], dtype=torch.bool).triu(diagonal=earlier + 1)
        attn_scores = queries @ keys.transpose(2, 3)  # (B, H, T, earlier + T)
        attn_scores = attn_scores.masked_fill(hide, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.head_dim**0.5, dim=-1)
        context_vec = self.dropout(attn_weights) @ values
        context_vec = context_vec.transpose(1, 2).reshape(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)


class Block(nn.Module):
    """Attention, then a small network for each token. Each adds its result to the vectors that came in."""

    def __init__(self, config):
        super().__init__()
        width, eps = config["n_embd"], config.get("layer_norm_epsilon", 1e-5)
        inner = config.get("n_inner") or 4 * width
        self.norm1 = nn.LayerNorm(width, eps=eps)
        self.attention = MultiHeadAttention(width, width, config.get("attn_pdrop", 0.0), config["n_head"])
        self.norm2 = nn.LayerNorm(width, eps=eps)
        # GPT-2 approximates GELU by tanh.
        self.network = nn.Sequential(nn.Linear(width, inner), nn.GELU(approximate="tanh"), nn.Linear(inner, width))

    def forward(self, x, cache=None):  # (B, T, width)
        x = x + self.attention(self.norm1(x), cache)
        return x + self.network(self.norm2(x))


class Model(nn.Module):
    """Numbers of tokens to the logits of each next token."""

    def __init__(self, config):
        super().__init__()
        width = config["n_embd"]
        self.word = nn.Embedding(config["vocab_size"], width)
        self.place = nn.Embedding(config["n_positions"], width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config["n_layer"]))
        self.norm = nn.LayerNorm(width, eps=config.get("layer_norm_epsilon", 1e-5))
        self.answer = nn.Linear(width, config["vocab_size"], bias=False)
        self.context_length = config["n_positions"]

    def forward(self, texts, caches=None):  # (B, T); caches: a dict for each block
        earlier = caches[0]["keys"].shape[2] if caches and caches[0] else 0
        x = self.word(texts) + self.place(torch.arange(earlier, earlier + texts.shape[1]))
        for block, cache in zip(self.blocks, caches or [None] * len(self.blocks)):
            x = block(x, cache)
        return self.answer(self.norm(x))  # (B, T, vocab_size)


def weights(read, config):
    """The state of `Model` from the tensors of a file, by the names that `transformers` gives them."""
    state = {"word.weight": read("wte.weight"), "place.weight": read("wpe.weight")}
    for layer in range(config["n_layer"]):
        there, here = f"h.{layer}.", f"blocks.{layer}."
        # The file has one matrix for queries, keys and values, and all matrices as (in, out).
        queries, keys, values = read(there + "attn.c_attn.weight").T.chunk(3)
        biases = read(there + "attn.c_attn.bias").chunk(3)
        for name, weight, bias in zip(["W_query", "W_key", "W_value"], [queries, keys, values], biases):
            state[here + f"attention.{name}.weight"], state[here + f"attention.{name}.bias"] = weight, bias
        for own, name in [("attention.out_proj", "attn.c_proj"), ("network.0", "mlp.c_fc"), ("network.2", "mlp.c_proj")]:
            state[here + own + ".weight"] = read(there + name + ".weight").T
            state[here + own + ".bias"] = read(there + name + ".bias")
        for own, name in [("norm1", "ln_1"), ("norm2", "ln_2")]:
            state[here + own + ".weight"] = read(there + name + ".weight")
            state[here + own + ".bias"] = read(there + name + ".bias")
    state["norm.weight"], state["norm.bias"] = read("ln_f.weight"), read("ln_f.bias")
    # Tokens are read and answered with the same matrix, unless the file has another.
    state["answer.weight"] = read("lm_head.weight", state["word.weight"])
    return state
