"""The transformer: encoder and decoder layers, and stacks of them. Vaswani et al. 2017."""

import copy
import warnings

import torch
from torch._arguments import on_cpu
from torch.nn import functional as F
from torch.nn import init

from .._attention import mask_to_add
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm


def _activation(name):
    if name == "relu":
        return F.relu
    if name == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {name}")


def _copies(module, count):
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


_get_clones, _get_activation_fn = _copies, _activation


def _causal_mask(sz, device=None, dtype=None):
    """(sz, sz): zero where a position may look, minus infinity above the diagonal."""
    on_cpu(device)
    return torch.triu(torch.full((sz, sz), float("-inf"), dtype=dtype), diagonal=1)


def _is_causal(mask, is_causal, size):
    """Whether a mask is the causal one, where the caller did not say."""
    if is_causal is None and mask is not None:
        causal = _causal_mask(mask.size(-1) if size is None else size, dtype=mask.dtype)
        return mask.size() == causal.size() and bool((mask == causal).all())
    return is_causal is True


def _length(x, batch_first):
    return x.shape[1 if x.dim() == 3 and batch_first else 0]


class _Layer(Module):
    """What encoder and decoder layers share: self-attention, and two linear maps after it."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        on_cpu(device)
        super().__init__()

        def attention():
            return MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype)

        self.self_attn = attention()
        if self._crosses:
            self.multihead_attn = attention()
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        parts = (1, 2, 3) if self._crosses else (1, 2)
        for part in parts:
            setattr(self, f"norm{part}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype))
        for part in parts:
            setattr(self, f"dropout{part}", Dropout(dropout))
        self.activation = _activation(activation) if isinstance(activation, str) else activation

    def _attend(self, attention, x, keys, mask, padding, is_causal):
        return attention(
            x, keys, keys, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False
        )[0]

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x):
        last = self.dropout3 if self._crosses else self.dropout2
        return last(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward part, each with a shortcut around it and a norm."""

    _crosses = False

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        other = None if src_mask is None else src_mask.dtype
        padding = mask_to_add(src_key_padding_mask, "src_key_padding_mask", other, "src_mask", src.dtype)
        mask = mask_to_add(src_mask, "src_mask", target_type=src.dtype)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, and a feed-forward part."""

    _crosses = True

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=False,
        memory_is_causal=False,
    ):
        def attend(x):
            return self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)

        def cross(x):
            masks = memory_mask, memory_key_padding_mask, memory_is_causal
            return self.dropout2(self._attend(self.multihead_attn, x, memory, *masks))

        x = tgt
        if self.norm_first:
            x = x + attend(self.norm1(x))
            x = x + cross(self.norm2(x))
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + attend(x))
        x = self.norm2(x + cross(x))
        return self.norm3(x + self._ff_block(x))


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Without gradients and in eval mode, PyTorch leaves padding behind the text of each sample out: it is 0 in the result.
    """

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _keeps_padding(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not reason
        if enable_nested_tensor and reason:
            warnings.warn(
                "enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer" + reason
            )

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        other = None if mask is None else mask.dtype
        padding = mask_to_add(src_key_padding_mask, "src_key_padding_mask", other, "mask", src.dtype)
        mask = mask_to_add(mask, "mask", target_type=src.dtype)
        causal = _is_causal(mask, is_causal, _length(src, self.layers[0].self_attn.batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if mask is None and padding is not None and self._leaves_padding_out(src, padding):
            output = output.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _leaves_padding_out(self, src, padding):
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or torch.is_autocast_enabled():
            return False
        if torch.is_grad_enabled() and (src.requires_grad or any(p.requires_grad for p in first.parameters())):
            return False
        text = padding == 0
        behind = torch.arange(text.size(1)) < text.sum(1, keepdim=True)
        return not self.mask_check or bool((text == behind).all())


def _keeps_padding(layer):
    """Why PyTorch computes padding with all layers like this one, or an empty text."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention = layer.self_attn
    if layer.norm_first:
        return ".norm_first was True"
    if not attention.batch_first:
        return ".self_attn.batch_first was not True(use batch_first for better inference performance)"
    if attention.in_proj_bias is None:
        return ".self_attn was passed bias=False"
    if layer.activation not in (F.relu, F.gelu) and not isinstance(layer.activation, (torch.nn.ReLU, torch.nn.GELU)):
        return ".activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return ".norm1.eps was not equal to encoder_layer.norm2.eps"
    if attention.num_heads % 2 == 1:
        return ".self_attn.num_heads is odd"
    return ""


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        causal = _is_causal(tgt_mask, tgt_is_causal, _length(tgt, self.layers[0].self_attn.batch_first))
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder."""

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        on_cpu(device)
        super().__init__()
        words = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def stack(kind, layer, count):
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
            return kind(layer(*words, dtype=dtype), count, norm)

        if custom_encoder is None:
            custom_encoder = stack(TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        self.encoder = custom_encoder
        if custom_decoder is None:
            custom_decoder = stack(TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self):
        for param in self.parameters():
            if param.dim() > 1:
                init.xavier_uniform_(param)

    generate_square_subsequent_mask = staticmethod(_causal_mask)

    def forward(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        src_is_causal=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
