"""Whether tokens that a mask hides reach those that it shows."""

import torch
from torch import nn
from _call import SEED, moves
from _events import PADDED_BEFORE
from _probe_values import ROUNDING, all_tensors, figure, is_tokens, is_zero_one, unless_raised, with_change


# The padding of each class of models, as an earlier call had it.
TRAILING = {}
HIDE_KEYS = "hide keys, not queries: mask[:, None, None, :] for scores of (batch, heads, query, key), mask[:, None, :] for (batch, query, key)"


def paddings(call):
    """The masks among the arguments that say for each sample which of its tokens are real: (where, rows)."""
    found = []
    for where, value in call.tensors():
        if not call.is_mask(where, value) or value.dim() < 2:
            continue
        is_float = value.is_floating_point() and bool((value < -1e4).any())
        if value.dtype != torch.bool and not is_float and not is_zero_one(value):
            continue
        if any(size != 1 for size in value.shape[1:-1]):
            continue
        rows = value.reshape(value.shape[0], -1)
        rows = torch.isfinite(rows) & (rows > -1e4) if value.is_floating_point() and not is_zero_one(value) else rows != 0
        if bool(rows.any()) and not bool(rows.all()):
            found.append((where, rows))
    # Of two, the one that is true of less says which tokens count, and not which are real.
    is_part = lambda rows, other: rows.shape == other.shape and bool((other | ~rows).all()) and not torch.equal(rows, other)
    return [(where, rows) for where, rows in found if not any(is_part(rows, other) for _, other in found)]


def padding(call, output):
    """The mistake if the content of hidden tokens moves what real tokens get, for a mask that says which are real.

    Names differ on whether True is real. With a mask that works, one of the two kinds does not move the other.
    """
    for where, rows in paddings(call):
        for at, value in call.inputs():
            if value.dim() < 2 or value.shape[:2] != rows.shape or output.shape[0] != rows.shape[0]:
                continue
            own = output.dim() >= 2 and output.shape[1] == rows.shape[1]
            sample = next((it for it in range(rows.shape[0]) if bool(rows[it].any()) and not bool(rows[it].all())), None)
            if sample is None or call.is_late():
                continue
            moved = []
            for kind in (True, False):
                change = rows[sample] == kind
                torch.manual_seed(SEED)
                other = value.detach().clone()
                if is_tokens(value):
                    known = value.unique()
                    other[sample, change] = torch.where(other[sample, change] == known[-1], known[0], known[-1])
                else:
                    other[sample, change] = other[sample, change] + torch.randn(int(change.sum()), *value.shape[2:], dtype=value.dtype)
                after = call.repeat({at: other})
                if after is None or after.shape != output.shape:
                    break
                far = (torch.nan_to_num(after) - torch.nan_to_num(output))[sample].abs()
                far = far[~change] if own else far
                scale = max(float(torch.nan_to_num(output).abs().max()), 1e-30)
                moved.append(float(far.max()) if float(far.max()) > ROUNDING * scale else 0.0)
            if len(moved) == 2 and all(moved) and not is_sparse(call, where, at, value, output):
                observed = f"was called with {call.name(where)}, which is false for {int((~rows[sample]).sum())} tokens of sample {sample} and true for the others. The tokens where it is false were changed, and outputs of the others moved by {figure(moved[1])}; the other way round, by {figure(moved[0])}. So it hides neither from the other."
                return [call.found("padding-leak", observed, HIDE_KEYS)]
            if len(moved) < 2 or not any(moved):
                continue
            without = unless_raised(None, call.repeat, {where: None})
            shown = unless_raised(None, shows, call, where, without)
            if shown is not None and moved[shown] and is_same_for(rows == shown, output, without):
                observed = f"was called with {call.name(where)}; where it is {shown} everywhere, the outputs are those without it. The tokens where it is {not shown} were changed, and outputs of those where it is {shown} moved by {figure(moved[shown])}; without it their outputs are the same. So it hides no token from them."
                return [call.found("padding-leak", observed, HIDE_KEYS)]
    return []


def shows(call, where, without):
    """What a mask is that hides nothing, as when there is no mask: true or false, or None where that is not known. A mask that is
    false everywhere may say otherwise which tokens are special, where its name does not say padding."""
    mask = dict(call.tensors())[where]
    for kind in (True, False) if "pad" in call.name(where) else (True,):
        if torch.equal(torch.nan_to_num(call.repeat({where: torch.full_like(mask, kind)})), torch.nan_to_num(without)):
            return kind
    return None


def is_same_for(real, output, without):
    """Whether real tokens have the same outputs without a mask."""
    return without.shape == output.shape and output.shape[:2] == real.shape and torch.equal(without[real], output[real])


