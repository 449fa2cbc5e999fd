"""Whether a text in parts, with a cache passed on, has the outputs of the whole text."""

import copy
import inspect

import torch
from torch import nn
from _call import SEED, copied, moves
from _probe_values import figure, first_tensor, is_tokens, lent, parts_of, same, tensors_in, with_change

# So many times as long is a text that is longer than a window.
LONGER = 6


def is_empty(value):
    """Whether an argument is a cache that has nothing yet."""
    value = lent(value)
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
    stored = [part for part in value if not isinstance(lent(part), torch.Tensor)]
    return [None if isinstance(part, tuple) else type(part)() if is_object(part) else part for part in stored]


def is_object(value):
    """Whether an argument is an object of a class of the program's own, such as a cache with `update`."""
    kind = type(value)
    own = not kind.__module__.startswith(("torch", "numpy", "builtins", "collections"))
    return own and not isinstance(value, (nn.Module, torch.Tensor)) and hasattr(value, "__dict__")


def is_made(value):
    """Whether the class of an object makes one without arguments."""
    try:
        type(value)()
    except TypeError:
        return False
    return True


def made_anew(value):
    """A new object of the class, with the settings that it keeps by the names of its parameters."""
    names = inspect.signature(type(value)).parameters
    return type(value)(**{name: own for name, own in vars(value).items() if name in names and type(own) in (int, float, str, bool)})


def emptied_object(value, keeps_places):
    """An object without the tensors that were stored in it; a list of them keeps its places, or has none."""

    def without(part):
        if isinstance(lent(part), torch.Tensor):
            return None
        if isinstance(part, (list, dict)) and not keeps_places and tensors_in(part):
            return blank(part)
        if isinstance(part, dict):
            return {key: without(it) for key, it in part.items()}
        if isinstance(part, (list, tuple)):
            return type(part)([without(it) for it in part])
        return emptied_object(part, keeps_places) if is_object(part) else part

    made = copy.copy(value)
    made.__dict__.update({name: without(part) for name, part in vars(value).items()})
    return made


def beginnings(made):
    """What is passed with the first part of a text: objects new, or as they may have been before tensors were stored in them."""
    found = []
    for keeps_places in (True, False):
        found.append({at: value if not is_object(value) else made_anew(value) if is_made(value) else emptied_object(value, keeps_places) for at, value in made.items()})
    return found if any(is_object(value) and not is_made(value) for value in made.values()) else found[:1]


def completed(call, others):
    """The call with the defaults of the arguments that other calls are given."""
    parameters = list(inspect.signature(call.function).parameters.values())
    defaults = {at: it.default for at, it in enumerate(parameters)} | {it.name: it.default for it in parameters}
    missing = {at for other in others for at in other.arguments} - set(call.arguments)
    added = {at: defaults[at] for at in missing if defaults.get(at, inspect.Parameter.empty) is not inspect.Parameter.empty}
    if not added:
        return call
    arguments = call.arguments | added
    placed = sorted(at for at in arguments if isinstance(at, int))
    return call.like({at: arguments[at] for at in [*placed, *(at for at in arguments if not isinstance(at, int))]})


def stored_in(value):
    """The tensors in a list or a dict, or in the objects there."""
    return [tensor for part in parts_of(value) for tensor in tensors_in(vars(part) if is_object(part) else part)]


def begun(before, after):
    """Whether an argument says that there is a cache now, and did not before."""
    if is_flag(after):
        return after and not before
    return is_empty(before) and not is_empty(after)


