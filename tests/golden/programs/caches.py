"""GPT models with a cache, after the book and its papers: each writes the same text with the cache and without."""

# %% gpt-with-kv-cache
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg["emb_dim"], 4 * cfg["emb_dim"]), GELU(), nn.Linear(4 * cfg["emb_dim"], cfg["emb_dim"])
        )

    def forward(self, x):
        return self.layers(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", mask, persistent=False)
        self.register_buffer("cache_k", None, persistent=False)
        self.register_buffer("cache_v", None, persistent=False)
        self.ptr_current_pos = 0

    def forward(self, x, use_cache=False):
        b, num_tokens, _ = x.shape
        keys_new = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
        values_new = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
        if use_cache:
            if self.cache_k is None:
                self.cache_k, self.cache_v = keys_new, values_new
            else:
                self.cache_k = torch.cat([self.cache_k, keys_new], dim=1)
                self.cache_v = torch.cat([self.cache_v, values_new], dim=1)
            keys, values = self.cache_k, self.cache_v
        else:
            keys, values = keys_new, values_new
        keys, queries, values = keys.transpose(1, 2), queries.transpose(1, 2), values.transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        start = self.ptr_current_pos if use_cache else 0
        mask_bool = self.mask.bool()[start : start + num_tokens, : keys.shape[-2]]
        if use_cache:
            self.ptr_current_pos += num_tokens
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = self.dropout(torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1))
        context_vec = (attn_weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)

    def reset_cache(self):
        self.cache_k, self.cache_v = None, None
        self.ptr_current_pos = 0


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.att = MultiHeadAttention(cfg["emb_dim"], cfg["emb_dim"], cfg["context_length"], cfg["drop_rate"], cfg["n_heads"])
        self.ff = FeedForward(cfg)
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x, use_cache=False):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache=use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.current_pos = 0

    def forward(self, in_idx, use_cache=False):
        start = self.current_pos if use_cache else 0
        pos_ids = torch.arange(start, start + in_idx.shape[1], device=in_idx.device)
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb(pos_ids).unsqueeze(0))
        for block in self.trf_blocks:
            x = block(x, use_cache=use_cache)
        if use_cache:
            self.current_pos += in_idx.shape[1]
        return self.out_head(self.final_norm(x))

    def reset_kv_cache(self):
        for block in self.trf_blocks:
            block.att.reset_cache()
        self.current_pos = 0


def generate_text_simple(model, idx, max_new_tokens, use_cache=True):
    model.eval()
    with torch.no_grad():
        model.reset_kv_cache()
        logits = model(idx, use_cache=use_cache)
        for _ in range(max_new_tokens):
            next_idx = logits[:, -1].argmax(dim=-1, keepdim=True)
            idx = torch.cat([idx, next_idx], dim=1)
            logits = model(next_idx if use_cache else idx, use_cache=use_cache)
    return idx, logits[:, -1]


GPT_CONFIG = {"vocab_size": 61, "context_length": 48, "emb_dim": 32, "n_heads": 4, "n_layers": 2, "drop_rate": 0.1}
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
idx = torch.randint(0, 61, (2, 7))
with_cache, logits = generate_text_simple(model, idx, 12)
without, expected = generate_text_simple(model, idx, 12, use_cache=False)
print(with_cache)
print("equal without the cache:", torch.equal(with_cache, without), torch.allclose(logits, expected, atol=1e-4))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])
print(tuple(model.trf_blocks[0].att.mask.shape), model.current_pos, model.trf_blocks[1].att.cache_k)
print([name for name in model.state_dict() if "cache" in name or "mask" in name])

