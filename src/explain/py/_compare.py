"""Two implementations with the same weights and inputs: what `attn compare` runs and reports."""

import math
import sys
import types
from functools import partial

import _local
import _made_up
import torch
from _made_up import computes_attention, has_attention, parameters
from _pairing import SEED, Cannot, Pairing
from _probe_values import as_json, first_tensor, is_tokens, with_change
from torch import nn
from torch.nn import functional as F

# A difference is rounding up to this part of the largest number.
ROUNDING = 2e-5
# The references: what each is built from, and how.
REFERENCES = {
    "sdpa": (("causal",), lambda it, causal: partial(it.attention, causal=causal)),
    "mha": (("width", "heads", "causal"), lambda it, **sizes: it.MultiHead(**sizes)),
    "gqa": (("width", "heads", "groups", "causal"), lambda it, **sizes: it.Grouped(**sizes)),
    "rope-pairs": (("width", "heads", "causal"), lambda it, **sizes: it.RotatedPairs(**sizes)),
    "rope-halves": (("width", "heads"), lambda it, width, heads: it.GroupedAttention(llama(width, heads, heads))),
    "llama": (("width", "heads", "groups"), lambda it, **sizes: it.GroupedAttention(llama(**sizes))),
    "gpt2": (("width", "heads"), lambda it, width, heads: it.MultiHeadAttention(width, width, 0.0, heads)),
}


def seeded(way):
    torch.manual_seed(0)
    return way()


def llama(width, heads, groups):
    """The configuration of a layer of Llama."""
    return {
        "hidden_size": width,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "architectures": ["LlamaForCausalLM"],
        "rms_norm_eps": 1e-6,
    }


def load(name, path, source, package):
    """Runs a file as a module, without what it does as a program."""
    found = _local.spec(f"{package}.{name}" if package else name, path, source, False)
    module = types.ModuleType(found.name)
    module.__spec__, module.__package__ = found, package
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def explicit(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """`scaled_dot_product_attention` in single operations, so that their results can be compared."""
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], dim=-3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], dim=-3)
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return F.dropout(torch.softmax(scores, dim=-1), dropout_p, dropout_p > 0) @ value


class Side:
    """One of the two: what was asked for, and how it can be built."""

    def __init__(self, shown, word, module):
        self.file = shown
        self.shown, self.word = f"{shown}:{word}" if word and not shown.startswith("@") else shown, word
        self.names = vars(module)
        self.subject = self.found() if not shown.startswith("@") else None

    def found(self):
        """The class, the function or the module that is meant."""
        own = {name: it for name, it in self.names.items() if getattr(it, "__module__", None) == self.names["__name__"]}
        if "(" in self.word:
            try:
                return eval(self.word, self.names)
            except Exception as raised:
                raise Cannot(f"{self.word} raises {_made_up.reason(raised)}") from None
        if self.word:
            if self.word not in self.names:
                known = ", ".join(name for name, it in own.items() if callable(it))
                raise Cannot(f"{self.shown} is not there; the file has {known or 'no class and no function'}")
            return self.names[self.word]
        which = [name for name, it in own.items() if is_attention(it)]
        if len(which) == 1:
            self.shown += f":{which[0]}"
            return own[which[0]]
        if not which:
            raise Cannot(f"{self.shown} has no class and no function that computes attention; name what is meant: {self.shown}:Name")
        raise Cannot(f"{self.shown} has {' and '.join(which)}; name the one that is meant: {self.shown}:{which[0]}")

    def built(self):
        """Each way to build it, as functions without arguments."""
        if not isinstance(self.subject, type):
            return [lambda: self.subject]
        ways = _made_up.arguments(self.subject, self.names)
        return [lambda given=given: self.subject(**given) for given in ways]


def is_attention(it):
    if isinstance(it, type):
        return issubclass(it, nn.Module) and has_attention(it)
    return hasattr(it, "__code__") and computes_attention(it.__code__)


def forward(it):
    """The function that is called, and how many of its first parameters are given already."""
    if isinstance(it, partial):
        return it.func, 0
    if isinstance(it, nn.Module):
        return type(it).forward, 1
    if not hasattr(it, "__code__"):
        raise Cannot(f"{type(it).__name__} is no module and no function")
    return it, 0


def taken(it):
    """The names of the parameters, and which of them have defaults."""
    function, first = forward(it)
    names, optional, only = parameters(function)
    return [*names[first:], *only], optional


