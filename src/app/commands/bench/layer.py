# One layer of multi-head attention, two ways. BATCH, TOKENS, WIDTH, HEADS and CAUSAL are set before this runs.
import torch
import torch.nn.functional as F

torch.manual_seed(123)
x = torch.randn(BATCH, TOKENS, WIDTH)
W_query, W_key, W_value, out_proj = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))


def split(projected):
    return projected.view(BATCH, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2)


def joined(context):
    return context.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH)


@torch.no_grad()
def fused():
    queries, keys, values = split(W_query(x)), split(W_key(x)), split(W_value(x))
    return out_proj(joined(F.scaled_dot_product_attention(queries, keys, values, is_causal=CAUSAL)))


def causal_mask():
    return torch.triu(torch.ones(TOKENS, TOKENS, dtype=torch.bool), diagonal=1)


@torch.no_grad()
def materialised():
    queries, keys, values = split(W_query(x)), split(W_key(x)), split(W_value(x))
    scores = queries @ keys.transpose(2, 3)
    if CAUSAL:
        scores.masked_fill_(hidden, -torch.inf)
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
    return out_proj(joined(weights @ values))