# %% gpt-with-preallocated-cache
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg["emb_dim"], 4 * cfg["emb_dim"]), GELU(), nn.Linear(4 * cfg["emb_dim"], cfg["emb_dim"])
        )

    def forward(self, x):
        return self.layers(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, dropout, num_heads, max_seq_len, window_size=None):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.max_seq_len, self.window_size = max_seq_len, window_size or max_seq_len
        self.register_buffer("cache_k", None, persistent=False)
        self.register_buffer("cache_v", None, persistent=False)
        self.ptr_cur = 0

    def forward(self, x, use_cache=False):
        b, num_tokens, _ = x.shape
        keys_new, values_new, queries = (
            layer(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            for layer in (self.W_key, self.W_value, self.W_query)
        )
        if use_cache:
            if self.cache_k is None or self.cache_k.size(0) != b:
                self.cache_k = torch.zeros(b, self.num_heads, self.window_size, self.head_dim, device=x.device)
                self.cache_v = torch.zeros_like(self.cache_k)
                self.ptr_cur = 0
            if self.ptr_cur + num_tokens > self.window_size:
                overflow = self.ptr_cur + num_tokens - self.window_size
                self.cache_k[:, :, :-overflow, :] = self.cache_k[:, :, overflow:, :].clone()
                self.cache_v[:, :, :-overflow, :] = self.cache_v[:, :, overflow:, :].clone()
                self.ptr_cur -= overflow
            self.cache_k[:, :, self.ptr_cur : self.ptr_cur + num_tokens, :] = keys_new
            self.cache_v[:, :, self.ptr_cur : self.ptr_cur + num_tokens, :] = values_new
            self.ptr_cur += num_tokens
            keys, values = self.cache_k[:, :, : self.ptr_cur, :], self.cache_v[:, :, : self.ptr_cur, :]
        else:
            keys, values = keys_new, values_new
        attn_scores = queries @ keys.transpose(2, 3)
        total = attn_scores.size(-1)
        causal_mask = torch.triu(
            torch.ones(num_tokens, total, device=x.device, dtype=torch.bool), diagonal=total - num_tokens + 1
        )
        attn_scores.masked_fill_(causal_mask, -torch.inf)
        attn_weights = self.dropout(torch.softmax(attn_scores / self.head_dim**0.5, dim=-1))
        context_vec = (attn_weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)

    def reset_cache(self):
        self.cache_k, self.cache_v, self.ptr_cur = None, None, 0


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.att = MultiHeadAttention(
            cfg["emb_dim"], cfg["emb_dim"], cfg["drop_rate"], cfg["n_heads"], cfg["context_length"], cfg["kv_window_size"]
        )
        self.ff = FeedForward(cfg)
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x, use_cache=False):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache=use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.current_pos = 0

    def forward(self, in_idx, use_cache=False):
        start = self.current_pos if use_cache else 0
        pos_ids = torch.arange(start, start + in_idx.shape[1], device=in_idx.device)
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb(pos_ids).unsqueeze(0))
        for block in self.trf_blocks:
            x = block(x, use_cache=use_cache)
        if use_cache:
            self.current_pos += in_idx.shape[1]
        return self.out_head(self.final_norm(x))

    def reset_kv_cache(self):
        for block in self.trf_blocks:
            block.att.reset_cache()
        self.current_pos = 0


def generate_text_simple(model, idx, max_new_tokens, use_cache=True):
    model.eval()
    with torch.no_grad():
        model.reset_kv_cache()
        logits = model(idx, use_cache=use_cache)
        for _ in range(max_new_tokens):
            next_idx = logits[:, -1].argmax(dim=-1, keepdim=True)
            idx = torch.cat([idx, next_idx], dim=1)
            logits = model(next_idx if use_cache else idx, use_cache=use_cache)
    return idx, logits[:, -1]


GPT_CONFIG = {"vocab_size": 61, "context_length": 48, "emb_dim": 32, "n_heads": 4, "n_layers": 2, "drop_rate": 0.1, "kv_window_size": 48}
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
idx = torch.randint(0, 61, (2, 7))
with_cache, logits = generate_text_simple(model, idx, 12)
without, expected = generate_text_simple(model, idx, 12, use_cache=False)
print(with_cache)
print("equal without the cache:", torch.equal(with_cache, without), torch.allclose(logits, expected, atol=1e-4))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])

GPT_CONFIG["kv_window_size"] = 10
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
windowed, logits = generate_text_simple(model, idx, 12)
print(windowed, torch.equal(windowed[:, :11], with_cache[:, :11]))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])
print([(tuple(block.att.cache_k.shape), block.att.ptr_cur) for block in model.trf_blocks])

