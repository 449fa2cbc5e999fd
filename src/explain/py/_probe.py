"""Runs a call of the learner's code again on changed inputs, and reports what moved. `attn doctor` reads the report.

A call is a function and the arguments that it was called with. Each repetition gets copies of them, so that it changes
nothing that the learner has: modules among the arguments are copied and, unless said otherwise, put into eval mode.
"""

import copy
import json

import torch
from torch import nn
from _probe_values import (
    ROUNDING,
    all_tensors,
    first_tensor,
    is_tokens,
    is_zero_one,
    nearly_same,
    opposite,
    same,
    with_change,
)

# The work of all repetitions of one call: elements that operations read and return, and 2,000 for each operation. It is
# counted, not timed: the report is the same on every machine. On one core (heads of 32, 64 tokens) it is about half a second.
WORK = 40_000_000
# At most this many positions along one axis are changed, one at a time.
POSITIONS = 5
# How the names of arguments begin that hold no tokens.
NO_TOKENS = ("mask", "bias", "cos", "sin", "freq", "pos", "weight", "target", "label")
# Words of a docstring that promise a causal mask, and words of a sentence that may take the promise back.
CAUSAL_WORDS = ("causal", "autoregressive")
UNLIKE = ("not", "no", "non", "without", "unlike", "bidirectional", "if", "whether", "optional", "optionally", "or", "instead", "never", "cross")
SEED = 4711


class Call:
    """A function and its arguments: `positional` a tuple, `keywords` a dict, `names` the parameters of `positional`.

    `work` is what one repetition costs: what the call itself did when the learner made it.
    """

    def __init__(self, function, names, positional, keywords, work):
        self.function, self.names = function, names
        self.positional, self.keywords = positional, keywords
        self.work, self.done = work, 0

    def is_late(self):
        return self.done > WORK

    def owner(self):
        """The module whose method was called, if it is one."""
        owner = self.positional[0] if self.positional else None
        is_method = hasattr(type(owner), getattr(self.function, "__name__", ""))
        return owner if isinstance(owner, nn.Module) and is_method else None

    def repeat(self, changed=None, training=False, seed=SEED, prepare=None):
        """The output of a repetition. `changed` has other values for some arguments, by position or keyword; `prepare` gets
        the copies of the modules."""
        self.done += self.work
        positional, keywords = copied(self.positional, self.keywords)
        for where, value in (changed or {}).items():
            if isinstance(where, int):
                positional[where] = value
            else:
                keywords[where] = value
        self.modules = [value for value in [*positional, *keywords.values()] if isinstance(value, nn.Module)]
        for module in self.modules:
            module.train(training)
        if prepare is not None:
            prepare(self.modules)
        torch.manual_seed(seed)
        self.output = self.function(*positional, **keywords)
        return self.by_tokens(first_tensor(self.output))

    def by_tokens(self, output):
        """The output with an axis for the texts and one for their tokens, where the call has made one of both.

        Language models often do so for the loss: `logits.view(B * T, C)`.
        """
        if output is None or output.dim() != 2:
            return output
        found = [value for _, value in self.inputs() if is_tokens(value) and value.dim() == 2 and value.shape[1] > 1]
        alike = [value for value in found if value.numel() == output.shape[0] != value.shape[0]]
        return output.reshape(*alike[0].shape, -1) if alike else output

    def tensors(self):
        """Where the tensors among the arguments are, and the tensors."""
        arguments = [*enumerate(self.positional), *self.keywords.items()]
        return [(where, value) for where, value in arguments if isinstance(value, torch.Tensor)]

    def inputs(self):
        """The tensors that hold tokens: no masks, and nothing with fewer axes than the others."""
        found = [(where, value) for where, value in self.tensors() if not self.is_mask(where, value)]
        rank = lambda value: value.dim() + is_tokens(value)
        axes = max((rank(value) for _, value in found), default=0)
        return [(where, value) for where, value in found if rank(value) == axes]

    def inputs_like(self, output):
        """Those as long as the output, if there are such: not the other sequence of cross-attention."""
        found = self.inputs()
        alike = [(where, value) for where, value in found if value.shape[:2] == output.shape[:2]]
        return alike if alike and len(alike) < len(found) and len({v.shape[1] for _, v in found if v.dim() > 1}) > 1 else found

    def is_mask(self, where, value):
        name = self.names[where] if isinstance(where, int) and where < len(self.names) else str(where)
        words = name.lower().split("_")
        named = any(word in ("w", "y") or word.startswith(NO_TOKENS) for word in words)
        return named or value.dtype == torch.bool or not bool(torch.isfinite(value.float()).all())


    def is_pairs(self, where, value):
        """Whether an argument is a mask, or a bias of scores: neither vectors nor numbers of tokens."""
        name = (self.names[where] if isinstance(where, int) and where < len(self.names) else str(where)).lower()
        return value.dim() >= 2 and (value.dtype == torch.bool or "bias" in name and value.is_floating_point())


