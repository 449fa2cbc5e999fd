"""Tables of positions that are no parameters, such as waves: whether each token gets a row of its own."""

import torch
from torch import nn
from _probe_values import is_tokens, is_zero_one
from _unused import vary

ADD = "x = x + self.pe[:, :x.size(1)]"


def rows_of(value):
    return value.reshape(-1, value.shape[-1])


def is_table(value, tokens):
    """Whether a buffer may have a row for each position: more numbers than those of a mask, and rows that differ."""
    if not value.is_floating_point() or value.dim() < 2 or value.shape[-1] < 4 or not bool(torch.isfinite(value).all()):
        return False
    rows = rows_of(value)
    is_of_rows = rows.shape[0] in value.shape and rows.shape[0] >= tokens and rows.shape[0] != rows.shape[1]
    return is_of_rows and not is_zero_one(value) and bool((rows != rows[:1]).any())


def has_other_numbers(call, inputs):
    """Whether an argument besides the tokens and their masks may choose a row, such as a step of time or a place in a text."""
    others = [value for where, value in call.arguments.items() if all(where != at for at, _ in inputs)]
    masks = [value for value in others if isinstance(value, torch.Tensor) and (value.dim() >= 2 or value.dtype == torch.bool)]
    return any(not isinstance(value, (nn.Module, type(None), bool)) and all(value is not it for it in masks) for value in others)


def without_positions(call):
    """The mistake if all tokens get the same row of a table."""
    owner, inputs = call.owner(), call.inputs()
    tokens = min((value.shape[1] for _, value in inputs if value.dim() + is_tokens(value) == 3), default=0)
    known = [name for name, it in owner.named_buffers() if is_table(it, tokens)] if owner is not None and tokens >= 3 else []
    if not known:
        return []

    def learned(modules):
        vary(modules)
        buffers = dict(modules[0].named_buffers())
        for name in known:
            buffers[name].requires_grad_()

    if has_other_numbers(call, inputs) or not call.backward(prepare=learned):
        return []
    buffers = dict(call.modules[0].named_buffers())
    for name in known:
        table = buffers[name]
        if table.grad is None:
            continue
        read = int((rows_of(table.grad) != 0).any(1).sum())
        if read == 1:
            observed = f"was run backward from its output for {tokens} tokens: of the {rows_of(table).shape[0]} rows of {name} only one has a gradient, so all tokens have the same position."
            return [call.found("no-positions", observed, ADD)]
    return []