# %% gpt-with-grouped-queries
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg["emb_dim"], 4 * cfg["emb_dim"]), GELU(), nn.Linear(4 * cfg["emb_dim"], cfg["emb_dim"])
        )

    def forward(self, x):
        return self.layers(x)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_in, d_out, dropout, num_heads, num_kv_groups, dtype=None, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        assert num_heads % num_kv_groups == 0, "num_heads must be divisible by num_kv_groups"
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.num_kv_groups, self.group_size = num_kv_groups, num_heads // num_kv_groups
        self.W_key = nn.Linear(d_in, num_kv_groups * self.head_dim, bias=qkv_bias, dtype=dtype)
        self.W_value = nn.Linear(d_in, num_kv_groups * self.head_dim, bias=qkv_bias, dtype=dtype)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias, dtype=dtype)
        self.out_proj = nn.Linear(d_out, d_out, bias=False, dtype=dtype)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("cache_k", None, persistent=False)
        self.register_buffer("cache_v", None, persistent=False)
        self.ptr_current_pos = 0

    def forward(self, x, use_cache=False):
        b, num_tokens, _ = x.shape
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        keys_new = self.W_key(x).view(b, num_tokens, self.num_kv_groups, self.head_dim).transpose(1, 2)
        values_new = self.W_value(x).view(b, num_tokens, self.num_kv_groups, self.head_dim).transpose(1, 2)
        if use_cache:
            if self.cache_k is None:
                self.cache_k, self.cache_v = keys_new, values_new
            else:
                self.cache_k = torch.cat([self.cache_k, keys_new], dim=2)
                self.cache_v = torch.cat([self.cache_v, values_new], dim=2)
            keys_base, values_base = self.cache_k, self.cache_v
        else:
            keys_base, values_base = keys_new, values_new
            self.ptr_current_pos = 0
        keys = keys_base.repeat_interleave(self.group_size, dim=1)
        values = values_base.repeat_interleave(self.group_size, dim=1)
        attn_scores = queries @ keys.transpose(2, 3)
        q_positions = torch.arange(self.ptr_current_pos, self.ptr_current_pos + num_tokens, device=x.device)
        if use_cache:
            self.ptr_current_pos += num_tokens
        k_positions = torch.arange(keys.shape[-2], device=x.device)
        attn_scores = attn_scores.masked_fill(q_positions.unsqueeze(-1) < k_positions.unsqueeze(0), -torch.inf)
        attn_weights = self.dropout(torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1))
        context_vec = (attn_weights @ values).transpose(1, 2)
        return self.out_proj(context_vec.reshape(b, num_tokens, self.d_out))

    def reset_cache(self):
        self.cache_k, self.cache_v, self.ptr_current_pos = None, None, 0


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.att = GroupedQueryAttention(cfg["emb_dim"], cfg["emb_dim"], cfg["drop_rate"], cfg["n_heads"], cfg["n_kv_groups"])
        self.ff = FeedForward(cfg)
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x, use_cache=False):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache=use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.current_pos = 0

    def forward(self, in_idx, use_cache=False):
        start = self.current_pos if use_cache else 0
        pos_ids = torch.arange(start, start + in_idx.shape[1], device=in_idx.device)
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb(pos_ids).unsqueeze(0))
        for block in self.trf_blocks:
            x = block(x, use_cache=use_cache)
        if use_cache:
            self.current_pos += in_idx.shape[1]
        return self.out_head(self.final_norm(x))

    def reset_kv_cache(self):
        for block in self.trf_blocks:
            block.att.reset_cache()
        self.current_pos = 0


def generate_text_simple(model, idx, max_new_tokens, use_cache=True):
    model.eval()
    with torch.no_grad():
        model.reset_kv_cache()
        logits = model(idx, use_cache=use_cache)
        for _ in range(max_new_tokens):
            next_idx = logits[:, -1].argmax(dim=-1, keepdim=True)
            idx = torch.cat([idx, next_idx], dim=1)
            logits = model(next_idx if use_cache else idx, use_cache=use_cache)
    return idx, logits[:, -1]


GPT_CONFIG = {"vocab_size": 61, "context_length": 48, "emb_dim": 32, "n_heads": 4, "n_layers": 2, "drop_rate": 0.1, "n_kv_groups": 2}
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
idx = torch.randint(0, 61, (2, 7))
with_cache, logits = generate_text_simple(model, idx, 12)
without, expected = generate_text_simple(model, idx, 12, use_cache=False)
print(with_cache)
print("equal without the cache:", torch.equal(with_cache, without), torch.allclose(logits, expected, atol=1e-4))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])
for groups in (4, 1):
    torch.manual_seed(123)
    model = GPTModel({**GPT_CONFIG, "n_kv_groups": groups})
    ids, logits = generate_text_simple(model, idx, 6)
    count = sum(p.numel() for p in model.parameters())
    print(groups, ids[:, 7:].tolist(), f"{count:,}")