def copied(positional, keywords):
    """Copies of the arguments of a call. What a module keeps of an earlier call, such as its weights, is detached first."""
    memo = {}
    for value in [*positional, *keywords.values()]:
        parts = [part for module in value.modules() for part in vars(module).values()] if isinstance(value, nn.Module) else [value]
        for part in parts:
            for tensor in caches(part):
                if not tensor.is_complex() and not tensor.is_leaf:
                    memo[id(tensor)] = tensor.detach().clone()
    positional, keywords = copy.deepcopy((positional, keywords), memo)
    return list(positional), keywords


def moves(before, after, axis):
    """How far each position along `axis` of the output moved; 0 for what is rounding."""
    before, after = (torch.nan_to_num(it.detach().double(), posinf=0.0, neginf=0.0) for it in (before, after))
    far = (before - after).abs().transpose(0, axis).flatten(1).amax(1)
    scale = max(float(before.abs().max()), float(after.abs().max()), 1e-30)
    return [float(it) if float(it) > ROUNDING * scale else 0.0 for it in far]


def axes_of(inputs, output):
    """The axes along which the inputs and the output have the same positions, at least two."""
    value = inputs[0][1]
    last = value.dim() if is_tokens(value) else value.dim() - 1
    return [
        axis
        for axis in range(min(last, output.dim()))
        if value.shape[axis] == output.shape[axis] >= 2
        and all(other.shape[axis] == value.shape[axis] for _, other in inputs)
    ]


