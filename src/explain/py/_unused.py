"""What of a module and of its arguments its output does not depend on."""

import torch
from torch import nn
from _call import SEED, mixes, moves
from _probe_values import (
    ROUNDING,
    all_tensors,
    first_tensor,
    is_tokens,
    is_zero_one,
    opposite,
    same,
    with_change,
)


# Words in the name of an argument that is a mask.
MASKS = ("mask", "padding", "pad", "real", "visible", "keep", "valid")


def vary(modules):
    """Gives other numbers to parameters whose numbers are all equal: what begins with zero has an effect later, and is around
    zero, so that it does not make all tokens alike."""
    torch.manual_seed(SEED)
    for module in modules:
        for value in module.parameters():
            if value.is_floating_point() and bool((value == value.flatten()[0]).all()):
                middle = 0.0 if bool(value.flatten()[0] == 0) else 1.0
                value.data.copy_(middle - 0.5 + torch.rand(value.shape, dtype=value.dtype))


def layers(module):
    """The layers of a module that have a matrix of their own: their names, and the layers."""
    return [(name, it) for name, it in module.named_modules() if name and any(p.dim() >= 2 for p in it.parameters())]


def is_zero(args):
    """Whether the first argument of a layer is numbers with a fraction that are all 0."""
    return bool(args) and isinstance(args[0], torch.Tensor) and args[0].is_floating_point() and not bool(args[0].any())


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
    if call.owner() is None:
        return []
    ran = set()

    def watched(modules):
        vary(modules)
        for it in tables_beside(modules[0]).values():
            it.requires_grad_()
        for name, layer in layers(modules[0]):
            # A layer of the program's own may run without all of its parameters, as one whose adapter is merged.
            if not type(layer).__module__.startswith("torch"):
                continue
            # Of zeros, such as a return that is 0, no matrix makes anything else.
            layer.register_forward_hook(lambda module, args, result, name=name: is_zero(args) or ran.add(name))

    # Equal tokens have equal weights, whatever the queries.
    torch.manual_seed(SEED)
    varied = {where: torch.randn_like(value) for where, value in call.inputs() if value.dtype == torch.float32}
    if not call.backward(varied, prepare=watched):
        return []
    call.kept = [name for name, it in tables_beside(call.modules[0]).items() if it.grad is None or not bool(it.grad.any())]
    exact = zero_but_for_rounding(call, varied)
    before = all_tensors(call.output)
    tables, found = {name for name, it in call.modules[0].named_modules() if isinstance(it, nn.Embedding)}, []
    for name, it in call.modules[0].named_parameters():
        if it.dim() < 2 or not it.requires_grad or is_switched_off(call.modules[0], name):
            continue
        # Another method than forward does a part of the work.
        if it.grad is None and getattr(call.function, "__name__", "") != "forward" and name.rpartition(".")[0] not in ran:
            continue
        rows = torch.ones(it.shape[0], dtype=torch.bool) if it.grad is None or name in exact else (it.grad == 0).flatten(1).all(1)
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
        found.append({"name": name, "shape": list(it.shape), "rows": int(rows.sum()), "dead": is_dead, "cancels": name in exact})
    return found


def tables_beside(module):
    """The tables that a module keeps beside its parameters: of more than two numbers, so that they are no masks."""
    return {name: it for name, it in module.named_buffers(recurse=False) if it.dim() >= 2 and it.dtype == torch.float32 and it.unique().numel() > 2}


def zero_but_for_rounding(call, varied):
    """The matrices whose gradient is 0 but for rounding, as in sums that a softmax takes the same number from: their names. The call
    is run backward in double precision, where it is smaller by as much as the precision is larger."""
    module = call.modules[0]
    sizes = lambda part: {name: float(it.grad.abs().max()) for name, it in part.named_parameters() if it.dim() >= 2 and it.grad is not None}
    known = sizes(module)
    small = {name for name, far in known.items() if 0 < far < 1e-5 * max(known.values())}
    output = call.output
    if not small or call.is_late() or has_one_key(call):
        return set()
    doubled = {where: value.double() for where, value in [*call.tensors(), *varied.items()] if value.is_floating_point()}
    try:
        if not call.backward(doubled, prepare=lambda modules: [vary(modules), [it.double() for it in modules]]):
            return set()
        found = sizes(call.modules[0])
        return {name for name in small if found.get(name, 1.0) < 1e-13 * max(found.values())}
    except Exception:
        return set()
    finally:
        call.modules, call.output = [module], output


def runs_of(call, changed=None, prepare=None):
    """What the call returns, and for each part of its module what it was given first and returned, each time that it ran."""
    ran = {}

    def watched(modules):
        if prepare is not None:
            prepare(modules)
        for name, part in modules[0].named_children():
            part.register_forward_hook(lambda module, args, result, name=name: ran.setdefault(name, []).append((args[0] if args and isinstance(args[0], torch.Tensor) else None, first_tensor(result))))

    return call.repeat(changed, prepare=watched), ran