# %% gpt-with-latent-attention
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg["emb_dim"], 4 * cfg["emb_dim"]), GELU(), nn.Linear(4 * cfg["emb_dim"], cfg["emb_dim"])
        )

    def forward(self, x):
        return self.layers(x)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, d_in, d_out, dropout, num_heads, latent_dim=None, qkv_bias=False):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.latent_dim = latent_dim if latent_dim is not None else max(16, d_out // 8)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_DKV = nn.Linear(d_in, self.latent_dim, bias=qkv_bias)  # down: what the cache has
        self.W_UK = nn.Linear(self.latent_dim, d_out, bias=qkv_bias)  # up again
        self.W_UV = nn.Linear(self.latent_dim, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("cache_c_kv", None, persistent=False)
        self.ptr_current_pos = 0

    @staticmethod
    def _reshape_to_heads(x, num_heads, head_dim):
        b, num_tokens, _ = x.shape
        return x.view(b, num_tokens, num_heads, head_dim).transpose(1, 2).contiguous()

    def latents(self, x, use_cache):
        latent = self.W_DKV(x)
        if use_cache:
            self.cache_c_kv = latent if self.cache_c_kv is None else torch.cat([self.cache_c_kv, latent], dim=1)
            latent = self.cache_c_kv
        return latent

    def forward(self, x, use_cache=False):
        b, num_tokens, _ = x.shape
        latent_total = self.latents(x, use_cache)
        queries = self._reshape_to_heads(self.W_query(x), self.num_heads, self.head_dim)
        keys = self._reshape_to_heads(self.W_UK(latent_total), self.num_heads, self.head_dim)
        values = self._reshape_to_heads(self.W_UV(latent_total), self.num_heads, self.head_dim)
        attn_scores = torch.matmul(queries, keys.transpose(-2, -1))
        start = self.ptr_current_pos if use_cache else 0
        q_positions = torch.arange(start, start + num_tokens)
        k_positions = torch.arange(keys.shape[-2])
        mask_bool = q_positions.unsqueeze(-1) < k_positions.unsqueeze(0)
        if use_cache:
            self.ptr_current_pos += num_tokens
        attn_scores = attn_scores.masked_fill(mask_bool, -torch.inf)
        attn_weights = self.dropout(torch.softmax(attn_scores / self.head_dim**0.5, dim=-1))
        context_vec = (attn_weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)

    def absorbed(self, x):
        """The last token's result without keys and values: both matrices that go up are multiplied into others."""
        c = self.W_DKV(x)
        up_k = self.W_UK.weight.view(self.num_heads, self.head_dim, -1)
        up_v = self.W_UV.weight.view(self.num_heads, self.head_dim, -1)
        q = self.W_query(x[:, -1]).view(-1, self.num_heads, self.head_dim)
        weights = torch.softmax(torch.einsum("bhd,hdl,btl->bht", q, up_k, c) / self.head_dim**0.5, dim=-1)
        found = torch.einsum("bht,btl,hdl->bhd", weights, c, up_v)
        return self.out_proj(found.reshape(x.shape[0], self.d_out))

    def reset_cache(self):
        self.cache_c_kv, self.ptr_current_pos = None, 0


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.att = MultiHeadLatentAttention(cfg["emb_dim"], cfg["emb_dim"], cfg["drop_rate"], cfg["n_heads"], cfg["latent_dim"])
        self.ff = FeedForward(cfg)
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x, use_cache=False):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache=use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.current_pos = 0

    def forward(self, in_idx, use_cache=False):
        start = self.current_pos if use_cache else 0
        pos_ids = torch.arange(start, start + in_idx.shape[1], device=in_idx.device)
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb(pos_ids).unsqueeze(0))
        for block in self.trf_blocks:
            x = block(x, use_cache=use_cache)
        if use_cache:
            self.current_pos += in_idx.shape[1]
        return self.out_head(self.final_norm(x))

    def reset_kv_cache(self):
        for block in self.trf_blocks:
            block.att.reset_cache()
        self.current_pos = 0