def cached(call, others, output):
    """The mistake if the outputs of the call in two parts, the second with the cache of the first, are not those in one. None where
    the program does not pass a cache so.

    Only where the learner's code makes such a call: one of `others` has a cache where this call has none.
    """
    returned = getattr(call, "output", output)
    call = completed(call, others)
    arguments = call.arguments
    inputs = [(where, value) for where, value in call.inputs() if value.dim() >= 2 and value.shape[1] == output.shape[1]]
    if not inputs or output.dim() < 2:
        return None
    where, tokens = inputs[0]
    known = [other.arguments for other in others]
    known = [other for other in known if set(other) == set(arguments) and isinstance(other.get(where), torch.Tensor) and other[where].dim() > 1]
    # A call at a later position goes on with a text that is not known here.
    if any(type(value) is int and value and any(type(other[at]) is int and other[at] == 0 for other in known) for at, value in arguments.items()):
        return None
    # A step that takes one token is no call for several.
    if max([tokens.shape[1], *(other[where].shape[1] for other in known)]) < 2:
        return None
    begins = [(other, [at for at in arguments if begun(arguments[at], other[at])]) for other in known]
    # A number alone is the position of a cache only where a module keeps one.
    begins = [(other, filled) for other, filled in begins if any(type(other[at]) is not int for at in filled) or keeps(call, where)]
    for other, filled in begins:
        offset = wrong_offset(other, filled, tokens.shape[1], returned, known)
        if offset:
            observed = f"was called with a cache of {offset[1]} tokens, and with the position {offset[0]} for the next one."
            return [call.found("cache-differs", observed, "the next position is the cache's length")]
    for other, filled in begins:
        new = other[where].shape[1]
        # A position that is 0 here, and moves on in other calls with the cache.
        filled += [at for at in arguments if at not in filled and type(arguments[at]) is int and any(begun(arguments[at], it[at]) for it in known)]
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
        # A call that reads a cache already is none without one. What is the same in another call are weights.
        if not all(same(stored_in(arguments[at]), stored_in(other[at])) for at in arguments if at not in filled):
            continue
        before = call.repeat({where: whole})
        after = call.repeat({where: with_change(whole, 1, whole.shape[1] - 1)})
        # Without a causal mask the first tokens see more in one part than in two.
        if before.dim() < 2 or before.shape[1] != whole.shape[1] or any(moves(before, after, 1)[:-1]):
            continue
        memories = [at for at in filled if ends_with(other[at], tokens)]
        moved = None
        for at, given in enumerate(beginnings(made)):
            try:
                moved = in_parts(call, before, where, whole, first, filled, growing, memories, given)
                if moved is not None and not any(moved) and made and not growing and not call.is_late():
                    moved, whole, first = past_window(call, where, whole, filled, memories, beginnings(made)[at]) or (moved, whole, first)
            except Exception:
                # An object that was not empty so, or several tokens where the call takes one.
                continue
            if moved is not None:
                break
        stored = {at: blank(other[at]) for at in filled if isinstance(other[at], (dict, list))}
        if moved is None and stored and not made and len(tensors_in(returned)) < 2:
            # A dict or a list that the call fills in place, and returns no new one. Where the program gives one token at a time, so does this.
            storing = [it for it in known if any(begun(arguments[at], it[at]) for at in stored)]
            steps = {it[where].shape[1] for it in storing}
            first = 1 if steps == {1} else first
            # The position of the first call is 0, as that of one without a cache.
            moving = [at for at in arguments if any(begun(arguments[at], it[at]) for it in storing)]
            moved = in_parts(call, before, where, whole, first, moving, growing, memories, stored, steps == {1})
        if moved is not None:
            count = whole.shape[1]
            token = next((at for at, far in enumerate(moved) if far > 0), None)
            if token is None:
                return []
            observed = f"was called with {count} tokens at once, and again with {first} and then {count - first}, the cache passed on: the output of token {token} differs by {figure(moved[token])}."
            return [call.found("cache-differs", observed, "the past first, then the new, joined along the axis of the tokens; positions that go on at the cache's length, and the mask's last rows: mask[total - new:total, :total]")]
    return None


def past_window(call, where, tokens, filled, memories, made):
    """How far the outputs move for a text so long that the first token no longer reaches the last one: the text, and its first part.
    None if it reaches it, so that a cache that forgets may be meant to compute something else."""
    size = tokens.shape[1]
    tokens = tokens[:, (3 * torch.arange(LONGER * size) + 1) % size]
    before, after = call.repeat({where: tokens}), call.repeat({where: with_change(tokens, 1, 0)})
    if moves(before, after, 1)[-1]:
        return None
    first = tokens.shape[1] - size
    moved = in_parts(call, before, where, tokens, first, filled, [], memories, made)
    return None if moved is None else (moved, tokens, first)


def without_flag(call, others):
    """As `cached`, for a program that never makes the call without its cache: a flag that is set is taken for that of a cache."""
    flags = [at for at, value in call.arguments.items() if value is True]
    # A call at a later position goes on with a text that is not known here.
    if len(flags) != 1 or any(type(value) is int and value for value in call.arguments.values()):
        return None
    bare = call.like({**call.arguments, flags[0]: False})
    output = bare.repeat()
    return None if output is None else cached(bare, [call, *others], output)


def differs(call, others, output):
    """The mistakes in a cache."""
    texts = [where for where, value in call.inputs() if value.dim() + is_tokens(value) == 2]
    if output.dim() == 2 and texts:
        # One text, without an axis of the batch.
        call, *others = (it.batched(texts) for it in (call, *others))
        output = output[None]
    found = cached(call, others, output)
    return (without_flag(call, others) or []) if found is None else found


def kept(modules):
    """What modules keep beside their parameters, by holder and name: (holder, its value, the numbers in it)."""
    of_all = vars(nn.Module())
    found = {}
    for part in [part for module in modules for part in module.modules()]:
        for name, value in [*vars(part).items(), *part.named_buffers(recurse=False)]:
            if name not in of_all:
                numbers = [torch.tensor(float(value))] if type(value) is int else [tensor.clone() for tensor in stored_in([value])]
                found[id(part), name] = part, value, numbers
    return found


def keeps(call, where):
    """Whether the modules of a call keep something of a text that they have not read before."""
    given = copied(call.arguments)
    modules = [value.eval() for value in given.values() if isinstance(value, nn.Module)]
    given[where] = given[where].flip(1)
    return bool(changed_by(modules, lambda: call.run(given)))


def changed_by(modules, read):
    """What modules keep that changes when `read` reads a text: (holder, name, its value, the numbers in it before)."""
    before = kept(modules)
    read()
    return [(part, at[1], value, before[at][2]) for at, (part, value, numbers) in kept(modules).items() if at in before and not same(numbers, before[at][2])]


