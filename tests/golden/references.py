"""Checks the references of `attn compare` against PyTorch's own attention. Usage: python tests/golden/references.py

Prints the largest difference of each; all are rounding.
"""

import sys
from pathlib import Path

import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lessons" / "model"))
import gpt2
import llama
import references

WIDTH, HEADS, GROUPS, SAMPLES, TOKENS = 60, 6, 2, 5, 7


def far(name, one, other):
    print(f"{name:12} {float((one - other).abs().max()):.1e}")
    assert torch.allclose(one, other, atol=1e-5), name


def packed(layer):
    """The weights of a layer in PyTorch's module."""
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([layer.W_query.weight, layer.W_key.weight, layer.W_value.weight]))
        module.in_proj_bias.copy_(torch.cat([layer.W_query.bias, layer.W_key.bias, layer.W_value.bias]))
        module.out_proj.load_state_dict(layer.out_proj.state_dict())
    return module


def attended(layer, turn=lambda x: x):
    """The layer by `scaled_dot_product_attention`, with a causal mask."""
    split = lambda x: x.view(SAMPLES, TOKENS, -1, WIDTH // HEADS).transpose(1, 2)
    q, k, v = (split(it(x)) for it in (layer.W_query, layer.W_key, layer.W_value))
    context = F.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True, enable_gqa=True)
    return layer.out_proj(context.transpose(1, 2).reshape(x.shape))


def turned(x, pairs):
    """Rotation by complex numbers: of neighbours, or of the two halves."""
    half = x.shape[-1] // 2
    angles = torch.outer(torch.arange(TOKENS).float(), 10000.0 ** (-torch.arange(half).float() / half))
    apart = x.unflatten(-1, (half, 2) if pairs else (2, half))
    apart = apart if pairs else apart.transpose(-1, -2)
    out = torch.view_as_real(torch.view_as_complex(apart.contiguous()) * torch.polar(torch.ones_like(angles), angles))
    return (out if pairs else out.transpose(-1, -2)).flatten(-2)


torch.manual_seed(0)
x = torch.randn(SAMPLES, TOKENS, WIDTH)
hide = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
for causal in (False, True):
    layer = references.MultiHead(WIDTH, HEADS, causal)
    far(f"mha {causal}", layer(x), packed(layer)(x, x, x, attn_mask=hide if causal else None)[0])
layer = gpt2.MultiHeadAttention(WIDTH, WIDTH, 0.0, HEADS)
far("gpt2", layer(x), packed(layer)(x, x, x, attn_mask=hide)[0])
layer = references.Grouped(WIDTH, HEADS, GROUPS, True)
far("gqa", layer(x), attended(layer))
layer = references.RotatedPairs(WIDTH, HEADS, True)
far("rope-pairs", layer(x), attended(layer, lambda it: turned(it, True)))
for name, groups in (("llama", GROUPS), ("rope-halves", HEADS)):
    config = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "num_key_value_heads": groups, "architectures": ["LlamaForCausalLM"], "rms_norm_eps": 1e-6}
    layer = llama.GroupedAttention(config)
    far(name, layer(x), attended(layer, lambda it: turned(it, False)))
q, k, v = torch.randn(3, SAMPLES, HEADS, TOKENS, 10)
for causal in (False, True):
    far(f"sdpa {causal}", references.attention(q, k, v, causal), F.scaled_dot_product_attention(q, k, v, is_causal=causal))
