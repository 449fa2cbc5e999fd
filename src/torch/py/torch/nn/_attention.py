"""Multi-head attention as a function, and the masks it takes. Vaswani et al. 2017.

Shapes: L queries, S keys, N sequences in the batch, H heads, E = H * D features.
"""

import torch
from torch._arguments import only_defaults

from . import _native as F


def mask_to_add(mask, mask_name, other_type=None, other_name="", target_type=None, check_other=True):
    """A mask as numbers to be added to scores: where a bool mask is True, minus infinity."""
    if mask is None:
        return None
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        import warnings

        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead."
        )
    if mask.is_floating_point():
        return mask
    return torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, float("-inf"))


def _is_batched(query, key, value, key_padding_mask, attn_mask, num_heads):
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor"
        )
    kind = f"For {'batched' if dims == 3 else 'unbatched'} ({dims}-D) `query`, expected"
    assert key.dim() == dims and value.dim() == dims, (
        f"{kind} `key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively"
    )
    if key_padding_mask is not None:
        assert key_padding_mask.dim() == dims - 1, (
            f"{kind} `key_padding_mask` to be `None` or {dims - 1}-D "
            f"but found {key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None:
        assert attn_mask.dim() in (2, 3), (
            f"{kind} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
        )
        if dims == 2 and attn_mask.dim() == 3:
            expected = (num_heads, query.shape[0], key.shape[0])
            assert attn_mask.shape == expected, (
                f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}"
            )
    return dims == 3


def _apart(projected, parts):
    """(L, N, parts * E) -> parts tensors of (L, N, E)."""
    size = projected.shape[-1] // parts
    apart = projected.unflatten(-1, (parts, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(apart[part] for part in range(parts))


def _project(q, k, v, weight, bias):
    """Queries, keys and values by one stacked weight of (3E, E)."""
    size = q.size(-1)
    if k is v:
        if q is k:
            return _apart(F.linear(q, weight, bias), 3)
        w_q, w_kv = weight.split([size, size * 2])
        b_q, b_kv = (None, None) if bias is None else bias.split([size, size * 2])
        return F.linear(q, w_q, b_q), *_apart(F.linear(k, w_kv, b_kv), 2)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(F.linear(x, w, b) for x, w, b in zip((q, k, v), weight.chunk(3), biases))


def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    """(L, N, E), (S, N, E), (S, N, E) -> (L, N, E), and the weights (N, L, S) where they are wanted."""
    refused = {"bias_k": bias_k, "bias_v": bias_v, "add_zero_attn": add_zero_attn, "static_k": static_k, "static_v": static_v}
    only_defaults("multi_head_attention_forward", **refused)
    is_batched = _is_batched(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not is_batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    sources = key.shape[0]
    other = None if attn_mask is None else attn_mask.dtype
    key_padding_mask = mask_to_add(key_padding_mask, "key_padding_mask", other, "attn_mask", query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. "
            "You may use the Transformer module method `generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = mask_to_add(attn_mask, "attn_mask", target_type=query.dtype)
        if key_padding_mask is not None:
            is_causal = False

    assert width == embed_dim_to_check, (
        f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}"
    )
    head = width // num_heads
    assert head * num_heads == width, f"embed_dim {width} not divisible by num_heads {num_heads}"
    if use_separate_proj_weight:
        assert key.shape[:2] == value.shape[:2], (
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
        biases = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = (F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))
    else:
        assert key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}"
        q, k, v = _project(query, key, value, in_proj_weight, in_proj_bias)

    if attn_mask is not None:
        expected = {2: (length, sources), 3: (batch * num_heads, length, sources)}.get(attn_mask.dim())
        if expected is None:
            raise RuntimeError(f"attn_mask's dimension {attn_mask.dim()} is not supported")
        if attn_mask.shape != expected:
            raise RuntimeError(
                f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be {expected}."
            )
        if attn_mask.dim() == 2:
            attn_mask = attn_mask.unsqueeze(0)

    # (L, N, E) -> (N * H, L, D)
    q = q.view(length, batch * num_heads, head).transpose(0, 1)
    k = k.view(k.shape[0], batch * num_heads, head).transpose(0, 1)
    v = v.view(v.shape[0], batch * num_heads, head).transpose(0, 1)

    if key_padding_mask is not None:
        assert key_padding_mask.size(0) == batch, (
            f"Expected key_padded_mask.shape[0] to be {batch}, but got {key_padding_mask.size(0)}"
        )
        assert key_padding_mask.size(1) == sources, (
            f"Expected key_padded_mask.shape[1] to be {sources}, but got {key_padding_mask.size(1)}"
        )
        padding = key_padding_mask.view(batch, 1, 1, sources).expand(-1, num_heads, -1, -1)
        padding = padding.reshape(batch * num_heads, 1, sources)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    if not training:
        dropout_p = 0.0

    if not need_weights:
        if attn_mask is not None:
            if attn_mask.size(0) == 1 and attn_mask.dim() == 3:
                attn_mask = attn_mask.unsqueeze(0)
            else:
                attn_mask = attn_mask.view(batch, num_heads, -1, sources)
        q = q.view(batch, num_heads, length, head)
        k = k.view(batch, num_heads, sources, head)
        v = v.view(batch, num_heads, sources, head)
        context = F.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
        context = context.permute(2, 0, 1, 3).contiguous().view(batch * length, width)
        out = F.linear(context, out_proj_weight, out_proj_bias)
        out = out.view(length, batch, out.size(1))
        return (out if is_batched else out.squeeze(1)), None

    scaled = q * (1.0 / float(head)) ** 0.5
    if attn_mask is not None:
        weights = torch.baddbmm(attn_mask, scaled, k.transpose(-2, -1))  # (N * H, L, S)
    else:
        weights = torch.bmm(scaled, k.transpose(-2, -1))
    weights = torch.softmax(weights, dim=-1)
    if dropout_p > 0.0:
        weights = F.dropout(weights, p=dropout_p)
    context = torch.bmm(weights, v)  # (N * H, L, D)
    context = context.transpose(0, 1).contiguous().view(length * batch, width)
    out = F.linear(context, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.size(1))
    weights = weights.view(batch, num_heads, length, sources)
    if average_attn_weights:
        weights = weights.mean(dim=1)
    if not is_batched:
        out, weights = out.squeeze(1), weights.squeeze(0)
    return out, weights