def generate_text_simple(model, idx, max_new_tokens, use_cache=True):
    model.eval()
    with torch.no_grad():
        model.reset_kv_cache()
        logits = model(idx, use_cache=use_cache)
        for _ in range(max_new_tokens):
            next_idx = logits[:, -1].argmax(dim=-1, keepdim=True)
            idx = torch.cat([idx, next_idx], dim=1)
            logits = model(next_idx if use_cache else idx, use_cache=use_cache)
    return idx, logits[:, -1]


GPT_CONFIG = {"vocab_size": 61, "context_length": 48, "emb_dim": 32, "n_heads": 4, "n_layers": 2, "drop_rate": 0.1, "latent_dim": 12}
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
idx = torch.randint(0, 61, (2, 7))
with_cache, logits = generate_text_simple(model, idx, 12)
without, expected = generate_text_simple(model, idx, 12, use_cache=False)
print(with_cache)
print("equal without the cache:", torch.equal(with_cache, without), torch.allclose(logits, expected, atol=1e-4))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])
att, x = model.trf_blocks[0].att, torch.randn(2, 5, 32)
with torch.no_grad():
    print("absorbed:", torch.allclose(att.absorbed(x), att(x)[:, -1], atol=1e-5))
    model.reset_kv_cache()
    model(idx, use_cache=True)
print(tuple(att.cache_c_kv.shape), att.cache_c_kv.nbytes, "bytes; keys and values:", 2 * idx.numel() * 32 * 4)

# %% gpt-with-sliding-windows
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg["emb_dim"], 4 * cfg["emb_dim"]), GELU(), nn.Linear(4 * cfg["emb_dim"], cfg["emb_dim"])
        )

    def forward(self, x):
        return self.layers(x)


class MultiHeadAttentionWithSWA(nn.Module):
    def __init__(self, d_in, d_out, dropout, num_heads, sliding_window_size=None, qkv_bias=False):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.sliding_window_size = sliding_window_size
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("cache_k", None, persistent=False)
        self.register_buffer("cache_v", None, persistent=False)
        self.ptr_current_pos = 0

    def forward(self, x, use_cache=False):
        b, num_tokens, _ = x.shape
        queries, keys, values = (
            layer(x).view(b, num_tokens, self.num_heads, self.head_dim)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        q_start = self.ptr_current_pos if use_cache else 0
        if use_cache:
            if self.cache_k is not None:
                keys = torch.cat([self.cache_k, keys], dim=1)
                values = torch.cat([self.cache_v, values], dim=1)
            # What is stored is cut, and not what this call looks at.
            keep = self.sliding_window_size or keys.size(1)
            self.cache_k, self.cache_v = keys[:, -keep:], values[:, -keep:]
            self.ptr_current_pos += num_tokens
        k_start = q_start + num_tokens - keys.size(1)
        q_positions = torch.arange(q_start, q_start + num_tokens).unsqueeze(-1)
        k_positions = torch.arange(k_start, k_start + keys.size(1)).unsqueeze(0)
        mask_bool = k_positions > q_positions
        if self.sliding_window_size is not None:
            mask_bool |= k_positions <= q_positions - self.sliding_window_size
        queries, keys, values = queries.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)
        attn_scores = (queries @ keys.transpose(2, 3)).masked_fill_(mask_bool, -torch.inf)
        attn_weights = self.dropout(torch.softmax(attn_scores / self.head_dim**0.5, dim=-1))
        context_vec = (attn_weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)

    def reset_cache(self):
        self.cache_k, self.cache_v, self.ptr_current_pos = None, None, 0