def needed(it):
    """The parameters without defaults."""
    names, optional = taken(it)
    return [name for name in names if name not in optional]


def sizes(it):
    """The width, heads and groups of a module that was built, by its weights and attributes; 0 heads where they do not say."""
    width, heads, groups = None, None, None
    if not isinstance(it, nn.Module):
        return _made_up.WIDTH, _made_up.HEADS, _made_up.GROUPS
    for part in it.modules():
        if width is None and isinstance(part, nn.Linear):
            width = part.in_features
        if width is None and isinstance(part, nn.MultiheadAttention):
            width = part.embed_dim
        for name, value in vars(part).items():
            if type(value) is int and name.lower() not in ("head_dim", "d_head", "dim_head", "head_size", "hd") and value > 0:
                if any(word in name.lower() for word in ("kv", "group")):
                    groups = groups or value
                elif "head" in name.lower() or name in ("h", "H"):
                    heads = heads or value
    first = next((it.shape[0] for it in it.parameters() if it.dim() == 2), _made_up.WIDTH)
    return width or first, heads or 0, groups or heads or 1


class Pair:
    """Two implementations, built, with the same weights and inputs."""

    def __init__(self, one, two, given, inputs):
        F.scaled_dot_product_attention = explicit
        self.sides = one, two
        self.remarks = []
        swapped = one.subject is None
        if swapped and two.subject is None:
            self.built = [self.reference(one, _made_up.WIDTH, _made_up.HEADS, _made_up.GROUPS, True)]
            self.built.append(self.reference(two, _made_up.WIDTH, _made_up.HEADS, _made_up.GROUPS, True))
            self.pairing = Pairing(*self.built, given)
        elif swapped or two.subject is None:
            self.against_reference(swapped, given, inputs)
        else:
            self.both(given)
        for it in self.built:
            if isinstance(it, nn.Module):
                it.eval()
        self.pairing.vary()
        self.pairing.copy()
        self.inputs = self.made_inputs(self.built, inputs)

    def both(self, given):
        """Builds both so that their weights fit."""
        unbuilt = unfit = None
        for one in self.sides[0].built():
            for two in self.sides[1].built():
                try:
                    built = [seeded(way) for way in (one, two)]
                    self.pairing, self.built = Pairing(*built, given), built
                    return
                except Cannot as cannot:
                    unfit = cannot
                except Exception as raised:
                    unbuilt = Cannot(f"it cannot be built: {_made_up.reason(raised)}; say how: {self.sides[0].shown}(...)")
        raise unfit or unbuilt

    def against_reference(self, swapped, given, inputs):
        """Builds what is not a reference first, then the reference of its sizes."""
        own, reference = self.sides[::-1] if swapped else self.sides
        last = None
        for way in own.built():
            try:
                it = seeded(way)
                width, heads, groups = sizes(it)
                it = it.eval() if isinstance(it, nn.Module) else it
                known = self.made_inputs([it], inputs)
                heads = self.heads_seen(it, known) or heads
                causal = self.is_causal(it, known)
            except Cannot as cannot:
                last = cannot
                continue
            except Exception as raised:
                last = Cannot(f"{own.shown} cannot be built: {_made_up.reason(raised)}; say how: {own.shown}(...)")
                continue
            for number in dict.fromkeys((groups, heads or 1, _made_up.GROUPS, 1)):
                try:
                    other = self.reference(reference, width, heads, number, causal)
                    self.built = [other, it] if swapped else [it, other]
                    self.pairing = Pairing(*self.built, given)
                    return
                except Cannot as cannot:
                    last = cannot
        raise last

    def reference(self, side, width, heads, groups, causal):
        """A reference of these sizes, unless others are named."""
        name = side.shown[1:].split("(")[0]
        takes, build = REFERENCES[name]
        known = {"width": width, "heads": heads, "groups": groups, "causal": causal}
        known = {key: known[key] for key in takes}
        if "(" in side.word:
            try:
                asked = eval("dict" + side.word[side.word.index("(") :])
            except Exception as raised:
                raise Cannot(f"@{side.word}: {_made_up.reason(raised)}") from None
            odd = [it for it in asked if it not in known]
            if odd:
                raise Cannot(f"@{name} has no {odd[0]}; it takes {', '.join(known)}")
            known |= asked
            causal = causal or "causal" in asked
        self.remarks = []
        if "causal" in known and not causal:
            self.remarks.append(f"@{name} has no causal mask here, as the other has none; '@{name}(causal=True)' has one")
        width, heads, groups = (known.get(key, 1) for key in ("width", "heads", "groups"))
        if not heads:
            raise Cannot(f"the number of heads is not seen in a run; say it: '@{name}(heads=4)'")
        if width % heads and "width" in known:
            raise Cannot(f"@{name}: a width of {width} has no {heads} heads; name both: '@{name}(width=64, heads=4)'")
        if heads % groups:
            raise Cannot(f"@{name}: {heads} heads have no {groups} groups of equal size; name both: '@{name}(heads=4, groups=2)'")
        side.shown = f"@{name}({', '.join(f'{key}={value}' for key, value in known.items())})"
        return build(types.SimpleNamespace(**side.names), **known)

    def heads_seen(self, it, inputs):
        """The number of heads by the scores in a run, (batch, heads, queries, keys), or one table for each head; else 0."""
        seen = []

        def watched(softmax):
            def call(scores, *args, **kwargs):
                within = len(seen)
                result = softmax(scores, *args, **kwargs)
                # One softmax that is computed by another counts once.
                seen[within:] = [tuple(scores.shape)]
                return result

            return call

        places = [(torch, "softmax"), (F, "softmax")]
        own = [getattr(where, name) for where, name in places]
        try:
            for (where, name), softmax in zip(places, own):
                setattr(where, name, watched(softmax))
            with torch.no_grad():
                self.call(it, inputs)
        finally:
            for (where, name), softmax in zip(places, own):
                setattr(where, name, softmax)
        first = next((value for value in inputs.values() if isinstance(value, torch.Tensor)), None)
        if first is None or not seen:
            return 0
        texts = first.shape[0] if first.dim() > 2 or is_tokens(first) else 1
        tables = math.prod(seen[0][:-2]) // texts
        return tables if tables > 1 else len(seen)

    def is_causal(self, it, inputs):
        """Whether no output moves when a later token is changed."""
        values = list(inputs.values())
        if not values or not isinstance(values[0], torch.Tensor):
            return False
        axis = 1 if values[0].dim() < 4 else 2
        with torch.no_grad():
            before = first_tensor(self.call(it, inputs))
            tokens = values[0].shape[axis]
            is_sequence = [isinstance(it, torch.Tensor) and it.dim() > axis and it.shape[axis] == tokens for it in values]
            changed = [with_change(it, axis, tokens - 1) if known else it for it, known in zip(values, is_sequence)]
            after = first_tensor(self.call(it, dict(zip(inputs, changed))))
        if before is None or before.dim() <= axis or before.shape[axis] < 2:
            return False
        last = before.shape[axis] - 1
        return bool(torch.allclose(before.narrow(axis, 0, last), after.narrow(axis, 0, last), atol=1e-5))

    def call(self, it, inputs):
        """Calls one of the two; an input that it names otherwise is given by its place."""
        names = needed(it)
        values = list(inputs.values())
        optional = [name for name in inputs if name in parameters(forward(it)[0])[0] and name not in names]
        if all(name in inputs for name in names):
            given = {name: inputs[name] for name in [*names, *optional]}
            return it(**given)
        if len(names) == 3 and len(values) == 1:
            # Queries, keys and values of one sequence.
            return it(*values * 3)
        if len(names) == 1 and len(values) == 3:
            return it(values[0])
        plain = [value for name, value in inputs.items() if name not in optional]
        return it(*plain[: len(names)], **{name: inputs[name] for name in optional})

    def made_inputs(self, built, given):
        """The inputs that are named, and for the others such that both take them."""
        known = {}
        for name, code in given.items():
            try:
                known[name] = eval(code, {"torch": torch, **self.sides[0].names, **self.sides[1].names})
            except Exception as raised:
                raise Cannot(f"--input {name}: {_made_up.reason(raised)}") from None
        takes = dict.fromkeys(name for it in built for name in taken(it)[0])
        odd = [name for name in given if name not in takes]
        if odd:
            raise Cannot(f"--input {odd[0]}: no such input; there are {', '.join(takes)}")
        names = max((needed(it) for it in built), key=len)
        if any(len(needed(it)) == 1 for it in built):
            names = next(needed(it) for it in built if len(needed(it)) == 1)
        width, heads, _ = sizes(built[0])
        heads = heads or 1
        words = [part.num_embeddings for it in built if isinstance(it, nn.Module) for part in it.modules() if isinstance(part, nn.Embedding)]
        vocabulary = min([_made_up.VOCABULARY, *words])
        error = None
        for other in (_made_up.TOKENS, _made_up.OTHERS):
            for axes in (3, 4, 2):
                torch.manual_seed(SEED)
                made = {name: _made_up.made_up(name, axes, other, width, heads, vocabulary) for name in names if name not in known}
                inputs = {name: known.get(name, made.get(name)) for name in [*names, *known]}
                try:
                    with torch.no_grad():
                        for it in built:
                            self.call(it, inputs)
                    return inputs
                except Exception as raised:
                    error = error or raised
        example = names[0] if names else "x"
        what = "the inputs that are named" if known else "made-up inputs"
        where = place(error, [side.file for side in self.sides])
        raise Cannot(
            f"{where}it does not run on {what}: {_made_up.reason(error)}; if the inputs are not what it takes, name them: "
            f"--input '{example}=torch.randn(2, 6, 64)'"
        ) from None

    def run(self, which):
        """Runs one of the two with a graph for its gradients."""
        torch.manual_seed(SEED)
        self.own = self.own if which else [None, None]
        inputs = {name: self.tracked(value) for name, value in self.inputs.items()}
        self.own[which] = inputs
        output = first_tensor(self.call(self.built[which], inputs))
        if output is None:
            raise Cannot(f"{self.sides[which].shown} returns no tensor")
        self.outputs = [*getattr(self, "outputs", [])[:which], output]

    def tracked(self, value):
        if isinstance(value, torch.Tensor) and not is_tokens(value):
            return value.detach().clone().requires_grad_()
        return value

    def gradients(self):
        """The names of gradients that were compared, and of those that differ."""
        one, two = self.outputs
        if one.shape != two.shape or not (one.requires_grad and two.requires_grad):
            return [], []
        torch.manual_seed(SEED + 1)
        along = torch.randn(one.shape)
        for output in (one, two):
            (output * along).sum().backward()
        compared, differing = [], []
        for name, here in self.own[0].items():
            there = self.own[1][name]
            if isinstance(here, torch.Tensor) and here.grad is not None and there.grad is not None:
                compared.append(name)
                if not close(here.grad, there.grad):
                    differing.append(name)
        for name, here, there in self.pairing.gradients():
            compared.append(name)
            if not close(here, there):
                differing.append(name)
        return compared, differing

    def report(self):
        one, two = self.outputs
        compared, differing = self.gradients()
        return as_json({
            "sides": [side.shown for side in self.sides],
            "equal": one.shape == two.shape and close(one, two),
            "weights": self.pairing.report(),
            "zeroed": self.pairing.zeroed,
            "remarks": self.remarks,
            "inputs": [{"name": name, "value": described(value)} for name, value in self.inputs.items()],
            "gradients": {"compared": compared, "differing": differing},
        })

    def is_equal(self):
        """Whether both return the same."""
        with torch.no_grad():
            one, two = (first_tensor(self.call(it, self.inputs)) for it in self.built)
        return one is not None and two is not None and one.shape == two.shape and close(one, two)

    def settle(self):
        """Of matrices that are square, and a parameter on one side only, the way round in which both agree."""
        if not self.pairing.unsure or self.is_equal():
            return
        self.pairing.turn()
        if not self.is_equal():
            self.pairing.turn()


def place(raised, files):
    """The line of these files that raised, as `file:line: `; empty if none did."""
    found, entry = "", raised.__traceback__
    while entry:
        if entry.tb_frame.f_code.co_filename in files:
            found = f"{entry.tb_frame.f_code.co_filename}:{entry.tb_lineno}: "
        entry = entry.tb_next
    return found


def described(value):
    return "(" + ", ".join(map(str, value.shape)) + ")" if isinstance(value, torch.Tensor) else repr(value)


def close(one, two):
    """Whether two tensors are equal but for rounding; what is nan in both is equal."""
    one, two = one.detach().double(), two.detach().double()
    if not bool(torch.equal(torch.isnan(one), torch.isnan(two))):
        return False
    one, two = torch.nan_to_num(one), torch.nan_to_num(two)
    return one.numel() == 0 or float((one - two).abs().max()) <= ROUNDING * max(float(one.abs().max()), float(two.abs().max()), 1e-30)
