"""Models of Llama's kind (Touvron and others, 2023), written as the chapter writes attention: Llama 2 and 3, Mistral, Qwen 2
and 3, SmolLM. Their weights come from a folder.

`config` has the names of the folder's `config.json`. What changes against GPT-2: RMS norm, positions by rotation, groups of
heads that share keys and values, a network with a gate.
"""

import math

import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    """Divides each vector by the root of the mean of its squares."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


def frequencies(config, head_dim):
    """How far each pair of numbers turns from one position to the next, in radians."""
    # The newest files have all of it in one field.
    scaling = config.get("rope_parameters") or config.get("rope_scaling") or {}
    base = scaling.get("rope_theta", config.get("rope_theta", 10000.0))
    turns = 1.0 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "linear":
        return turns / scaling["factor"]
    if kind == "llama3":  # slow turns are slowed down further, for texts longer than those of the training
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        length = scaling["original_max_position_embeddings"]
        smooth = ((length * turns / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
        return (1 - smooth) * turns / scaling["factor"] + smooth * turns
    if kind != "default":
        raise ValueError(f"config.json: rope_scaling of the kind {kind!r} is not part of attn")
    return turns


def rotated(x, angles):
    """Turns the pairs (i, i + head_dim / 2) of each vector by its position's angles."""
    cos, sin = torch.cat([angles.cos()] * 2, dim=-1), torch.cat([angles.sin()] * 2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


class GroupedAttention(nn.Module):
    """The chapter's class: `num_heads` queries share `num_kv_heads` keys and values, and queries and keys are turned."""

    def __init__(self, config):
        super().__init__()
        width, self.num_heads = config["hidden_size"], config["num_attention_heads"]
        self.num_kv_heads = config.get("num_key_value_heads") or self.num_heads
        self.head_dim = config.get("head_dim") or width // self.num_heads
        kind = config["architectures"][0]
        biased = config.get("attention_bias", kind.startswith("Qwen2"))
        self.W_query = nn.Linear(width, self.num_heads * self.head_dim, bias=biased)
        self.W_key = nn.Linear(width, self.num_kv_heads * self.head_dim, bias=biased)
        self.W_value = nn.Linear(width, self.num_kv_heads * self.head_dim, bias=biased)
        self.out_proj = nn.Linear(self.num_heads * self.head_dim, width, bias=config.get("attention_bias", False))
        self.dropout = nn.Dropout(0.0)
        normed = kind.startswith("Qwen3")
        self.query_norm = RMSNorm(self.head_dim, config["rms_norm_eps"]) if normed else nn.Identity()
        self.key_norm = RMSNorm(self.head_dim, config["rms_norm_eps"]) if normed else nn.Identity()
        self.window = config.get("sliding_window") if kind.startswith("Mistral") else None
        self.frequencies = frequencies(config, self.head_dim)

    def split(self, x):  # (B, T, H * head_dim) -> (B, H, T, head_dim)
        b, num_tokens, _ = x.shape
        return x.view(b, num_tokens, -1, self.head_dim).transpose(1, 2)

    def heads(self, x, earlier=0):  # (B, num_heads, T, head_dim), and two of (B, num_kv_heads, T, head_dim)
        queries = self.query_norm(self.split(self.W_query(x)))
        keys = self.key_norm(self.split(self.W_key(x)))
        angles = torch.arange(earlier, earlier + x.shape[1])[:, None] * self.frequencies
        return rotated(queries, angles), rotated(keys, angles), self.split(self.W_value(x))

    def forward(self, x, cache=None):  # (B, T, width)
        b, num_tokens, _ = x.shape
        earlier = cache["keys"].shape[2] if cache else 0
        queries, keys, values = self.heads(x, earlier)
        if cache is not None:
            keys = torch.cat([cache.get("keys", keys[:, :, :0]), keys], dim=2)
            values = torch.cat([cache.get("values", values[:, :, :0]), values], dim=2)
            cache["keys"], cache["values"] = keys, values
        group = self.num_heads // self.num_kv_heads
        keys, values = keys.repeat_interleave(group, dim=1), values.repeat_interleave(group, dim=1)
        # A query sees the keys at positions up to its own, and of those the last `window`.
        hide = torch.ones(num_tokens, keys.shape[2], dtype=torch.bool).triu(diagonal=earlier + 1)
        if self.window is not None:
            hide = hide | torch.ones(num_tokens, keys.shape[2], dtype=torch.bool).tril(diagonal=earlier - self.window)
        attn_scores = queries @ keys.transpose(2, 3)  # (B, H, T, earlier + T)
        attn_scores = attn_scores.masked_fill(hide, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.head_dim**0.5, dim=-1)
        context_vec = self.dropout(attn_weights) @ values
        context_vec = context_vec.transpose(1, 2).reshape(b, num_tokens, -1)
        return self.out_proj(context_vec)


class GatedNetwork(nn.Module):
    """SwiGLU: one product opens or closes what the other lets through."""

    def __init__(self, width, inner, bias):
        super().__init__()
        self.gate = nn.Linear(width, inner, bias=bias)
        self.up = nn.Linear(width, inner, bias=bias)
        self.down = nn.Linear(inner, width, bias=bias)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """Attention, then a network for each token. Each adds its result to the vectors that came in."""

    def __init__(self, config):
        super().__init__()
        width, eps = config["hidden_size"], config["rms_norm_eps"]
        self.norm1 = RMSNorm(width, eps)
        self.attention = GroupedAttention(config)
        self.norm2 = RMSNorm(width, eps)
        self.network = GatedNetwork(width, config["intermediate_size"], config.get("mlp_bias", False))

    def forward(self, x, cache=None):  # (B, T, width)
        x = x + self.attention(self.norm1(x), cache)
        return x + self.network(self.norm2(x))


class Model(nn.Module):
    """Numbers of tokens to the logits of each next token."""

    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.word = nn.Embedding(config["vocab_size"], width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config["num_hidden_layers"]))
        self.norm = RMSNorm(width, config["rms_norm_eps"])
        self.answer = nn.Linear(width, config["vocab_size"], bias=False)
        self.context_length = config["max_position_embeddings"]

    def forward(self, texts, caches=None):  # (B, T); caches: a dict for each block
        x = self.word(texts)
        for block, cache in zip(self.blocks, caches or [None] * len(self.blocks)):
            x = block(x, cache)
        return self.answer(self.norm(x))  # (B, T, vocab_size)


NAMES = {
    "attention.W_query": "self_attn.q_proj",
    "attention.W_key": "self_attn.k_proj",
    "attention.W_value": "self_attn.v_proj",
    "attention.out_proj": "self_attn.o_proj",
    "attention.query_norm": "self_attn.q_norm",
    "attention.key_norm": "self_attn.k_norm",
    "network.gate": "mlp.gate_proj",
    "network.up": "mlp.up_proj",
    "network.down": "mlp.down_proj",
    "norm1": "input_layernorm",
    "norm2": "post_attention_layernorm",
}


def weights(read, config):
    """The state of `Model` from the tensors of a file, by the names that `transformers` gives them."""
    state = {"word.weight": read("embed_tokens.weight"), "norm.weight": read("norm.weight")}
    for layer in range(config["num_hidden_layers"]):
        for own, name in NAMES.items():
            for part in ["weight", "bias"]:
                tensor = read(f"layers.{layer}.{name}.{part}", None)
                if tensor is not None:
                    state[f"blocks.{layer}.{own}.{part}"] = tensor
    tied = state["word.weight"] if config.get("tie_word_embeddings", False) else None
    state["answer.weight"] = read("lm_head.weight", tied)
    return state