def positions(size):
    """The positions that are changed, the last one first."""
    if size <= POSITIONS:
        return list(range(size))[::-1]
    return sorted({size - 1, size - 2, size // 2, 1, 0}, reverse=True)


def influence(call, output):
    """For each axis that inputs and output share: which outputs move when one position is changed."""
    inputs = call.inputs_like(output)
    found = []
    for axis in axes_of(inputs, output) if inputs else []:
        changes = []
        for at in positions(output.shape[axis]):
            if call.is_late():
                break
            torch.manual_seed(SEED + at)
            changed = {where: with_change(value, axis, at) for where, value in inputs}
            after = call.repeat(changed)
            if after is None or after.shape != output.shape:
                break
            changes.append({"at": at, "moved": moves(output, after, axis)})
        found.append({"axis": axis, "size": output.shape[axis], "changes": changes})
    return found


def varies(call, output):
    """The first two axes along which the output varies when all tokens are equal: that of the positions."""
    inputs = call.inputs()
    last = 2 if inputs and all(value.dim() >= 2 + (not is_tokens(value)) for _, value in inputs) else 0
    if not last or output.dim() < 2:
        return []
    # What is the same for all samples, and different from token to token, are positions.
    tokens = inputs[0][1].shape[1]
    others = [value for where, value in call.tensors() if all(where != at for at, _ in inputs) and value.dim() >= 2]
    if any(value.shape[0] == 1 and value.shape[1] == tokens and value.is_floating_point() for value in others):
        return [1]
    equal = {where: value[:1, :1].expand(value.shape).clone() for where, value in inputs}
    after = call.repeat(equal)
    if after is None or after.shape != output.shape:
        return []
    return [axis for axis in range(last) if max(moves(after, after.narrow(axis, 0, 1).expand(after.shape), axis)) > 0]


def unsteady(call, output):
    """How far the output in eval mode moves with another seed."""
    if not any(isinstance(value, nn.Module) for value in call.positional):
        return 0.0
    other = call.repeat(seed=SEED + 1)
    return 0.0 if other is None or other.shape != output.shape else max(moves(output, other, 0), default=0.0)


def vary(modules):
    """Gives other numbers to parameters whose numbers are all equal: what begins with zero has an effect later."""
    torch.manual_seed(SEED)
    for module in modules:
        for value in module.parameters():
            if value.is_floating_point() and bool((value == value.flatten()[0]).all()):
                value.data.copy_(0.5 + torch.rand(value.shape, dtype=value.dtype))


def layers(module):
    """The layers of a module that have a matrix of their own: their names, and the layers."""
    return [(name, it) for name, it in module.named_modules() if name and any(p.dim() >= 2 for p in it.parameters())]


def is_switched_off(module, name):
    """Whether a parameter is one of several in a part of the program's own, others of which count or are frozen: an adapter that
    is merged, or one that is not used now."""
    path = name.rpartition(".")[0]
    owner = module.get_submodule(path)
    if not path or type(owner).__module__.startswith("torch"):
        return False
    return any(not it.requires_grad or it.grad is not None and bool((it.grad != 0).any()) for it in owner.parameters())


def untouched(call):
    """The matrices of a module that its output does not depend on, whole or in some of their rows: their names, their shapes,
    how many rows, and whether their layer ran, although nothing that the call returns depends on it."""
    # A function that is given a module may show its weights, which no values reach.
    owner = call.owner()
    if owner is None:
        return []
    ran = set()

    def watched(modules):
        vary(modules)
        for name, layer in layers(modules[0]):
            # A layer of the program's own may run without all of its parameters, as one whose adapter is merged.
            if not type(layer).__module__.startswith("torch"):
                continue
            layer.register_forward_hook(lambda module, args, result, name=name: ran.add(name))

    with torch.enable_grad():
        # Equal tokens have equal weights, whatever the queries.
        torch.manual_seed(SEED)
        varied = {where: torch.randn_like(value) for where, value in call.inputs() if value.dtype == torch.float32}
        output = call.repeat(varied, prepare=watched)
        if output is None or not output.requires_grad:
            return []
        torch.manual_seed(SEED)
        (output.double() * torch.rand(output.shape, dtype=torch.float64)).sum().backward()
    before = all_tensors(call.output)
    tables, found = {name for name, it in call.modules[0].named_modules() if isinstance(it, nn.Embedding)}, []
    for name, it in call.modules[0].named_parameters():
        if it.dim() < 2 or not it.requires_grad or is_switched_off(call.modules[0], name):
            continue
        rows = torch.ones(it.shape[0], dtype=torch.bool) if it.grad is None else (it.grad == 0).flatten(1).all(1)
        if not bool(rows.any()):
            continue
        # Of a table of positions or words, most calls read a part only.
        is_part_of_table = name.rpartition(".")[0] in tables and not bool(rows.all())
        is_dead = name.rpartition(".")[0] in ran and not is_part_of_table and not call.is_late()
        if is_dead:

            def changed(modules, name=name, rows=rows):
                vary(modules)
                dict(modules[0].named_parameters())[name].data[rows] = 0.7

            with torch.no_grad():
                call.repeat(varied, prepare=changed)
            is_dead = same(before, all_tensors(call.output))
        found.append({"name": name, "shape": list(it.shape), "rows": int(rows.sum()), "dead": is_dead})
    return found


def parts(call):
    """The parts of a module that give back the shape of its input, such as attention and the two layers after it: their names,
    and whether the output depends on the input where what the part returns is 0."""
    owner = call.owner()
    inputs = [(where, value) for where, value in call.inputs() if value.is_floating_point()]
    if owner is None or getattr(call.function, "__name__", "") != "forward" or not inputs:
        return []
    (where, value), ran = inputs[0], {}

    def watched(modules):
        for name, part in modules[0].named_children():
            part.register_forward_hook(lambda module, args, result, name=name: ran.setdefault(name, []).append((args[:1], result)))

    output = call.repeat(prepare=watched)
    if output is None or output.shape != value.shape:
        return []
    taken = {name: runs[0][0][0] for name, runs in ran.items() if runs[0][0] and isinstance(runs[0][0][0], torch.Tensor)}
    layers = {name for name, part in owner.named_children() if any(it.dim() >= 2 for it in part.parameters())}
    found = []
    for name, part in owner.named_children():
        # Parts that are given the same, such as the projections of queries and values, do not follow each other.
        if any(other != name and other in layers and same([taken.get(name)], [it]) for other, it in taken.items() if name in taken):
            continue
        runs = ran.get(name, [])
        if len(runs) != 1 or name not in taken or call.is_late():
            continue
        matrices = sum(it.dim() >= 2 for it in part.parameters())
        given, made = taken[name], first_tensor(runs[0][1])
        # The second layer of two may stand alone: what it is given is wider.
        is_part = given.shape == value.shape if matrices > 1 else matrices == 1 and given.shape[-1] > value.shape[-1]
        if not is_part or made is None or made.shape != value.shape:
            continue

        def silent(modules, name=name):
            vary(modules)
            getattr(modules[0], name).register_forward_hook(lambda module, args, result: zeros(result))

        torch.manual_seed(SEED)
        others = [torch.randn_like(value), torch.randn_like(value)]
        first, second = (call.repeat({where: other}, prepare=silent) for other in others)
        found.append({"name": name, "passed": not same([first], [second])})
    return found


def zeros(result):
    """The same with 0 in its first tensor."""
    if isinstance(result, torch.Tensor):
        return torch.zeros_like(result)
    if isinstance(result, tuple) and result:
        return (zeros(result[0]), *result[1:])
    return result


def in_place_of(call):
    """A layer that did not run where another one beside it, with a matrix of the same shape, ran twice with the same input:
    the names of both."""
    if call.owner() is None:
        return []
    runs = {}

    def watched(modules):
        for name, layer in layers(modules[0]):
            layer.register_forward_hook(lambda module, args, result, name=name: runs.setdefault(name, []).append(args[:1]))

    call.repeat(prepare=watched)
    known = [(name, {tuple(p.shape) for p in layer.parameters() if p.dim() >= 2}) for name, layer in layers(call.modules[0])]
    found = []
    for name, shapes in known:
        if name in runs:
            continue
        for other, its in known:
            is_beside = name.rpartition(".")[0] == other.rpartition(".")[0] and bool(shapes & its)
            given = [args[0] for args in runs.get(other, []) if args and isinstance(args[0], torch.Tensor)] if is_beside else []
            if any(a.shape == b.shape and bool(torch.equal(a, b)) for at, a in enumerate(given) for b in given[:at]):
                found.append([name, other])
    return found


def unmoved(call):
    """The names of tensors among the arguments on which no output depends."""
    # With a cache, what was read before need not be read again.
    if any(isinstance(value, (dict, list)) and len(value) > 0 for value in [*call.positional, *call.keywords.values()]):
        return []
    # Of one key the weight is 1, whatever the query.
    if any(value.dim() >= 2 and (value.shape[1] == 1 or value.dim() > 2 and value.shape[-2] == 1) for _, value in call.inputs()):
        return []
    call.repeat()
    before, found = all_tensors(call.output), []
    for where, value in call.tensors():
        # Of numbers that are all equal, such as those of one document, others may say the same.
        is_one = is_tokens(value) and not call.is_mask(where, value) and bool((value == value.flatten()[0]).all())
        if call.is_late() or value.numel() < 2 or is_one:
            continue
        torch.manual_seed(SEED)
        other = opposite(value)
        if torch.equal(other, value):
            continue
        try:
            call.repeat({where: other})
        except Exception:
            continue
        after = all_tensors(call.output)
        is_unmoved = same(before, after) or call.is_mask(where, value) and nearly_same(before, after)
        if is_unmoved and not is_obeyed(call, where, value):
            found.append(call.names[where] if isinstance(where, int) else where)
    return found


def is_obeyed(call, where, value):
    """Whether no token sees what a mask on which no output depends hides from it: another argument, such as a bias to which it
    was added, hides the same."""
    if not call.is_mask(where, value) or value.dim() < 2:
        return False
    hidden = value < -1e4 if value.is_floating_point() and not is_zero_one(value) else value == 0
    if value.dim() == 2 and value.shape[0] != value.shape[1]:
        hidden = hidden[:, None]
    for at, tokens in call.inputs():
        output = call.repeat()
        is_of_tokens = tokens.dim() >= 2 and tokens.shape[1] == hidden.shape[-1] == output.shape[1] if output is not None and output.dim() >= 2 else False
        if not is_of_tokens or hidden.shape[0] not in (1, tokens.shape[0]) and hidden.dim() > 2:
            continue
        pairs = hidden.reshape(-1, *hidden.shape[-2:])
        pairs = pairs[:: max(1, pairs.shape[0] // tokens.shape[0])].expand(tokens.shape[0], tokens.shape[1], tokens.shape[1])
        for is_hidden in (pairs, ~pairs):
            if call.is_late():
                return True
            seen = []
            for key in range(tokens.shape[1]):
                moved = (torch.nan_to_num(call.repeat({at: with_change(tokens, 1, key)})) - torch.nan_to_num(output)).abs()
                moved = moved.flatten(2).amax(2) if moved.dim() > 2 else moved
                others = is_hidden[:, :, key].clone()
                others[:, key] = False
                seen.append(float(moved[others].max()) > ROUNDING * max(float(output.abs().max()), 1e-30) if bool(others.any()) else None)
            if True not in seen and False in seen:
                return True
    return False


def unread(call):
    """The masks of pairs that a module keeps and on which no output of its `forward` depends: their names. Not of a module with
    a switch that is off, which may be that of the mask."""
    owner = call.positional[0] if call.positional else None
    is_whole = isinstance(owner, nn.Module) and getattr(call.function, "__name__", "") == "forward"
    if not is_whole or any(value is False for name, value in vars(owner).items() if name != "training"):
        return []
    if any(value is False or value is None for value in [*call.positional, *call.keywords.values()]):
        return []
    call.repeat()
    before, found = all_tensors(call.output), []
    for name, value in owner.named_buffers(recurse=False):
        is_pairs = value.dim() >= 2 and value.shape[-1] == value.shape[-2] > 1
        is_mask = value.dtype == torch.bool or is_zero_one(value) or bool((value < -1e4).any())
        if not is_pairs or not is_mask or bool((value == value.flatten()[0]).all()):
            continue

        def inverted(modules, name=name, other=opposite(value)):
            setattr(modules[0], name, other)

        call.repeat(prepare=inverted)
        if same(before, all_tensors(call.output)):
            found.append(name)
    return found


def paddings(call):
    """The masks among the arguments that say for each sample which of its tokens are real: (where, rows)."""
    found = []
    for where, value in call.tensors():
        if not call.is_mask(where, value) or value.dim() < 2 or value.shape[0] < 2:
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
    return found


def padding(call, output):
    """How far the content of hidden tokens moves what real tokens get, for each mask that says which are real.

    Names differ on whether True is real. With a mask that works, one of the two kinds does not move the other.
    """
    found = []
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
            if len(moved) == 2 and not (all(moved) and is_sparse(call, where, at, value, output)):
                name = call.names[where] if isinstance(where, int) else where
                found.append({"mask": name, "sample": sample, "hidden": int((~rows[sample]).sum()), "moved": moved})
    return found


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
    for value in [*call.positional, *call.keywords.values()]:
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


def unpadded(call, output):
    """How far the outputs of one text move when it comes without its padding: a mask that hides padding changes nothing."""
    ids = next((value for _, value in call.inputs() if is_tokens(value) and value.dim() == 2), None)
    if ids is None or output.dim() < 2 or output.shape[0] != ids.shape[0] < 2:
        return None
    padding = padding_token(call, ids)
    samples, tokens = ids.shape
    if padding is None or samples == tokens:
        return None
    lengths = (ids != padding).sum(1)
    ends = [bool((ids[at, : int(length)] != padding).all()) for at, length in enumerate(lengths)]
    sample = next((at for at, length in enumerate(lengths) if ends[at] and 2 <= int(length) < tokens), None)
    if sample is None or call.is_late():
        return None
    count, changed = int(lengths[sample]), {}
    for where, value in call.tensors():
        if value.dim() and value.shape[0] == samples:
            value = value[sample : sample + 1]
        axes = range(1, value.dim()) if call.is_mask(where, value) or is_tokens(value) else range(1, min(2, value.dim()))
        for axis in axes:
            if value.shape[axis] == tokens:
                value = value.narrow(axis, 0, count)
        if call.is_mask(where, value) and value.dim() == 2 and value.shape == (tokens, tokens):
            value = value[:count, :count]
        changed[where] = value.clone()
    after = call.repeat(changed)
    before = output[sample : sample + 1]
    if output.shape[1] == tokens:
        before = before[:, :count]
    if after is None or after.shape != before.shape:
        return None
    far, size = float((after - before).abs().max()), max(float(before.abs().max()), 1e-30)
    return {"sample": sample, "tokens": count, "padded": tokens, "token": padding, "moved": far if far > ROUNDING * size else 0.0}


def documented_causal(call, owner):
    """Whether a docstring of the function or its class says that it is causal, and no argument decides about a mask."""
    if any("mask" in name or "causal" in name for name in [*call.names, *call.keywords]):
        return False
    texts = [getattr(call.function, "__doc__", None), type(owner).__dict__.get("__doc__")]
    for text in texts:
        for sentence in (text or "").lower().replace("\n", " ").split("."):
            words = sentence.replace("-", " ").replace(",", " ").split()
            if any(word in CAUSAL_WORDS for word in words) and not any(word in UNLIKE for word in words):
                return True
    return False


def says_causal(call):
    """Whether a flag of the module is set, the class of an argument named, or a docstring written, for a causal mask."""
    owner = call.positional[0] if call.positional else None
    flag = isinstance(owner, nn.Module) and any(owner.__dict__.get(name) is True for name in ("causal", "is_causal"))
    named = any(
        "causal" in type(value).__name__.lower() and value is not owner
        for value in [*call.positional, *call.keywords.values()]
    )
    return flag or named or documented_causal(call, owner)


def is_empty(value):
    """Whether an argument is a cache that has nothing yet."""
    if isinstance(value, torch.Tensor):
        return value.numel() == 0
    if isinstance(value, (dict, list, tuple)):
        return len(value) == 0
    return value is None or type(value) is int and value == 0


def is_flag(value):
    return type(value) is bool


def blank(value):
    """A dict or a list as it was before tensors were stored in it."""
    if isinstance(value, dict):
        return {key: blank(part) for key, part in value.items() if isinstance(part, (dict, list))}
    if any(isinstance(part, (dict, list)) for part in value):
        return [blank(part) for part in value]
    stored = [part for part in value if not isinstance(part, torch.Tensor)]
    return [None if isinstance(part, tuple) else type(part)() if is_object(part) else part for part in stored]


def is_object(value):
    """Whether an argument is an object of a class of the program's own, such as a cache with `update`."""
    kind = type(value)
    own = not kind.__module__.startswith(("torch", "builtins", "collections"))
    return own and not isinstance(value, (nn.Module, torch.Tensor)) and hasattr(value, "__dict__")


def begun(before, after):
    """Whether an argument says that there is a cache now, and did not before."""
    if is_flag(after):
        return after and not before
    return is_empty(before) and not is_empty(after)


def cached(call, others, output):
    """The outputs of the call in two parts, the second with the cache of the first, compared with those in one.

    Only where the learner's code makes such a call: one of `others` has a cache where this call has none.
    """
    arguments = dict([*enumerate(call.positional), *call.keywords.items()])
    inputs = [(where, value) for where, value in call.inputs() if value.dim() >= 2 and value.shape[1] == output.shape[1]]
    if not inputs or output.dim() < 2:
        return None
    where, tokens = inputs[0]
    known = [dict([*enumerate(positional), *keywords.items()]) for positional, keywords in others]
    known = [other for other in known if set(other) == set(arguments) and isinstance(other.get(where), torch.Tensor) and other[where].dim() > 1]
    # A step that takes one token is no call for several.
    if max([tokens.shape[1], *(other[where].shape[1] for other in known)]) < 2:
        return None
    for other in known:
        new = other[where].shape[1]
        filled = [at for at in arguments if begun(arguments[at], other[at])]
        offset = wrong_offset(other, filled)
        if offset:
            return {"first": 0, "tokens": 0, "moved": [], "offset": offset}
        whole = tokens
        if tokens.shape[1] < new + 2 and tokens.shape[0] == other[where].shape[0] and tokens.dim() == other[where].dim():
            # In a mixed order: a mask that hides the wrong one of two equal tokens hides nothing else.
            mixed = torch.cat([tokens, other[where].to(tokens.dtype)], dim=1)
            whole = torch.cat([tokens, mixed[:, (3 * torch.arange(3 * new) + 1) % mixed.shape[1]]], dim=1)
        # Several tokens after the first part, where the program passes some at once.
        made = {at: other[at] for at in filled if is_flag(other[at]) or is_object(other[at])}
        first = whole.shape[1] - (new if new < whole.shape[1] or not made else max(1, whole.shape[1] // 3))
        if not filled or first < 1:
            continue
        # A mask over all tokens so far grows with the cache; anything else that changes is not understood.
        growing = [at for at, value in call.tensors() if at != where and value.shape[-1] == tokens.shape[1] and value.dim() <= 2]
        if any(not isinstance(other[at], torch.Tensor) or other[at].shape[-1] == new for at in growing):
            continue
        if growing and whole is not tokens:
            continue
        changed = [at for at, value in call.tensors() if at != where and at not in growing and at not in filled]
        if any(not isinstance(other[at], torch.Tensor) or other[at].shape != arguments[at].shape for at in changed):
            continue
        before = call.repeat({where: whole})
        after = call.repeat({where: with_change(whole, 1, whole.shape[1] - 1)})
        # Without a causal mask the first tokens see more in one part than in two.
        if before.dim() < 2 or before.shape[1] != whole.shape[1] or any(moves(before, after, 1)[:-1]):
            continue
        memories = [at for at in filled if ends_with(other[at], tokens)]
        moved = in_parts(call, before, where, whole, first, filled, growing, memories, made)
        stored = {at: blank(other[at]) for at in filled if isinstance(other[at], (dict, list))}
        if moved is None and stored and not made:
            # A dict or a list that the call fills in place. Where the program gives one token at a time, so does this.
            storing = [it for it in known if any(begun(arguments[at], it[at]) for at in stored)]
            steps = {it[where].shape[1] for it in storing}
            first = 1 if steps == {1} else first
            # The position of the first call is 0, as that of one without a cache.
            moving = [at for at in arguments if any(begun(arguments[at], it[at]) for it in storing)]
            moved = in_parts(call, before, where, whole, first, moving, growing, memories, stored, steps == {1})
        if moved is not None:
            return {"first": first, "tokens": whole.shape[1], "moved": moved, "offset": None}
    return None


def without_flag(call):
    """As `cached`, for a program that never makes the call without its cache: a flag that is set is taken for that of a cache."""
    arguments = dict([*enumerate(call.positional), *call.keywords.items()])
    flags = [at for at, value in arguments.items() if value is True]
    if len(flags) != 1:
        return None
    arguments[flags[0]] = False
    positional = [arguments[at] for at in range(len(call.positional))]
    keywords = {at: arguments[at] for at in call.keywords}
    bare = Call(call.function, call.names, positional, keywords, call.work)
    bare.done = call.done
    output = bare.repeat()
    return None if output is None else cached(bare, [(call.positional, call.keywords)], output)


def emptied(modules):
    """Empties the caches that modules keep, by their own method for it. Returns whether there is one.

    Before, the modules have the caches of the program's last text: what the method leaves is part of the next.
    """
    for module in modules:
        names = [name for name in dir(type(module)) if any(word in name.lower() for word in ("reset", "clear", "empty")) and not hasattr(nn.Module, name)]
        for name in names:
            method = getattr(module, name)
            if getattr(method, "__code__", None) is not None and method.__code__.co_argcount == 1:
                method()
                return True
    return False


def caches(value):
    """The tensors in a cache."""
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [found for part in parts for found in caches(part)]


def wrong_offset(other, filled):
    """A position that was passed with a cache of another length: (position, length)."""
    stored = [tensor for at in filled for tensor in caches(other[at]) if tensor.dim() >= 3]
    sizes = {size for tensor in stored for size in tensor.shape[1:-1]}
    for at in filled:
        if type(other[at]) is int and sizes and other[at] not in sizes:
            return other[at], stored[0].shape[-2]
    return None


def ends_with(memory, tokens):
    """Whether a cache has the tokens of an earlier call themselves, as the memory of Transformer-XL has."""
    if not isinstance(memory, torch.Tensor) or memory.dim() != tokens.dim() or memory.shape[1] < tokens.shape[1]:
        return False
    last = memory[:, memory.shape[1] - tokens.shape[1]:]
    return last.shape == tokens.shape and bool(torch.equal(last, tokens.detach()))


def in_parts(call, output, where, tokens, first, filled, growing, memories, made, one_by_one=False):
    positional, keywords = copied(call.positional, call.keywords)
    modules = [value for value in [*positional, *keywords.values()] if isinstance(value, nn.Module)]
    for value in [*positional, *keywords.values()]:
        if isinstance(value, nn.Module):
            value.eval()

    def given(at, value):
        if isinstance(at, int):
            positional[at] = value
        else:
            keywords[at] = value

    arguments = dict([*enumerate(call.positional), *call.keywords.items()])
    if any(is_flag(value) for value in made.values()):
        # Another text before this one: what the method leaves of its cache is noticed.
        for at, value in made.items():
            given(at, value)
        given(where, tokens.flip(1)[:, : min(first, 2)].clone())
        call.function(*positional, **keywords)
        if not emptied(modules):
            return None
    given(where, tokens[:, :first].clone())
    for at in growing:
        given(at, arguments[at][..., :first].clone())
    for at, value in made.items():
        given(at, value if is_flag(value) or isinstance(value, (dict, list)) else type(value)())
    torch.manual_seed(SEED)
    one = call.function(*positional, **keywords)
    parts = [first_tensor(one)]
    if one_by_one:
        for step in range(1, tokens.shape[1] - 1):
            given(where, tokens[:, step : step + 1].clone())
            for at in growing:
                given(at, arguments[at][..., : step + 1].clone())
            for at in filled:
                if at not in made and type(positional[at] if isinstance(at, int) else keywords[at]) is int:
                    given(at, step)
            parts.append(first_tensor(call.function(*positional, **keywords)))
        first = tokens.shape[1] - 1
    given(where, tokens[:, first:].clone())
    for at in growing:
        given(at, arguments[at].clone())
    for at in filled:
        if at in made:
            continue
        value = positional[at] if isinstance(at, int) else keywords[at]
        if type(value) is int:
            given(at, first)
        elif at in memories:
            given(at, tokens[:, :first].clone())
        elif is_empty(value):
            if not isinstance(one, (tuple, list)) or len(one) < 2:
                return None
            given(at, one[1])
    two = call.function(*positional, **keywords)
    parts = torch.cat([*parts, first_tensor(two)], dim=1)
    return moves(output, parts, 1) if parts.shape == output.shape else None


def examine(function, names, positional, keywords, others=(), work=0):
    """The report on a call, as JSON; an object without entries if the call cannot be repeated."""
    call = Call(function, names, positional, keywords, work)
    with torch.no_grad():
        try:
            output = call.repeat()
            if output is None or output.dim() == 0 or not output.is_floating_point() or call.is_late():
                return "{}"
            report = {"axes": influence(call, output), "unsteady": unsteady(call, output)}
            report["unmoved"] = unmoved(call)
            report["masks"] = [call.names[at] if isinstance(at, int) else at for at, value in call.tensors() if call.is_pairs(at, value)]
            report["unread"] = unread(call)
            report["varies"] = varies(call, output)
            report["padding"] = padding(call, output)
        except Exception:
            return "{}"
        try:
            report["cached"] = cached(call, others, output) or without_flag(call)
        except Exception:
            report["cached"] = None
        try:
            report["unpadded"] = unpadded(call, output)
        except Exception:
            report["unpadded"] = None
        report["is_causal"] = says_causal(call)
    try:
        report["untouched"] = untouched(call)
    except Exception:
        report["untouched"] = []
    try:
        with torch.no_grad():
            report["parts"] = parts(call)
    except Exception:
        report["parts"] = []
    try:
        with torch.no_grad():
            report["in_place_of"] = in_place_of(call)
    except Exception:
        report["in_place_of"] = []
    ids = next((value for _, value in call.inputs() if is_tokens(value) and value.dim() == 2), None)
    token = padding_token(call, ids) if ids is not None else None
    report["padding_token"] = None if token is None else [token, len(ids)]
    report["inputs"] = len(call.inputs())
    report["changed"] = len(call.inputs_like(output))
    report["ranks"] = [max((value.dim() for _, value in call.inputs()), default=0), output.dim()]
    report["arguments"] = [*names, *keywords]
    report["tokens"] = [value.flatten().tolist() for _, value in call.inputs() if is_tokens(value)]
    return json.dumps(report)
