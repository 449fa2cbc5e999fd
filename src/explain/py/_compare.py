"""Two implementations with the same weights and inputs: what `attn compare` runs and reports."""

import json
import sys
import types
from functools import partial

import _local
import _made_up
import torch
from _made_up import computes_attention, has_attention, parameters
from _probe_values import first_tensor, is_tokens, with_change
from torch import nn
from torch.nn import functional as F

# A difference is rounding up to this part of the largest number.
ROUNDING = 2e-5
SEED = 4711
# What a weight is for, by the words of its name: the first that fits. The last are biases of norms and what has no name.
ROLES = (
    ("qkv", ("qkv", "c_attn", "in_proj", "query_key_value", "wqkv")),
    ("kv", ("kv_proj", "to_kv", "w_kv", "wkv", "kv")),
    ("q", ("query", "q_proj", "to_q", "wq", "w_q", "q_lin", "q")),
    ("k", ("key", "k_proj", "to_k", "wk", "w_k", "k_lin", "k")),
    ("v", ("value", "v_proj", "to_v", "wv", "w_v", "v_lin", "v")),
    ("o", ("out_proj", "o_proj", "c_proj", "to_out", "wo", "w_o", "proj", "dense", "out", "o")),
)
# The references: the file of each, and how it is built from a width, heads and groups.
REFERENCES = {
    "sdpa": ("references.py", lambda it, width, heads, groups, causal: partial(it.attention, causal=causal)),
    "mha": ("references.py", lambda it, width, heads, groups, causal: it.MultiHead(width, heads, causal)),
    "gqa": ("references.py", lambda it, width, heads, groups, causal: it.Grouped(width, heads, groups, causal)),
    "rope-pairs": ("references.py", lambda it, width, heads, groups, causal: it.RotatedPairs(width, heads, causal)),
    "rope-halves": ("llama.py", lambda it, width, heads, groups, causal: it.GroupedAttention(llama(width, heads, heads))),
    "llama": ("llama.py", lambda it, width, heads, groups, causal: it.GroupedAttention(llama(width, heads, groups))),
    "gpt2": ("gpt2.py", lambda it, width, heads, groups, causal: it.MultiHeadAttention(width, width, 0.0, heads)),
}


def llama(width, heads, groups):
    """The configuration of a layer of Llama."""
    return {
        "hidden_size": width,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "architectures": ["LlamaForCausalLM"],
        "rms_norm_eps": 1e-6,
    }


class Cannot(Exception):
    """Why two things cannot be compared, as a sentence."""


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


def needed(it):
    """The parameters without defaults."""
    function, first = forward(it)
    names, optional, only = parameters(function)
    return [name for name in names[first:] if name not in optional] + only