class TransformerBlock(nn.Module):
    def __init__(self, cfg, window):
        super().__init__()
        self.att = MultiHeadAttentionWithSWA(cfg["emb_dim"], cfg["emb_dim"], cfg["drop_rate"], cfg["n_heads"], window)
        self.ff = FeedForward(cfg)
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x, use_cache=False):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache=use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        k = cfg["swa_per_full"]
        layer_windows = [None if i % (k + 1) == k else cfg["window"] for i in range(cfg["n_layers"])]
        self.trf_blocks = nn.ModuleList([TransformerBlock(cfg, layer_windows[i]) for i in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.current_pos = 0

    def forward(self, in_idx, use_cache=False):
        start = self.current_pos if use_cache else 0
        pos_ids = torch.arange(start, start + in_idx.shape[1], device=in_idx.device)
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb(pos_ids).unsqueeze(0))
        for block in self.trf_blocks:
            x = block(x, use_cache=use_cache)
        if use_cache:
            self.current_pos += in_idx.shape[1]
        return self.out_head(self.final_norm(x))

    def reset_kv_cache(self):
        for block in self.trf_blocks:
            block.att.reset_cache()
        self.current_pos = 0


def generate_text_simple(model, idx, max_new_tokens, use_cache=True):
    model.eval()
    with torch.no_grad():
        model.reset_kv_cache()
        logits = model(idx, use_cache=use_cache)
        for _ in range(max_new_tokens):
            next_idx = logits[:, -1].argmax(dim=-1, keepdim=True)
            idx = torch.cat([idx, next_idx], dim=1)
            logits = model(next_idx if use_cache else idx, use_cache=use_cache)
    return idx, logits[:, -1]


GPT_CONFIG = {"vocab_size": 61, "context_length": 48, "emb_dim": 32, "n_heads": 4, "n_layers": 3, "drop_rate": 0.1, "window": 4, "swa_per_full": 2}
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
idx = torch.randint(0, 61, (2, 9))
with_cache, logits = generate_text_simple(model, idx, 12)
without, expected = generate_text_simple(model, idx, 12, use_cache=False)
print(with_cache)
print("equal without the cache:", torch.equal(with_cache, without), torch.allclose(logits, expected, atol=1e-4))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])
model.reset_kv_cache()
with torch.no_grad():
    chunks = torch.cat([model(part, use_cache=True) for part in with_cache.split([6, 1, 5, 9], dim=1)], dim=1)
    print("in chunks:", torch.allclose(chunks, model(with_cache), atol=1e-4))
print([(block.att.sliding_window_size, tuple(block.att.cache_k.shape)) for block in model.trf_blocks])

# %% gpt-with-experts
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", mask, persistent=False)
        self.register_buffer("cache_k", None, persistent=False)
        self.register_buffer("cache_v", None, persistent=False)
        self.ptr_current_pos = 0

    def forward(self, x, use_cache=False):
        b, num_tokens, _ = x.shape
        keys_new = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
        values_new = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
        if use_cache:
            if self.cache_k is None:
                self.cache_k, self.cache_v = keys_new, values_new
            else:
                self.cache_k = torch.cat([self.cache_k, keys_new], dim=1)
                self.cache_v = torch.cat([self.cache_v, values_new], dim=1)
            keys, values = self.cache_k, self.cache_v
        else:
            keys, values = keys_new, values_new
        keys, queries, values = keys.transpose(1, 2), queries.transpose(1, 2), values.transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        start = self.ptr_current_pos if use_cache else 0
        mask_bool = self.mask.bool()[start : start + num_tokens, : keys.shape[-2]]
        if use_cache:
            self.ptr_current_pos += num_tokens
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = self.dropout(torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1))
        context_vec = (attn_weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)

    def reset_cache(self):
        self.cache_k, self.cache_v = None, None
        self.ptr_current_pos = 0


class MoEFeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.num_experts_per_tok, self.num_experts = cfg["num_experts_per_tok"], cfg["num_experts"]
        self.emb_dim, hidden = cfg["emb_dim"], cfg["hidden_dim"]
        self.gate = nn.Linear(self.emb_dim, self.num_experts, bias=False)
        self.fc1 = nn.ModuleList([nn.Linear(self.emb_dim, hidden, bias=False) for _ in range(self.num_experts)])
        self.fc2 = nn.ModuleList([nn.Linear(self.emb_dim, hidden, bias=False) for _ in range(self.num_experts)])
        self.fc3 = nn.ModuleList([nn.Linear(hidden, self.emb_dim, bias=False) for _ in range(self.num_experts)])
        self.counts = torch.zeros(self.num_experts, dtype=torch.long)

    def forward(self, x):
        scores = self.gate(x)  # (b, seq_len, num_experts)
        topk_scores, topk_indices = torch.topk(scores, self.num_experts_per_tok, dim=-1)
        topk_probs = torch.softmax(topk_scores, dim=-1)
        b, seq_len, _ = x.shape
        x_flat = x.reshape(b * seq_len, -1)
        out_flat = torch.zeros(b * seq_len, self.emb_dim, device=x.device, dtype=x.dtype)
        indices_flat = topk_indices.reshape(-1, self.num_experts_per_tok)
        probs_flat = topk_probs.reshape(-1, self.num_experts_per_tok)
        for expert_id_tensor in torch.unique(indices_flat):
            expert_id = int(expert_id_tensor.item())
            mask = indices_flat == expert_id
            selected_idx = mask.any(dim=-1).nonzero(as_tuple=False).squeeze(-1)
            if selected_idx.numel() == 0:
                continue
            expert_input = x_flat.index_select(0, selected_idx)
            hidden = nn.functional.silu(self.fc1[expert_id](expert_input)) * self.fc2[expert_id](expert_input)
            expert_out = self.fc3[expert_id](hidden)
            slots = mask[selected_idx].int().argmax(dim=-1, keepdim=True)
            selected_probs = torch.gather(probs_flat.index_select(0, selected_idx), dim=-1, index=slots).squeeze(-1)
            out_flat.index_add_(0, selected_idx, expert_out * selected_probs.unsqueeze(-1))
            self.counts[expert_id] += selected_idx.numel()
        return out_flat.reshape(b, seq_len, self.emb_dim)


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.att = MultiHeadAttention(cfg["emb_dim"], cfg["emb_dim"], cfg["context_length"], cfg["drop_rate"], cfg["n_heads"])
        self.ff = MoEFeedForward(cfg)
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x, use_cache=False):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache=use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.current_pos = 0

    def forward(self, in_idx, use_cache=False):
        start = self.current_pos if use_cache else 0
        pos_ids = torch.arange(start, start + in_idx.shape[1], device=in_idx.device)
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb(pos_ids).unsqueeze(0))
        for block in self.trf_blocks:
            x = block(x, use_cache=use_cache)
        if use_cache:
            self.current_pos += in_idx.shape[1]
        return self.out_head(self.final_norm(x))

    def reset_kv_cache(self):
        for block in self.trf_blocks:
            block.att.reset_cache()
        self.current_pos = 0


def generate_text_simple(model, idx, max_new_tokens, use_cache=True):
    model.eval()
    with torch.no_grad():
        model.reset_kv_cache()
        logits = model(idx, use_cache=use_cache)
        for _ in range(max_new_tokens):
            next_idx = logits[:, -1].argmax(dim=-1, keepdim=True)
            idx = torch.cat([idx, next_idx], dim=1)
            logits = model(next_idx if use_cache else idx, use_cache=use_cache)
    return idx, logits[:, -1]


GPT_CONFIG = {"vocab_size": 61, "context_length": 48, "emb_dim": 32, "n_heads": 4, "n_layers": 2, "drop_rate": 0.1, "hidden_dim": 24, "num_experts": 4, "num_experts_per_tok": 2}
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
idx = torch.randint(0, 61, (2, 7))
with_cache, logits = generate_text_simple(model, idx, 12)
without, expected = generate_text_simple(model, idx, 12, use_cache=False)
print(with_cache)
print("equal without the cache:", torch.equal(with_cache, without), torch.allclose(logits, expected, atol=1e-4))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])
print("tokens of each expert:", [block.ff.counts.tolist() for block in model.trf_blocks])
ff, x = model.trf_blocks[0].ff, torch.randn(1, 3, 32)
with torch.no_grad():
    every = torch.stack([f3(nn.functional.silu(f1(x)) * f2(x)) for f1, f2, f3 in zip(ff.fc1, ff.fc2, ff.fc3)], dim=-1)
    gates = ff.gate(x)
    gates = gates.masked_fill(gates < gates.topk(2, dim=-1).values[..., -1:], -torch.inf).softmax(-1)
    print("as a weighted sum of all:", torch.allclose(ff(x), (every * gates.unsqueeze(-2)).sum(-1), atol=1e-6))

# %% gpt-with-gated-deltanet
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg["emb_dim"], 4 * cfg["emb_dim"]), GELU(), nn.Linear(4 * cfg["emb_dim"], cfg["emb_dim"])
        )

    def forward(self, x):
        return self.layers(x)


def l2norm(x, dim=-1, eps=1e-6):
    return x * torch.rsqrt((x * x).sum(dim=dim, keepdim=True) + eps)


