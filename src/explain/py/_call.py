"""A call that is repeated on changed inputs: what it was given, and how far its outputs move."""

import copy
import inspect
import random
import sys

import torch
from torch import nn
from _probe_values import ROUNDING, first_tensor, is_tokens, lent, tensors_in

# The work of all repetitions of one call: elements that operations read and return, and 2,000 for each operation. It is
# counted, not timed: the report is the same on every machine. On one core (heads of 32, 64 tokens) it is about half a second.
WORK = 40_000_000
# At most this many positions along one axis are changed, one at a time.
POSITIONS = 5
# How the names of arguments begin that hold no tokens.
NO_TOKENS = ("mask", "bias", "cos", "sin", "freq", "pos", "weight", "target", "label")
SEED = 4711


class Call:
    """A function and its arguments by place or keyword; `names` are the parameters of those that are given by place.

    `work` is what one repetition costs: what the call itself did when the learner made it.
    """

    def __init__(self, function, names, arguments, work):
        self.function, self.names, self.work, self.done = function, names, work, 0
        # Arrays of NumPy are tensors here, and arrays again for the function.
        self.arguments = {where: lent(value) for where, value in arguments.items()}
        self.arrays = {where for where, value in arguments.items() if value is not self.arguments[where]}
        # Where one text was given an axis of the batch, which the function does without.
        self.texts_alone = ()
        # The tables of its module, beside parameters, that the output does not depend on.
        self.kept = []

    def like(self, arguments, work=None):
        """The call with other arguments."""
        made = Call(self.function, self.names, arguments, self.work if work is None else work)
        made.done, made.arrays, made.texts_alone = self.done, self.arrays, self.texts_alone
        return made

    def batched(self, texts):
        """The call of one text as one of a batch."""
        is_text = lambda where, value: where in texts and isinstance(value, torch.Tensor)
        made = self.like({where: value[None] if is_text(where, value) else value for where, value in self.arguments.items()})
        made.output, made.texts_alone = getattr(self, "output", None), texts
        return made

    def first(self, output):
        """The first tensor of what the function returned, with the axis of the batch."""
        found = first_tensor(output)
        return found[None] if self.texts_alone and found is not None else found

    def name(self, where):
        """The parameter of an argument."""
        return self.names[where] if isinstance(where, int) and where < len(self.names) else str(where)

    def found(self, mistake, observed, fix, **more):
        """A mistake that the repetitions of the call show: what is said of it after the function's name, and what may be better."""
        return {"mistake": mistake, "observed": f"{self.function.__qualname__} {observed}", "fix": fix, **more}

    def run(self, arguments):
        """Calls the function. What it draws from NumPy's generators, the program draws again."""
        given = {where: value[0] if where in self.texts_alone else value for where, value in arguments.items()}
        given = {where: value.numpy() if where in self.arrays and isinstance(value, torch.Tensor) else value for where, value in given.items()}
        known = [*getattr(self.function, "__globals__", {}).values(), getattr(sys.modules.get("numpy.random"), "_rand", None)]
        drawing = [it for it in known if type(it).__module__ == "numpy.random" and hasattr(it, "_stream")]
        streams = [copy.deepcopy(it._stream) for it in drawing]
        try:
            return self.function(*[it for where, it in given.items() if isinstance(where, int)], **{where: it for where, it in given.items() if isinstance(where, str)})
        finally:
            for it, stream in zip(drawing, streams):
                it._stream = stream

    def outside(self):
        """The modules that the function knows by names of the program."""
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        names = getattr(self.function, "__globals__", {})
        named = [names.get(name) for name in code.co_names] if code is not None else []
        return [it for it in named if isinstance(it, nn.Module)]

    def is_late(self):
        return self.done > WORK

    def owner(self):
        """The module whose method was called, if it is one."""
        owner = self.arguments.get(0)
        is_method = hasattr(type(owner), getattr(self.function, "__name__", ""))
        return owner if isinstance(owner, nn.Module) and is_method else None

    def repeat(self, changed=None, prepare=None):
        """The output of a repetition. `changed` has other values for some arguments, by position or keyword; `prepare` gets
        the copies of the modules."""
        self.done += self.work
        arguments = {**copied(self.arguments), **(changed or {})}
        self.modules = [value for value in arguments.values() if isinstance(value, nn.Module)]
        # A model that the function finds by its name is not copied, and has its mode again afterwards.
        outer = [part for module in self.outside() for part in module.modules()]
        modes = [part.training for part in outer]
        for part in outer:
            part.training = False
        for module in self.modules:
            module.eval()
            for part in module.modules():
                if isinstance(part, nn.TransformerEncoder):
                    # It leaves the padding of all samples out or of none: one sample would decide for the others.
                    part.use_nested_tensor = False
        if prepare is not None:
            prepare(self.modules)
        torch.manual_seed(SEED)
        # The program's own numbers go on where they were.
        drawn = random.getstate()
        random.seed(SEED)
        try:
            self.output = self.run(arguments)
        finally:
            random.setstate(drawn)
            for part, mode in zip(outer, modes):
                part.training = mode
        return self.by_tokens(self.first(self.output))

    def backward(self, changed=None, prepare=None):
        """Repeats the call and runs it backward from its output, each number with a weight of its own. Whether it has gradients:
        those of the copies of the modules."""
        with torch.enable_grad():
            output = self.repeat(changed, prepare=prepare)
            if output is None or not output.requires_grad:
                return False
            torch.manual_seed(SEED)
            (output.double() * torch.rand(output.shape, dtype=torch.float64)).sum().backward()
        return True

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
        return [(where, value) for where, value in self.arguments.items() if isinstance(value, torch.Tensor)]

    def inputs(self):
        """The tensors that hold tokens: no masks, and nothing with fewer axes than the others."""
        found = [(where, value) for where, value in self.tensors() if not self.is_mask(where, value)]
        rank = lambda value: value.dim() + is_tokens(value)
        axes = max((rank(value) for _, value in found), default=0)
        return [(where, value) for where, value in found if rank(value) == axes]

    def texts(self):
        """The first of the inputs that holds numbered tokens, (text, token); None if there is none."""
        return next((value for _, value in self.inputs() if is_tokens(value) and value.dim() == 2), None)

    def inputs_like(self, output):
        """Those as long as the output, if there are such: not the other sequence of cross-attention."""
        found = self.inputs()
        alike = [(where, value) for where, value in found if value.shape[:2] == output.shape[:2]]
        return alike if alike and len(alike) < len(found) and len({v.shape[1] for _, v in found if v.dim() > 1}) > 1 else found

    def is_mask(self, where, value):
        words = self.name(where).lower().split("_")
        # `y` is often the text that a decoder reads, and has vectors then.
        is_letter = value.dim() < 3 and any(word in ("w", "y") for word in words)
        named = is_letter or any(word.startswith(NO_TOKENS) for word in words)
        return named or value.dtype == torch.bool or not bool(torch.isfinite(value.real.float()).all())

    def is_pairs(self, where, value):
        """Whether an argument is a mask, or a bias of scores: neither vectors nor numbers of tokens."""
        return value.dim() >= 2 and (value.dtype == torch.bool or "bias" in self.name(where).lower() and value.is_floating_point())


def mixes(axis):
    """Whether a position along an axis depends on another one."""
    return len(axis["changes"]) > 1 and any(far > 0 for it in axis["changes"] for at, far in enumerate(it["moved"]) if at != it["at"])


def copied(arguments):
    """Copies of the arguments of a call. What a module keeps of an earlier call, such as its weights, is detached first."""
    memo = {}
    for value in arguments.values():
        parts = [part for module in value.modules() for part in vars(module).values()] if isinstance(value, nn.Module) else [value]
        for part in parts:
            for tensor in tensors_in(part):
                if not tensor.is_complex() and not tensor.is_leaf:
                    memo[id(tensor)] = tensor.detach().clone()
    return copy.deepcopy(arguments, memo)


def moves(before, after, axis):
    """How far each position along `axis` of the output moved; 0 for what is rounding."""
    before, after = (torch.nan_to_num(it.detach().double(), posinf=0.0, neginf=0.0) for it in (before, after))
    far = (before - after).abs().transpose(0, axis)
    far = far.reshape(far.shape[0], -1).amax(1)
    scale = max(float(before.abs().max()), float(after.abs().max()), 1e-30)
    return [float(it) if float(it) > ROUNDING * scale else 0.0 for it in far]