def sizes(it):
    """The width, heads and groups of a module that was built, by its weights and attributes."""
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
    return width or first, heads or 1, groups or heads or 1


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
        first = None
        for one in self.sides[0].built():
            for two in self.sides[1].built():
                torch.manual_seed(0)
                try:
                    built = [one(), two()]
                except Exception as raised:
                    first = first or Cannot(f"it cannot be built: {_made_up.reason(raised)}; say how: {self.sides[0].shown}(...)")
                    continue
                try:
                    self.pairing = Pairing(*built, given)
                    self.built = built
                    return
                except Cannot as cannot:
                    first = first if isinstance(first, Cannot) and "built" not in str(first) else cannot
        raise first or Cannot("nothing could be built")

    def against_reference(self, swapped, given, inputs):
        """Builds what is not a reference first, then the reference of its sizes."""
        own, reference = self.sides[::-1] if swapped else self.sides
        first = None
        for way in own.built():
            torch.manual_seed(0)
            try:
                it = way()
                width, heads, groups = sizes(it)
                self.built = [it, it]
                it = it.eval() if isinstance(it, nn.Module) else it
                causal = self.is_causal(it, self.made_inputs([it], inputs))
            except Exception as raised:
                first = first or (raised if isinstance(raised, Cannot) else Cannot(f"{own.shown} cannot be built: {_made_up.reason(raised)}"))
                continue
            for number in dict.fromkeys((groups, heads, _made_up.GROUPS, 1)):
                if heads % number:
                    continue
                try:
                    other = self.reference(reference, width, heads, number, causal)
                    self.built = [other, it] if swapped else [it, other]
                    self.pairing = Pairing(*self.built, given)
                    return
                except Cannot as cannot:
                    first = first or cannot
        raise first

    def reference(self, side, width, heads, groups, causal):
        """A reference of these sizes, unless others are named."""
        name = side.shown[1:].split("(")[0]
        build = REFERENCES[name][1]
        known = {"width": width, "heads": heads, "groups": groups, "causal": causal}
        if "(" in side.word:
            try:
                asked = eval("dict" + side.word[side.word.index("(") :])
            except Exception as raised:
                raise Cannot(f"{side.shown}: {_made_up.reason(raised)}") from None
            odd = [it for it in asked if it not in known]
            if odd:
                raise Cannot(f"{side.shown} has no {odd[0]}; it takes {', '.join(known)}")
            known |= asked
        if known["width"] % known["heads"]:
            raise Cannot(f"@{name}: a width of {known['width']} has no {known['heads']} heads; name both: '@{name}(width=64, heads=4)'")
        takes = {"mha": "whc", "rope-pairs": "whc", "gqa": "whgc", "llama": "whg", "rope-halves": "wh", "gpt2": "wh", "sdpa": "c"}[name]
        words = ", ".join(f"{key}={value}" for key, value in known.items() if key[0] in takes)
        side.shown = f"@{name}({words})"
        return build(types.SimpleNamespace(**side.names), **known)

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
        names = max((needed(it) for it in built), key=len)
        if any(len(needed(it)) == 1 for it in built):
            names = next(needed(it) for it in built if len(needed(it)) == 1)
        width, heads, _ = sizes(built[0])
        error = None
        for other in (_made_up.TOKENS, _made_up.OTHERS):
            for axes in (3, 4, 2):
                torch.manual_seed(SEED)
                made = {name: _made_up.made_up(name, axes, other, width, heads) for name in names if name not in known}
                inputs = {name: known.get(name, made.get(name)) for name in [*names, *known]}
                try:
                    with torch.no_grad():
                        for it in built:
                            self.call(it, inputs)
                    return inputs
                except Exception as raised:
                    error = error or raised
        what = "the inputs that are named" if known else "made-up inputs"
        raise Cannot(f"it does not run on {what}: {_made_up.reason(error)}; name them: --input '{names[0]}=torch.randn(2, 6, 64)'") from None

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
        return json.dumps({
            "sides": [side.shown for side in self.sides],
            "equal": one.shape == two.shape and close(one, two),
            "weights": self.pairing.report(),
            "zeroed": self.pairing.zeroed,
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


def described(value):
    return "(" + ", ".join(map(str, value.shape)) + ")" if isinstance(value, torch.Tensor) else repr(value)


def close(one, two):
    """Whether two tensors are equal but for rounding; what is nan in both is equal."""
    one, two = one.detach().double(), two.detach().double()
    if not bool(torch.equal(torch.isnan(one), torch.isnan(two))):
        return False
    one, two = torch.nan_to_num(one), torch.nan_to_num(two)
    return one.numel() == 0 or float((one - two).abs().max()) <= ROUNDING * max(float(one.abs().max()), float(two.abs().max()), 1e-30)


def role(name):
    """What a parameter is for: its role, whether it is a weight or a bias, and the numbers in its name (its layer)."""
    parts = name.lower().split(".")
    kind = "bias" if "bias" in parts[-1] or parts[-1].startswith("b_") else "weight"
    numbers = tuple(part for part in parts if part.isdigit())
    for found, words in ROLES:
        # The innermost name says most: `attn.key.weight`, `in_proj_weight`.
        for part in reversed(parts):
            if any(part == word or len(word) > 2 and word in part for word in words):
                return found, kind, numbers
    return None, kind, numbers


class Pairing:
    """Which weight of one implementation is which of the other.

    An entry has the names of one or several tensors of each side, how it was found, and whether they are transposed.
    Several are the rows of one.
    """

    def __init__(self, one, two, given):
        self.named = [dict(it.named_parameters()) if isinstance(it, nn.Module) else {} for it in (one, two)]
        self.linear = [
            {f"{name}.weight".lstrip(".") for name, part in it.named_modules() if isinstance(part, nn.Linear)} if isinstance(it, nn.Module) else set()
            for it in (one, two)
        ]
        self.left = [list(names) for names in self.named]
        self.entries, self.zeroed = [], []
        for here, there in given.items():
            for name, named in ((here, self.named[0]), (there, self.named[1])):
                if name not in named:
                    raise Cannot(f"--map {here}={there}: no parameter is called {name}; there are {', '.join(named)}")
            self.add([here], [there], "map")
        for name in list(self.left[0]):
            if name in self.left[1] and self.turned(name, name) is not None:
                self.add([name], [name], "name")
        self.by_role()
        self.by_order()
        for side in (0, 1):
            biases = [name for name in self.left[side] if self.named[side][name].dim() == 1 and role(name)[1] == "bias"]
            self.zeroed.append(biases)
            self.left[side] = [name for name in self.left[side] if name not in biases]
        if any(self.left):
            said = [", ".join(f"{name} {tuple(self.named[side][name].shape)}" for name in self.left[side]) or "none" for side in (0, 1)]
            raise Cannot(f"weights are left without a partner: {said[0]} on the left, {said[1]} on the right; pair them with --map LEFT=RIGHT, or name the sizes: file.py:Class(64, 4)")
        self.unsure = [at for at, entry in enumerate(self.entries) if entry["unsure"]]

    def turned(self, here, there):
        """Whether one is the other transposed; None if their shapes do not fit."""
        a, b = tuple(self.named[0][here].shape), tuple(self.named[1][there].shape)
        if a == b:
            # A square parameter of a class's own is usually (in, out), that of a Linear (out, in).
            return len(a) == 2 and a[0] == a[1] and (here in self.linear[0]) != (there in self.linear[1])
        return True if len(a) == 2 and a == b[::-1] else None

    def add(self, here, there, how):
        """An entry; `here` or `there` has one name."""
        turned = False
        unsure = False
        if len(here) == len(there) == 1:
            turned = self.turned(here[0], there[0])
            if turned is None:
                shapes = tuple(self.named[0][here[0]].shape), tuple(self.named[1][there[0]].shape)
                raise Cannot(f"{here[0]} {shapes[0]} and {there[0]} {shapes[1]} have different shapes")
            unsure = turned and self.named[0][here[0]].shape[0] == self.named[0][here[0]].shape[1]
        else:
            whole = self.named[0][here[0]] if len(here) == 1 else self.named[1][there[0]]
            parts = [self.named[1][name] for name in there] if len(here) == 1 else [self.named[0][name] for name in here]
            turned = whole.dim() == 2 and whole.shape[0] != sum(part.shape[0] for part in parts)
        self.entries.append({"a": here, "b": there, "by": how, "turned": bool(turned), "unsure": unsure})
        self.left[0] = [name for name in self.left[0] if name not in here]
        self.left[1] = [name for name in self.left[1] if name not in there]

    def by_role(self):
        """Pairs queries with queries and so on, where each layer has one, and what is in one matrix with its parts."""
        for side in (0, 1):
            for whole in list(self.left[side]):
                found, kind, numbers = role(whole)
                if found not in ("qkv", "kv"):
                    continue
                parts = [
                    [name for name in self.left[1 - side] if role(name) == (letter, kind, numbers)] for letter in found
                ]
                if all(len(it) == 1 for it in parts) and self.fits(side, whole, [it[0] for it in parts]):
                    names = [it[0] for it in parts]
                    self.add(*([whole], names) if side == 0 else (names, [whole]), "role")
        for here in list(self.left[0]):
            found = role(here)
            there = [name for name in self.left[1] if role(name) == found]
            same = [name for name in self.left[0] if role(name) == found]
            if found[0] and len(there) == len(same) == 1 and self.turned(here, there[0]) is not None:
                self.add([here], there, "role")

    def fits(self, side, whole, names):
        whole = tuple(self.named[side][whole].shape)
        parts = [tuple(self.named[1 - side][name].shape) for name in names]
        rows = sum(shape[0] for shape in parts)
        return (rows, *parts[0][1:]) in (whole, whole[::-1]) and len({shape[1:] for shape in parts}) == 1

    def by_order(self):
        for here in list(self.left[0]):
            exact = [name for name in self.left[1] if self.named[1][name].shape == self.named[0][here].shape]
            fitting = exact or [name for name in self.left[1] if self.turned(here, name) is not None]
            if fitting:
                self.add([here], fitting[:1], "order")

    def vary(self):
        """Weights that are all equal, such as those of norms and biases of 0, would hide a difference: they get others."""
        torch.manual_seed(SEED)
        with torch.no_grad():
            for value in self.named[0].values():
                if value.numel() > 1 and bool((value == value.flatten()[0]).all()):
                    value.add_(0.1 * torch.randn(value.shape))

    def copy(self):
        """Gives the second the weights of the first."""
        with torch.no_grad():
            for side in (0, 1):
                for name in self.zeroed[side]:
                    self.named[side][name].zero_()
            for entry in self.entries:
                a, b = entry["a"], entry["b"]
                value = self.named[0][a[0]] if len(a) == 1 else torch.cat([self.named[0][name] for name in a])
                value = value.T if entry["turned"] else value
                at = 0
                for name in b:
                    target = self.named[1][name]
                    target.copy_(value if len(b) == 1 else value[at : at + target.shape[0]])
                    at += target.shape[0] if target.dim() else 0

    def turn(self):
        """Transposes the square matrices of which it is not known."""
        for at in self.unsure:
            self.entries[at]["turned"] = not self.entries[at]["turned"]
        self.copy()

    def gradients(self):
        """The gradients of both sides for each entry."""
        for entry in self.entries:
            values = [[self.named[side][name].grad for name in entry[key]] for side, key in ((0, "a"), (1, "b"))]
            if any(value is None for side in values for value in side):
                continue
            here, there = (side[0] if len(side) == 1 else torch.cat(side) for side in values)
            yield " and ".join(entry["a"]), here.T if entry["turned"] else here, there

    def report(self):
        return [{"a": entry["a"], "b": entry["b"], "by": entry["by"], "transposed": entry["turned"]} for entry in self.entries]
