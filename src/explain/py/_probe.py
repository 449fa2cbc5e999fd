"""Runs a call of the learner's code again on changed inputs, and reports what moved. `attn doctor` reads the report.

A call is a function and the arguments that it was called with. Each repetition gets copies of them, so that it changes
nothing that the learner has: modules among the arguments are copied and, unless said otherwise, put into eval mode.
"""

import torch
from torch import nn
from _around import dropped, passed_by
from _cached import differs, is_object, keeps
from _call import POSITIONS, SEED, WORK, Call, mixes, moves
from _padding import padding, padding_token, unpadded
from _probe_values import as_json, figure, is_tokens, lent, parts_of, unless_raised, with_change
from _unused import displaced, in_place_of, no_way_around, unmoved, unread, untouched

# So often a call is repeated, about; where that is too much work, with fewer of its samples, but at least so many.
OFTEN, FEWEST = 32, 4
# Words of a docstring that promise a causal mask, and words of a sentence that may take the promise back.
CAUSAL_WORDS = ("causal", "autoregressive")
UNLIKE = ("not", "no", "non", "without", "unlike", "bidirectional", "if", "whether", "optional", "optionally", "or", "instead", "never", "cross")


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


def mixed_samples(call, output, axes):
    """The mistake if one sample of a batch moves the output of another."""
    inputs = [value for _, value in call.inputs()]
    mixing = [axis["axis"] for axis in axes if mixes(axis)]
    # One vector for each text, of numbered tokens or by one attention of vectors: a second one may be meant to combine the texts.
    of_texts = [axis["axis"] for axis in axes] == mixing == [0]
    # An output for each pair of samples, such as of a text and an image, is meant.
    of_pairs = output.dim() == 2 and output.shape[0] == output.shape[1]
    of_vectors = output.dim() == 2 and not of_pairs and max((value.dim() for value in inputs), default=0) in (3, 4)
    if mixing == [0, 1]:
        # Along one axis attention mixes the tokens, so the other one is the batch. One attention between the samples and another
        # between the tokens are meant (rows and columns of a table). Of texts, experts that are full move some others, not all of them.
        # A recurrent layer along the samples moves those after a changed one.
        rest = [(it["moved"][: it["at"]], it["moved"][it["at"] + 1 :]) for it in axes[0]["changes"]]
        later = output.shape[0] > 2 and all(far > 0 for _, after in rest for far in after)
        everywhere = later and any(is_tokens(value) for value in inputs) and all(far > 0 for before, _ in rest for far in before)
        alone = not (everywhere and varies(call, output) == [1] or later and not any(far > 0 for before, _ in rest for far in before))
    elif of_texts and not of_pairs and (of_vectors or any(is_tokens(value) and value.dim() > 1 for value in inputs)):
        # Images have four axes.
        alone = max(value.dim() + 2 * is_tokens(value) for value in inputs) == 3
    elif mixing[:1] == [0] and any(axis["axis"] == 1 and any(max(it["moved"]) > 0 for it in axis["changes"]) for axis in axes) and varies(call, output) == [1]:
        # The second axis is that of the tokens, as positions are added along it.
        alone = False
    else:
        return []
    if not has_samples(call, output):
        return []
    at, moved = next((it["at"], it["moved"]) for it in axes[0]["changes"] if any(far > 0 for to, far in enumerate(it["moved"]) if to != it["at"]))
    sample = next(to for to, far in enumerate(moved) if to != at and far > 0)
    observed = f"was called again with sample {at} changed, and the output of sample {sample} moved by {figure(moved[sample])}."
    fix = "look for a softmax over the batch (dim=0, or no dim at all), and for a view that joins samples"
    return [call.found("samples-mixed", observed, fix, alone=alone)]


def of_samples(call, inputs, where, value, output):
    """Whether the first axis of a tensor among the arguments is that of the samples. It is not if the call takes the tensor as it is
    beside inputs of fewer samples, as it does a bias of as many heads."""
    if not value.dim() or value.shape[0] != output.shape[0]:
        return False
    if any(where == at for at, _ in inputs):
        return True
    try:
        fewer = call.repeat({at: it[:-1] for at, it in inputs})
    except Exception:
        return True
    return fewer is None or fewer.shape != output[:-1].shape


def holds(value):
    """Whether a value, its parts or its attributes have tensors in them; those of modules are not meant."""
    parts = vars(value).values() if is_object(value) else parts_of(value)
    return isinstance(lent(value), torch.Tensor) or any(map(holds, parts))


def has_samples(call, output):
    """Whether the first axis of the output is that of the samples: with one less it is shorter. Gradients may be as long by chance."""
    fewer = {where: value[:-1] for where, value in call.tensors() if value.dim() and value.shape[0] == output.shape[0]}
    after = unless_raised(None, call.repeat, fewer)
    return after is None or len(after) == len(output) - 1