def without_text(value, before):
    """What a module kept before it had read anything: nothing, or a table of the same size that is not filled yet."""
    if type(value) is int:
        return 0
    if isinstance(value, (dict, list)):
        return type(value)() if len(stored_in(value)) > len(before) else blank(value)
    if isinstance(value, torch.Tensor) and [it.shape for it in before] == [value.shape]:
        return torch.zeros_like(value)
    return emptied_object(value, True) if is_object(value) else None


def emptied(modules, read):
    """Empties the caches that modules keep: "by method" if they have one for it, or "by trial" what changes when `read` reads
    a text. `None` if nothing does.

    By then the modules have the caches of this text and of the program's last: what the method leaves is part of the next.
    """
    changed = changed_by(modules, read)
    for module in modules:
        names = [name for name in dir(type(module)) if any(word in name.lower() for word in ("reset", "clear", "empty")) and not hasattr(nn.Module, name)]
        for name in names:
            method = getattr(module, name)
            if getattr(method, "__code__", None) is not None and method.__code__.co_argcount == 1:
                method()
                return "by method"
    for part, name, value, before in changed:
        setattr(part, name, without_text(value, before))
    return "by trial" if changed else None


def sizes_of(tensors):
    return {size for tensor in tensors if tensor.dim() >= 3 for size in tensor.shape[1:-1]}


def wrong_offset(other, filled, tokens, output, known):
    """A position that was passed with a cache of another length: (position, length). A call that keeps fewer tokens than it read
    has a window, and its cache no length that says where the text is."""
    first = first_tensor(output)
    kept = sizes_of([tensor for tensor in tensors_in(output) if tensor is not first])
    stored = [tensor for at in filled for tensor in tensors_in(other[at]) if tensor.dim() >= 3]
    sizes = sizes_of(stored)
    for at in filled:
        if type(other[at]) is not int or not sizes or tokens not in kept and kept & sizes:
            continue
        # A text may begin behind something else, such as a prefix that is learned.
        begun = [it for it in known if it[at] == 0]
        before = {size - tokens for size in kept} | sizes_of([tensor for it in begun for where in filled for tensor in tensors_in(it[where])])
        if not {0, *before} & {size - other[at] for size in sizes}:
            return other[at], stored[0].shape[-2]
    return None


def ends_with(memory, tokens):
    """Whether a cache has the tokens of an earlier call themselves, as the memory of Transformer-XL has."""
    if not isinstance(memory, torch.Tensor) or memory.dim() != tokens.dim() or memory.shape[1] < tokens.shape[1]:
        return False
    last = memory[:, memory.shape[1] - tokens.shape[1]:]
    return last.shape == tokens.shape and bool(torch.equal(last, tokens.detach()))


def in_parts(call, output, where, tokens, first, filled, growing, memories, made, one_by_one=False):
    given = copied(call.arguments)
    modules = [value.eval() for value in given.values() if isinstance(value, nn.Module)]
    tried = any(is_object(value) and not is_made(value) for value in made.values())
    if any(is_flag(value) for value in made.values()):
        # Another text before this one: what the method leaves of its cache is noticed.
        given |= copied(made)
        given[where] = tokens.flip(1)[:, : min(first, 2)].clone()
        how = emptied(modules, lambda: call.run(given))
        if how is None:
            return None
        tried = tried or how == "by trial"

    def give(start, stop):
        given[where] = tokens[:, start:stop].clone()
        for at in growing:
            given[at] = call.arguments[at][..., :stop].clone()

    give(0, first)
    for at, value in made.items():
        given[at] = value
    torch.manual_seed(SEED)
    one = call.run(given)
    if any(value == {} or value == [] for value in made.values()):
        # In the program it had something then: hooks or other code filled it, which are gone.
        return None
    parts = [call.first(one)]
    stored = [tensor for tensor in tensors_in(one) if tensor is not first_tensor(one) and tensor.dim() >= 3]
    if stored and all(first not in tensor.shape[1:-1] for tensor in stored):
        # It keeps the end of a longer text only.
        return None
    if tried and any(moves(output[:, :first], parts[0], 1)):
        # It was not empty so.
        return None
    if one_by_one:
        for step in range(1, tokens.shape[1] - 1):
            give(step, step + 1)
            for at in filled:
                if at not in made and type(given[at]) is int:
                    given[at] = step
            parts.append(call.first(call.run(given)))
        first = tokens.shape[1] - 1
    give(first, tokens.shape[1])
    for at in filled:
        if at in made:
            continue
        if type(given[at]) is int:
            given[at] = first
        elif at in memories:
            given[at] = tokens[:, :first].clone()
        elif is_empty(given[at]):
            if not isinstance(one, (tuple, list)) or len(one) < 2 or one[1] is None:
                # It may be a loss that was not asked for.
                return None
            given[at] = one[1]
    parts = torch.cat([*parts, call.first(call.run(given))], dim=1)
    return moves(output, parts, 1) if parts.shape == output.shape else None