def returning(name, change):
    """Has a part of a module return something else in place of the first tensor of its result."""

    def changed(module, args, result):
        return (change(result[0]), *result[1:]) if isinstance(result, tuple) else change(result)

    return lambda modules: getattr(modules[0], name).register_forward_hook(changed)


def returning_zeros(name):
    """The same with zeros, and parameters that have an effect."""
    return lambda modules: [vary(modules), returning(name, torch.zeros_like)(modules)]


def no_way_around(call):
    """The mistake if the output of a module depends on its input only through one of its parts, such as attention and the two
    layers after it, and not so with the others: seen by setting what a part returns to 0."""
    owner = call.owner()
    inputs = [(where, value) for where, value in call.inputs() if value.is_floating_point()]
    if owner is None or getattr(call.function, "__name__", "") != "forward" or not inputs:
        return []
    (where, value), (output, ran) = inputs[0], runs_of(call)
    if output is None or output.shape != value.shape:
        return []
    # Windows of an image have its vectors in another order.
    is_like = lambda it: it is not None and it.numel() == value.numel() and it.shape[-1] == value.shape[-1]
    taken = {name: runs[0][0] for name, runs in ran.items() if runs[0][0] is not None}
    layers = {name for name, part in owner.named_children() if any(it.dim() >= 2 for it in part.parameters())}
    passed, stopped = [], []
    for name, part in owner.named_children():
        # Parts that are given the same, such as the projections of queries and values, do not follow each other.
        if any(other != name and other in layers and same([taken.get(name)], [it]) for other, it in taken.items() if name in taken):
            continue
        runs = ran.get(name, [])
        if len(runs) != 1 or name not in taken or call.is_late():
            continue
        matrices = sum(it.dim() >= 2 for it in part.parameters())
        given, made = taken[name], runs[0][1]
        # The second layer of two may stand alone: what it is given is wider.
        is_part = is_like(given) if matrices > 1 else matrices == 1 and given.shape[-1] > value.shape[-1]
        if not is_part or not is_like(made):
            continue
        torch.manual_seed(SEED)
        others = [torch.randn_like(value), torch.randn_like(value)]
        first, second = (call.repeat({where: other}, prepare=returning_zeros(name)) for other in others)
        (stopped if same([first], [second]) else passed).append(name)
    if len(stopped) != 1 or not passed:
        return []
    observed = f"returns the same whatever it is given where the result of {stopped[0]} is set to 0. With that of {' or '.join(passed)} set to 0 it does not: what comes in goes around it."
    return [call.found("residual-missing", observed, f"x = x + self.{stopped[0]}(...)", line=f"self.{stopped[0]}(")]


