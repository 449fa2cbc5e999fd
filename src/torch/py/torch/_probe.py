"""Runs a call of the learner's code again on changed inputs, and reports what moved. `attn doctor` reads the report.

A call is a function and the arguments that it was called with. Each repetition gets copies of them, so that it changes
nothing that the learner has: modules among the arguments are copied and, unless said otherwise, put into eval mode.
"""

import copy
import json
import time

import torch
from torch import nn

# All repetitions of one call may take this many seconds together.
SECONDS = 1.0
# At most this many positions along one axis are changed, one at a time.
POSITIONS = 5
# A smaller change of an output, relative to the largest output, is rounding.
ROUNDING = 1e-5
# How the names of arguments begin that hold no tokens.
NO_TOKENS = ("mask", "bias", "cos", "sin", "freq", "pos", "weight", "target", "label")
SEED = 4711


class Call:
    """A function and its arguments: `positional` a tuple, `keywords` a dict, `names` the parameters of `positional`."""

    def __init__(self, function, names, positional, keywords):
        self.function, self.names = function, names
        self.positional, self.keywords = positional, keywords
        self.started = time.perf_counter()

    def is_late(self):
        return time.perf_counter() - self.started > SECONDS

    def repeat(self, changed=None, training=False, seed=SEED):
        """The output of a repetition. `changed` has other values for some arguments, by position or keyword."""
        positional, keywords = copy.deepcopy((self.positional, self.keywords))
        positional = list(positional)
        for where, value in (changed or {}).items():
            if isinstance(where, int):
                positional[where] = value
            else:
                keywords[where] = value
        self.modules = [value for value in [*positional, *keywords.values()] if isinstance(value, nn.Module)]
        for module in self.modules:
            module.train(training)
        torch.manual_seed(seed)
        return first_tensor(self.function(*positional, **keywords))

    def tensors(self):
        """Where the tensors among the arguments are, and the tensors."""
        arguments = [*enumerate(self.positional), *self.keywords.items()]
        return [(where, value) for where, value in arguments if isinstance(value, torch.Tensor)]

    def inputs(self):
        """The tensors that hold tokens: no masks, and nothing with fewer axes than the others."""
        found = [(where, value) for where, value in self.tensors() if not self.is_mask(where, value)]
        axes = max((value.dim() for _, value in found), default=0)
        return [(where, value) for where, value in found if value.dim() == axes]

    def is_mask(self, where, value):
        name = self.names[where] if isinstance(where, int) and where < len(self.names) else str(where)
        words = name.lower().split("_")
        named = any(word in ("w", "y") or word.startswith(NO_TOKENS) for word in words)
        return named or value.dtype == torch.bool or not bool(torch.isfinite(value.float()).all())


def first_tensor(output):
    """The first tensor of what a call returned, or None."""
    if isinstance(output, torch.Tensor):
        return output
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (tuple, list)) else ()
    return next((found for found in map(first_tensor, parts) if found is not None), None)


def is_tokens(value):
    """Whether a tensor holds the numbers of tokens, and not their vectors."""
    return not value.is_floating_point()


def with_change(value, axis, at):
    """A copy of `value` in which everything at position `at` along `axis` is other numbers."""
    value = value.detach().clone()
    part = value.select(axis, at)
    if is_tokens(value):
        # Another token that occurs, so that it is in the vocabulary.
        known = value.unique()
        other = known[0] if len(known) > 1 else torch.where(known[0] > 0, 0, 1)
        replaced = torch.where(part == other, known[-1] if len(known) > 1 else other, other)
        part.copy_(replaced)
    else:
        part.add_(torch.randn(part.shape, dtype=value.dtype) * (1 + part.abs().max()))
    return value


def moves(before, after, axis):
    """How far each position along `axis` of the output moved; 0 for what is rounding."""
    before, after = torch.nan_to_num(before.detach().double()), torch.nan_to_num(after.detach().double())
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
    inputs = call.inputs()
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


def unsteady(call, output):
    """How far the output in eval mode moves with another seed."""
    if not any(isinstance(value, nn.Module) for value in call.positional):
        return 0.0
    other = call.repeat(seed=SEED + 1)
    return 0.0 if other is None or other.shape != output.shape else max(moves(output, other, 0), default=0.0)


def untouched(call):
    """The matrices of a module that its output does not depend on, by their names."""
    owner = call.positional[0] if call.positional else None
    if not isinstance(owner, nn.Module):
        return []
    with torch.enable_grad():
        output = call.repeat()
        if output is None or not output.requires_grad:
            return []
        torch.manual_seed(SEED)
        (output.double() * torch.rand(output.shape, dtype=torch.float64)).sum().backward()
    matrices = [(name, it) for name, it in call.modules[0].named_parameters() if it.dim() >= 2 and it.requires_grad]
    return [name for name, it in matrices if it.grad is None or not bool(it.grad.any())]


def examine(function, names, positional, keywords):
    """The report on a call, as JSON; an object without entries if the call cannot be repeated."""
    call = Call(function, names, positional, keywords)
    with torch.no_grad():
        try:
            output = call.repeat()
            if output is None or output.dim() == 0 or not output.is_floating_point() or call.is_late():
                return "{}"
            report = {"axes": influence(call, output), "unsteady": unsteady(call, output)}
        except Exception:
            return "{}"
    try:
        report["untouched"] = untouched(call)
    except Exception:
        report["untouched"] = []
    report["inputs"] = len(call.inputs())
    report["arguments"] = [*names, *keywords]
    report["tokens"] = [value.flatten().tolist() for _, value in call.inputs() if is_tokens(value)]
    return json.dumps(report)
