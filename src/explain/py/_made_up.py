"""Runs classes and functions that compute attention on arguments made up from their signatures: what a program only
defines, and what cannot run as a whole because it needs other packages, data or a GPU.

All sizes are different, so that an axis that is taken for another is not hidden by a size that both have.
"""

import dataclasses
import inspect
import json

import torch
from torch import nn
from torch._arguments import hint

GROUPS, TOKENS, SAMPLES, VOCABULARY, CONTEXT = 2, 7, 5, 29, 16
# The width and the heads; where code refuses the first, as slopes of heads may, powers of two.
SHAPES = ((60, 6), (64, 8))
WIDTH, HEADS = SHAPES[0]
# The tokens of the other sequence.
OTHERS = 9
# What a number is for, by words in the name of its parameter; the first that fits.
NUMBERS = (
    (("kv_head", "kv_heads", "key_value_heads", "query_group", "kv_group", "n_groups"), GROUPS),
    (("head_dim", "d_head", "dim_head", "head_size", "d_k", "d_v", "dk", "dv", "head_width"), lambda: WIDTH // HEADS),
    (("head",), lambda: HEADS),
    (("vocab", "n_token", "num_embeddings"), VOCABULARY),
    (("context", "max_len", "max_seq", "block", "seq_len", "length", "position", "ctx"), CONTEXT),
    (("layer", "depth", "n_block"), 2),
    (("drop",), 0.1),
    (("bias", "causal", "flash"), False),
    (("eps",), 1e-5),
    (("theta", "base"), 10000.0),
    (("ff", "inner", "mlp", "intermediate"), lambda: 2 * WIDTH),
    (("window",), 4),
    (("rank", "latent"), 14),
    (("class", "label"), 3),
    (("dim", "d_", "emb", "width", "hidden", "feature", "channel", "size", "in", "out", "model"), lambda: WIDTH),
)
TOKEN_NAMES = ("ids", "idx", "tok", "input_ids")
ATTENTION = ("softmax", "Softmax", "scaled_dot_product_attention", "MultiheadAttention")


# What the project says that a parameter gets: a number, or the shape of a tensor.
SIZES = {}
OTHER_NAMES = ("memory", "context", "encoder", "enc_", "source", "kv", "key_value", "media")
CONFIGS = ("config", "cfg", "args", "params", "hparams")


class Config:
    """A configuration that has every field: a number by its name."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return number(name)

    def __getitem__(self, name):
        return number(name)

    def get(self, name, default=None):
        return default if default is not None else number(name)


class Absent:
    """What a package would have that is not there: a base class, a decorator, a function."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        hint(kwargs)
        return args[0] if len(args) == 1 and callable(args[0]) else Absent()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent()


def number(name):
    name = name.lower()
    if name in SIZES:
        return SIZES[name]
    for words, value in NUMBERS:
        if any(word in name for word in words):
            return value() if callable(value) else value
    return WIDTH if len(name) > 1 or name in ("d", "c", "e") else HEADS


def parameters(function):
    """The names of a function's parameters, and which have defaults."""
    # What a decorator such as `torch.no_grad()` wraps.
    function = getattr(function, "__wrapped__", function)
    code = function.__code__
    names = list(code.co_varnames[: code.co_argcount])
    optional = len(function.__defaults__ or ())
    only = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    needed = [name for name in only if name not in (function.__kwdefaults__ or {})]
    return names, set(names[len(names) - optional :]) if optional else set(), needed


def sized(name, default):
    """A small number for a field that is a size, else its default."""
    is_size = type(default) in (int, float) and default not in (0, 1) or default is dataclasses.MISSING
    known = any(word in name.lower() for words, _ in NUMBERS for word in words)
    return number(name) if is_size and known else default


def configurations(namespace, annotation):
    """Configurations for a parameter: of the program's own dataclass, and one that has every field."""
    own = [value for value in namespace.values() if isinstance(value, type) and dataclasses.is_dataclass(value)]
    own.sort(key=lambda cls: (cls is not annotation, not cls.__name__.lower().endswith(CONFIGS)))
    made = []
    for cls in own[:3]:
        fields = {field.name: sized(field.name, field.default) for field in dataclasses.fields(cls) if field.init}
        try:
            made.append(cls(**{name: value for name, value in fields.items() if value is not dataclasses.MISSING}))
        except Exception:
            pass
    return [*made, Config()]


def arguments(cls, namespace):
    """The arguments with which an instance of a class may be built: each is tried after the one before it."""
    names, optional, needed = parameters(cls.__init__) if hasattr(cls.__init__, "__code__") else ([], set(), [])
    needed = [name for name in names[1:] if name not in optional] + needed
    annotations = getattr(cls.__init__, "__annotations__", {})
    is_config = [name for name in needed if any(word in name.lower() for word in CONFIGS)]
    attempts = []
    for config in configurations(namespace, annotations.get(is_config[0])) if is_config else [None]:
        attempts.append({name: config if name in is_config else number(name) for name in needed})
    if any("out" in name for name in needed):
        # The width of the result differs from that of the input where both are asked for.
        attempts.insert(0, {name: 48 if "out" in name and "drop" not in name else value for name, value in attempts[0].items()})
    return attempts


def built(cls, namespace):
    """An instance of a class. Raises what its last attempt raised."""
    attempts = arguments(cls, namespace)
    for at, given in enumerate(attempts):
        try:
            torch.manual_seed(0)
            return cls(**given).eval()
        except Exception:
            if at + 1 == len(attempts):
                raise


def shaped(cls, namespace):
    """An instance of a class of the first shape that it takes, or none and what it raised for the first one."""
    global WIDTH, HEADS
    first = None
    for WIDTH, HEADS in SHAPES:
        try:
            return built(cls, namespace), None
        except Exception as raised:
            first = first or raised
    return None, first


def made_up(name, axes, other, width=None, heads=None, vocabulary=VOCABULARY):
    """A value for an argument of this name. `other` is how many tokens the other sequence has."""
    name, width, heads = name.lower(), width or WIDTH, heads or HEADS
    if name in SIZES:
        return of_size(name, SIZES[name], vocabulary)
    if "mask" in name or "cache" in name or "past" in name or "drop" in name:
        return None
    if any(name == word or name.endswith("_" + word) or word in name for word in TOKEN_NAMES):
        return torch.randint(0, vocabulary, (SAMPLES, TOKENS))
    if name in ("start", "start_pos", "offset", "step"):
        return 0
    half = width // heads // 2
    if name in ("freqs_cis", "freqs", "cos", "sin"):
        angles = torch.outer(torch.arange(TOKENS), 10000.0 ** (-torch.arange(half) / half))
        whole = torch.cat((angles, angles), -1)
        return torch.polar(torch.ones_like(angles), angles) if "freq" in name else getattr(whole, name)()
    if name in ("causal", "is_causal"):
        return True
    if "head" in name and axes:
        return heads
    tokens = other if any(word in name for word in OTHER_NAMES) or axes == 4 and name[:1] in "kv" else TOKENS
    if axes == 4:
        return torch.randn(SAMPLES, heads, tokens, width // heads)
    return torch.randn(SAMPLES, tokens, width) if axes == 3 else torch.randint(0, vocabulary, (SAMPLES, TOKENS))


def of_size(name, size, vocabulary):
    """A tensor if the project gives a shape, else the number that it gives."""
    if not isinstance(size, list):
        return size
    is_text = any(word in name for word in TOKEN_NAMES)
    return torch.randint(0, SIZES.get("vocab_size", vocabulary), size) if is_text else torch.randn(size)


def attempt(function, names):
    """Calls a function on made-up arguments until it does not raise. Returns the last error, or None."""
    error = None
    for other in (OTHERS, TOKENS):
        for axes in (3, 4, 2):
            torch.manual_seed(0)
            try:
                function(*[made_up(name, axes, other) for name in names])
                return None
            except Exception as raised:
                error = error or raised
    return error


def computes_attention(code):
    """Whether a function, or one inside it, names an operation of attention."""
    if any(name in ATTENTION for name in code.co_names):
        return True
    return any(computes_attention(const) for const in code.co_consts if hasattr(const, "co_names"))


def has_attention(cls):
    """Whether a method of a class names an operation of attention, or the class says that it is attention, of whatever form."""
    if "attention" in cls.__name__.lower():
        return True
    methods = [value for value in vars(cls).values() if hasattr(value, "__code__")]
    return any(computes_attention(inspect.unwrap(method).__code__) for method in methods)


def tests(namespace):
    """Runs the test functions of a namespace. Returns the names of those that ran, and of the others why not."""
    ran, missed = [], []
    for name, value in list(namespace.items()):
        if name.startswith("test_") and hasattr(value, "__code__"):
            names, optional, _ = parameters(value)
            if len(names) > len(optional):
                missed.append([name, value.__code__.co_firstlineno, f"it takes {names[0]}"])
                continue
            try:
                torch.manual_seed(0)
                value()
                ran.append(name)
            except Exception as raised:
                missed.append([name, value.__code__.co_firstlineno, reason(raised)])
    return ran, missed


def reason(raised):
    text = str(raised).splitlines()
    return f"{type(raised).__name__}: {text[0][:120]}" if text else type(raised).__name__


def exercise(namespace, called, is_test, settings):
    """Runs the classes and functions of a program that compute attention, or are the project's entries, and are not among
    `called`. `settings` is JSON: the `entry` and the `sizes` of the project.

    Returns the names of those that ran, and of those that did not: their names, their lines, and why.
    """
    ran, missed = tests(namespace) if is_test else ([], [])
    done = set(called)
    settings = json.loads(settings)
    SIZES.update({name.lower(): size for name, size in settings["sizes"].items()})
    entry = settings["entry"]
    own = [(name, value) for name, value in namespace.items() if getattr(value, "__module__", None) == "__main__"]
    # The last are the outermost: what they call need not run alone.
    for name, value in reversed(own):
        # A class that ran may have a second name, as in `for kind in (Luong, Bahdanau)`.
        if name in done or isinstance(value, type) and value.__name__ in done:
            continue
        if isinstance(value, type) and issubclass(value, nn.Module) and hasattr(value.forward, "__code__"):
            line = value.forward.__code__.co_firstlineno
            module, raised = shaped(value, namespace)
            if module is None:
                if has_attention(value) or name in entry:
                    missed.append([name, line, reason(raised)])
                continue
            inside = {type(part) for part in module.modules()} | {type(part).__mro__[1] for part in module.modules()}
            if name not in entry and not any(has_attention(part) or part is nn.MultiheadAttention for part in inside):
                continue
            names, optional, _ = parameters(value.forward)
            raised = attempt(module, [it for it in names[1:] if it not in optional])
            if raised is None:
                ran.append(name)
                done |= {part.__name__ for part in inside}
            elif has_attention(value) or name in entry:
                missed.append([name, line, reason(raised)])
        elif hasattr(value, "__code__") and (name in entry or computes_attention(value.__code__)):
            names, optional, _ = parameters(value)
            tensors = [it for it in names if it not in optional]
            if name.startswith("test_"):
                continue
            raised = attempt(value, tensors) if tensors else None
            if tensors and raised is None:
                ran.append(name)
            elif tensors:
                missed.append([name, value.__code__.co_firstlineno, reason(raised)])
    return ran, [it for it in missed if it[0] not in done]