def displaced(call):
    """The mistake if what a part such as attention returns for one place is added to another: what the part is given for a changed
    row of the input stands in one row, and a change of that row of its result moves another row of the output."""
    owner = call.owner()
    inputs = [(where, value) for where, value in call.inputs() if value.is_floating_point() and value.dim() > 2]
    if owner is None or getattr(call.function, "__name__", "") != "forward" or not inputs:
        return []
    # With work of its own: about ten repetitions, after all others.
    call, (where, value) = call.like(call.arguments), inputs[0]
    call.done = 0
    output, ran = runs_of(call)
    if output is None or output.shape != value.shape:
        return []
    width, rows = value.shape[-1], value.numel() // value.shape[-1]
    by_rows = lambda it: it.reshape(-1, width)
    with_row = lambda it, row: with_change(by_rows(it), 0, row).view_as(it)
    moved_rows = lambda before, after: [at for at, far in enumerate(moves(by_rows(before), by_rows(after), 0)) if far > 0]
    is_like = lambda it: it is not None and it.shape[-1] == width and it.numel() == value.numel()
    parts = {name: runs[0] for name, runs in ran.items() if len(runs) == 1 and all(map(is_like, runs[0]))}
    places = {}
    for row in sorted({rows // 7, rows // 2 + 1, rows - 2}):
        if not parts:
            return []
        changed = {where: with_row(value, row)}
        after = runs_of(call, changed)[1]
        for name, before in list(parts.items()):
            given, made = map(moved_rows, before, after[name][0])
            moved = []
            # What mixes places before is not followed, and what does not mix them is a layer for each token.
            if len(given) == 1 and len(made) > 1 and not call.is_late():
                moved = moved_rows(output, call.repeat(prepare=returning(name, lambda it: with_row(it, given[0]))))
            if len(moved) != 1:
                del parts[name]
            elif moved[0] != row and name not in places:
                around = [call.repeat(it, prepare=returning_zeros(name)) for it in (None, changed)]
                if row in moved_rows(*around):
                    places[name] = row, given[0], moved[0]
    for name in [it for it in parts if it in places]:
        row, given, moved = places[name]
        observed = f"was called with one place changed: self.{name} gets row {row} of the input as its row {given}, and what it returns there is added to row {moved}."
        fix = f"undo behind self.{name} what was done before it: the roll with the opposite sign, windows joined in the order in which they were cut"
        why = "The residual connection adds to a token what was computed for it. Here it is added to another one."
        return [call.found("residual-missing", observed, fix, line=f"self.{name}(", title="what is computed for one place is added to another", why=why)]
    return []


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


def has_one_key(call):
    """Whether a call is given one token: of one key the weight is 1, whatever the query."""
    return any(value.dim() >= 2 and (value.shape[1] == 1 or value.dim() > 2 and value.shape[-2] == 1) for _, value in call.inputs())


def unmoved(call):
    """The mistakes if no output depends on a tensor among the arguments."""
    # With a cache, what was read before need not be read again.
    if any(isinstance(value, (dict, list)) and len(value) > 0 for value in call.arguments.values()):
        return []
    if has_one_key(call):
        return []
    # Of keys that are all equal the weights are equal, whatever the queries.
    torch.manual_seed(SEED)
    alike = [(where, value) for where, value in call.inputs() if value.is_floating_point() and value.dim() >= 2]
    varied = {where: torch.randn_like(value) for where, value in alike if bool((value == value[:, :1]).all())}
    call.repeat(varied)
    before, masks, inputs = all_tensors(call.output), [], []
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
            call.repeat({**varied, where: other})
        except Exception:
            continue
        after = all_tensors(call.output)
        is_unmoved = same(before, after) or call.is_mask(where, value) and same(before, after, ROUNDING)
        if is_unmoved and is_tokens(value) and tells_padding(call, where, value, varied):
            continue
        if is_unmoved and not is_obeyed(call, where, value):
            is_mask = call.is_pairs(where, value) or any(word in call.name(where).lower() for word in MASKS)
            (masks if is_mask else inputs).append(call.name(where))
    return [*(ignored_mask(call, name) for name in masks[:1]), *(ignored_input(call, name) for name in inputs[:1] if len(call.inputs()) > 1)]


def ignored_input(call, name):
    observed = f"was called with another {name}, all numbers of it changed: no output moved."
    return call.found("unused-input", observed, f"keys and values from {name}: self.W_key({name}), self.W_value({name})")


def ignored_mask(call, name):
    fix = f"scores = scores.masked_fill({name} == 0, -torch.inf), before the softmax"
    return call.found("mask-missing", f"was called with the opposite of {name}: no output moved.", fix)


def tells_padding(call, where, value, varied):
    """Whether an output depends on which of these tokens are the same as others: what is read of them may be their padding."""
    before = all_tensors(call.output)
    for token in sorted({0, 1, int(value.max()), int(value.min())}):
        padded = value.clone()
        padded[..., value.shape[-1] // 2 :] = token
        try:
            call.repeat({**varied, where: padded})
        except Exception:
            continue
        if not same(before, all_tensors(call.output)):
            return True
    return False


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


def unread(call, axes):
    """The mistake if a module keeps a mask of pairs, no output of its `forward` depends on it, and each token sees all others. Not
    of a module with a switch that is off, which may be that of the mask."""
    owner = call.arguments.get(0)
    is_whole = isinstance(owner, nn.Module) and getattr(call.function, "__name__", "") == "forward"
    if not is_whole or any(value is False for name, value in vars(owner).items() if name != "training"):
        return []
    if any(value is False or value is None for value in call.arguments.values()):
        return []
    mixing = [axis["changes"] for axis in axes if mixes(axis)]
    if len(mixing) != 1 or any(far == 0 for it in mixing[0] for far in it["moved"]):
        return []
    call.repeat()
    before = all_tensors(call.output)
    for name, value in owner.named_buffers(recurse=False):
        is_pairs = value.dim() >= 2 and value.shape[-1] == value.shape[-2] > 1
        is_mask = value.dtype == torch.bool or is_zero_one(value) or bool((value < -1e4).any())
        if not is_pairs or not is_mask or bool((value == value.flatten()[0]).all()):
            continue

        def inverted(modules, name=name, other=opposite(value)):
            setattr(modules[0], name, other)

        call.repeat(prepare=inverted)
        if same(before, all_tensors(call.output)):
            observed = f"was called with the opposite of self.{name}: no output moved. Each token sees all others."
            fix = f"scores = scores.masked_fill(self.{name}[:T, :T], -torch.inf), before the softmax"
            return [call.found("mask-missing", observed, fix, title="a mask is kept and has no effect")]
    return []