def is_sparse(call, where, at, value, output):
    """Whether some tokens do not reach others even where a mask is the same for all tokens: then it says which tokens are
    seen from afar, as the global tokens of a local attention are, and not which are real."""
    if output.dim() < 2 or output.shape[:2] != value.shape[:2] or value.shape[1] < 5:
        return False
    mask = dict(call.tensors())[where]
    middle, last = value.shape[1] // 2, value.shape[1] - 1
    for kind in (torch.zeros_like(mask), torch.ones_like(mask)):
        before, after = call.repeat({where: kind}), call.repeat({where: kind, at: with_change(value, 1, middle)})
        moved = [far > 0 for far in moves(before, after, 1)]
        if any(moved[it] for it in (middle - 1, middle + 1)) and not moved[0] and not moved[last]:
            return True
    return False


def padding_token(call, ids):
    """The token that is padding: that of an embedding, or the only one where a mask among the arguments differs."""
    for value in call.arguments.values():
        if isinstance(value, nn.Module):
            for part in value.modules():
                padding = getattr(part, "padding_idx", None)
                if isinstance(part, nn.Embedding) and padding is not None and bool((ids == padding).any()):
                    return padding
    for _, rows in paddings(call):
        if rows.shape != ids.shape:
            continue
        for kind in (False, True):
            found = ids[rows == kind].unique()
            if len(found) == 1 and int((ids == found).sum()) == int((rows == kind).sum()) > 1:
                return int(found)
    return None


def trailing_token(ids):
    """A token that stands at the ends of texts only, several times at one of them: padding, if the program knows it too."""
    last = ids[:, -1].unique()
    for token in last:
        is_it = ids == token
        # From its first place on, a text has nothing else.
        ends = bool((is_it.cumsum(1)[:, -1] == is_it.flip(1).long().cumprod(1).sum(1)).all())
        if ends and int(is_it.sum(1).max()) >= 2 and bool((~is_it).any(1).all()):
            return int(token)
    return None


def unpadded(call, output):
    """The mistake if the outputs of one text move when it comes without its padding: a mask that hides padding changes nothing."""
    ids = call.texts()
    if ids is None or output.shape[0] != ids.shape[0] < 2:
        return []
    known = padding_token(call, ids)
    padding = trailing_token(ids) if known is None else known
    # Of few texts one may be shorter by one token only: then it is the token that was padding in another call of the model.
    padding = TRAILING.get(type(call.owner())) if padding is None else padding
    TRAILING[type(call.owner())] = padding
    samples, tokens = ids.shape
    if padding is None or samples == tokens:
        return []
    lengths = (ids != padding).sum(1)
    ends = [bool((ids[at, : int(length)] != padding).all()) for at, length in enumerate(lengths)]
    sample = next((at for at, length in enumerate(lengths) if ends[at] and 2 <= int(length) < tokens), None)
    # Padding may also stand before the texts, all of which then end with a word.
    starts = [bool((ids[at, tokens - int(length) :] != padding).all()) for at, length in enumerate(lengths)]
    before_text = sample is None and known is not None and all(starts)
    # A model that is trained so has learned positions that count from the padding.
    if before_text and type(call.arguments.get(0)) not in PADDED_BEFORE:
        sample = next((at for at, length in enumerate(lengths) if 2 <= int(length) < tokens), None)
    if sample is None or call.is_late():
        return []
    count, changed = int(lengths[sample]), {}
    first = tokens - count if before_text else 0
    for where, value in call.tensors():
        if value.dim() and value.shape[0] == samples:
            value = value[sample : sample + 1]
        axes = range(1, value.dim()) if call.is_mask(where, value) or is_tokens(value) else range(1, min(2, value.dim()))
        for axis in axes:
            if value.shape[axis] == tokens:
                value = value.narrow(axis, first, count)
        if call.is_mask(where, value) and value.dim() == 2 and value.shape == (tokens, tokens):
            value = value[first : first + count, first : first + count]
        changed[where] = value.clone()
    call.repeat()
    whole = [it for it in all_tensors(call.output) if it.is_floating_point() and it.dim() and it.shape[0] == samples]
    call.repeat(changed)
    alone = [it for it in all_tensors(call.output) if it.is_floating_point() and it.dim() and it.shape[0] == 1]
    if len(whole) != len(alone):
        return []
    far = 0.0
    for before, after in zip(whole, alone):
        before = before[sample : sample + 1]
        if before.dim() > 1 and before.shape[1] == tokens:
            before = before[:, first : first + count]
        # Of a cache or of weights other axes are those of the tokens.
        if before.shape != after.shape:
            continue
        after, before = torch.nan_to_num(after), torch.nan_to_num(before)
        moved = float((after - before).abs().max())
        far = max(far, moved if moved > ROUNDING * max(float(before.abs().max()), 1e-30) else 0.0)
    if far == 0.0:
        return []
    observed = f"was called again with text {sample} of the batch alone, {count} tokens without the {tokens - count} of padding (token {padding}) {'before' if before_text else 'after'} them: its outputs moved by {figure(far)}."
    fix = "hide the keys of padding in each attention: scores.masked_fill((tokens == PAD)[:, None, None, :], -torch.inf) for scores of (batch, heads, query, key)"
    if before_text:
        fix += "; and count positions from the first word: (real.cumsum(1) - 1).clamp(min=0)"
    # A token that only stands at the ends of texts is padding if the program asks for it.
    return [call.found("padding-leak", observed, fix, asked=None if known is not None else padding)]