def by_place(call, output, axes):
    """The mistake if what a sample gets depends on its place in the batch, and not on the other samples. Tokens and images have
    the batch first."""
    inputs = call.inputs()
    is_batch = lambda value: is_tokens(value) and value.dim() == 2 or value.is_floating_point() and value.dim() == 4
    first = next((axis for axis in axes if axis["axis"] == 0), None)
    if call.owner() is None or not all(is_batch(value) for _, value in inputs) or first is None or mixes(first):
        return []
    # A cache has the samples in their order, whoever keeps it.
    parts = [part for value in call.arguments.values() if isinstance(value, nn.Module) for part in value.modules()]
    kept = [value for part in parts for name, value in vars(part).items() if not name.startswith("_")]
    kept += [value for value in call.arguments.values() if not isinstance(value, torch.Tensor)]
    if any(map(holds, kept)) or any(it.dim() and len(it) == len(output) for part in parts for it in part._buffers.values() if it is not None) or keeps(call, inputs[0][0]):
        return []
    given = [(where, value) for where, value in call.tensors() if of_samples(call, inputs, where, value, output)]
    torch.manual_seed(SEED)
    drawn = torch.get_rng_state()
    after = call.repeat({where: value.flip(0) for where, value in given})
    # Random numbers are drawn for places.
    if after.shape != output.shape or not torch.equal(drawn, torch.get_rng_state()):
        return []
    moved = moves(output, after.flip(0), 0)
    others = [0, *range(len(output) - 1, 0, -1)]
    # Experts that are full leave out what comes last.
    if not any(moved) or moves(output[:1], call.repeat({where: value[others] for where, value in given})[:1], 0)[0]:
        return []
    observed = f"was called again with its {len(output)} samples in the reverse order, and the output of sample {moved.index(max(moved))} moved by {figure(max(moved))}; when only the other samples changed, it stayed."
    fix = "look for what is added or masked along the first axis: positions of tokens stand along the second, and windows of a batch come picture by picture"
    why = "The same text has another result in another batch, although no other sample reaches it."
    return [call.found("samples-mixed", observed, fix, title="what a sample gets depends on its place in the batch", why=why)]


def parameters(call):
    """The parameters of a function, and the keywords of a call."""
    return [*call.names, *(where for where in call.arguments if isinstance(where, str))]


def documented_causal(call, owner):
    """Whether a docstring of the function or its class says that it is causal, and no argument decides about a mask."""
    if any("mask" in name or "causal" in name for name in parameters(call)):
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
    owner = call.arguments.get(0)
    flag = isinstance(owner, nn.Module) and any(owner.__dict__.get(name) is True for name in ("causal", "is_causal"))
    named = any("causal" in type(value).__name__.lower() and value is not owner for value in call.arguments.values())
    return flag or named or documented_causal(call, owner)


def fewer_samples(call, output):
    """The call with some of its samples and what it returns, where all of them are too much work to repeat often and these get
    the same outputs without the others. Of texts, those with the least and the most padding are among them."""
    inputs, samples = call.inputs(), output.shape[0]
    few = max(FEWEST, WORK * samples // (OFTEN * max(call.work, 1)))
    if few >= samples or not inputs or any(value.shape[0] != samples for _, value in inputs):
        return call, output
    rows, ids = [*range(few)], call.texts()
    if ids is not None and int(ids.min()) >= 0:
        often = (ids == ids.flatten().bincount().argmax()).sum(1)
        rows = sorted({*rows[2:], int(often.argmin()), int(often.argmax())})
    some = {where: value[rows] for where, value in call.tensors() if of_samples(call, inputs, where, value, output)}
    fewer = call.like({**call.arguments, **some}, call.work * few // samples)
    part = unless_raised(None, fewer.repeat)
    is_same = part is not None and part.shape == output[rows].shape and max(moves(output[rows], part, 0)) == 0.0
    return (fewer, part) if is_same else (call, output)


def examine(function, names, positional, keywords, others=(), work=0):
    """The report on a call, as JSON; an object without entries if the call cannot be repeated."""
    call, *others = calls = [Call(function, names, {**dict(enumerate(placed)), **named}, work) for placed, named in [(positional, keywords), *others]]
    # What is an array in one of them is none or an empty one in another.
    call.arrays = set().union(*(it.arrays for it in calls))
    with torch.no_grad():
        try:
            output = call.repeat()
            if output is None or output.dim() == 0 or not output.is_floating_point():
                return "{}"
            whole, of_whole = call, output
            call, output = fewer_samples(call, output)
            if call.is_late():
                return "{}"
            # One repetition, before those that may use up the work.
            alone = unless_raised([], unpadded, call, output)
            report = {"axes": influence(call, output)}
            found = [*unread(call, report["axes"]), *unmoved(call)]
            mixed = mixed_samples(call, output, report["axes"])
            found += [*mixed, *(mixed or unless_raised([], by_place, call, output, report["axes"])), *padding(call, output), *alone]
        except Exception:
            return "{}"
        found += unless_raised([], differs, whole, others, of_whole)
        report["is_causal"] = says_causal(call)
    report["untouched"] = unless_raised([], untouched, call)
    report["kept"] = call.kept
    with torch.no_grad():
        for examined in (no_way_around, displaced, passed_by, dropped):
            found += [] if any(it["mistake"] == "residual-missing" for it in found) else unless_raised([], examined, call)
        report["in_place_of"] = unless_raised([], in_place_of, call)
    report["found"] = found
    ids = whole.texts()
    token = padding_token(whole, ids) if ids is not None else None
    report["padding_token"] = None if token is None else [token, len(ids)]
    report["inputs"] = len(call.inputs())
    report["changed"] = len(call.inputs_like(output))
    report["arguments"] = parameters(call)
    report["tokens"] = [value.flatten().tolist() for _, value in whole.inputs() if is_tokens(value)]
    return as_json(report)