class GatedDeltaNetAttention(nn.Module):
    """A state (d_k, d_v) for each head instead of a cache: it decays, and what a key finds in it is corrected."""

    def __init__(self, d_in, d_out, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_gate = nn.Linear(d_in, d_out, bias=False)
        self.W_beta = nn.Linear(d_in, num_heads, bias=False)
        self.W_alpha = nn.Linear(d_in, num_heads, bias=False)
        self.dt_bias = nn.Parameter(torch.ones(num_heads))
        self.A_log = nn.Parameter(torch.log(torch.empty(num_heads).uniform_(1, 16)))
        self.norm = nn.RMSNorm(self.head_dim, eps=1e-6)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.state = None

    def forward(self, x, use_cache=False):
        b, num_tokens, _ = x.shape
        queries, keys, values, gate = (
            layer(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value, self.W_gate)
        )
        beta = torch.sigmoid(self.W_beta(x)).transpose(1, 2)  # (b, heads, tokens)
        alpha = -self.A_log.exp().view(1, 1, -1) * nn.functional.softplus(self.W_alpha(x) + self.dt_bias)
        decay = alpha.exp().transpose(1, 2)
        queries, keys = l2norm(queries) / self.head_dim**0.5, l2norm(keys)
        S = x.new_zeros(b, self.num_heads, self.head_dim, self.head_dim)
        if use_cache and self.state is not None:
            S = self.state
        outs = []
        for t in range(num_tokens):
            k_t, q_t, v_t = keys[:, :, t], queries[:, :, t], values[:, :, t]
            S = S * decay[:, :, t, None, None]
            kv_mem = (S * k_t.unsqueeze(-1)).sum(dim=-2)
            delta = (v_t - kv_mem) * beta[:, :, t, None]
            S = S + k_t.unsqueeze(-1) * delta.unsqueeze(-2)
            outs.append((S * q_t.unsqueeze(-1)).sum(dim=-2))
        if use_cache:
            self.state = S
        context = self.norm(torch.stack(outs, dim=2)) * nn.functional.silu(gate)
        context = context.transpose(1, 2).contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(self.dropout(context))

    def reset_cache(self):
        self.state = None


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.att = GatedDeltaNetAttention(cfg["emb_dim"], cfg["emb_dim"], cfg["drop_rate"], cfg["n_heads"])
        self.ff = FeedForward(cfg)
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x, use_cache=False):
        x = x + self.drop_shortcut(self.att(self.norm1(x), use_cache=use_cache))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.current_pos = 0

    def forward(self, in_idx, use_cache=False):
        start = self.current_pos if use_cache else 0
        pos_ids = torch.arange(start, start + in_idx.shape[1], device=in_idx.device)
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb(pos_ids).unsqueeze(0))
        for block in self.trf_blocks:
            x = block(x, use_cache=use_cache)
        if use_cache:
            self.current_pos += in_idx.shape[1]
        return self.out_head(self.final_norm(x))

    def reset_kv_cache(self):
        for block in self.trf_blocks:
            block.att.reset_cache()
        self.current_pos = 0


def generate_text_simple(model, idx, max_new_tokens, use_cache=True):
    model.eval()
    with torch.no_grad():
        model.reset_kv_cache()
        logits = model(idx, use_cache=use_cache)
        for _ in range(max_new_tokens):
            next_idx = logits[:, -1].argmax(dim=-1, keepdim=True)
            idx = torch.cat([idx, next_idx], dim=1)
            logits = model(next_idx if use_cache else idx, use_cache=use_cache)
    return idx, logits[:, -1]


GPT_CONFIG = {"vocab_size": 61, "context_length": 48, "emb_dim": 32, "n_heads": 4, "n_layers": 2, "drop_rate": 0.1}
torch.manual_seed(123)
model = GPTModel(GPT_CONFIG)
idx = torch.randint(0, 61, (2, 7))
with_cache, logits = generate_text_simple(model, idx, 12)
without, expected = generate_text_simple(model, idx, 12, use_cache=False)
print(with_cache)
print("equal without the cache:", torch.equal(with_cache, without), torch.allclose(logits, expected, atol=1e-4))
print("logits:", [[round(n, 3) for n in row] for row in logits[:, :5].tolist()])
states = [block.att.state for block in model.trf_blocks]
print(states)
model.reset_kv_cache()
with torch.no_grad():
    model(idx[:, :3], use_cache=True)
    small = [block.att.state.nbytes for block in model.trf_blocks]
    model(idx[:, 3:], use_cache=True)
print("bytes after 3 and 7 tokens:", small, [block.att.state.nbytes for block in model.trf_blocks])
print("state:", [round(n, 4) for n in model.trf_blocks[1].att.state[1, 2, 0].tolist()])
