"""Runs classes and functions that compute attention on arguments made up from their signatures.

`attn doctor` uses it for files that cannot run as a whole: they need other packages, data or a GPU.
"""

import torch
from torch import nn
from torch._arguments import hint

WIDTH, HEADS, GROUPS, TOKENS, SAMPLES, VOCABULARY, CONTEXT = 16, 4, 2, 6, 2, 20, 16
# What a number is for, by words in the name of its parameter; the first that fits.
NUMBERS = (
    (("kv_head", "kv_heads", "key_value_heads", "query_group", "kv_group", "n_groups"), GROUPS),
    (("head_dim", "d_head", "dim_head", "head_size", "d_k", "d_v", "dk", "dv", "head_width"), WIDTH // HEADS),
    (("head",), HEADS),
    (("vocab", "n_token", "num_embeddings"), VOCABULARY),
    (("context", "max_len", "max_seq", "block", "seq_len", "length", "position", "ctx"), CONTEXT),
    (("layer", "depth", "n_block"), 2),
    (("drop",), 0.1),
    (("bias", "causal", "flash"), False),
    (("eps",), 1e-5),
    (("theta", "base"), 10000.0),
    (("ff", "inner", "mlp", "intermediate"), 2 * WIDTH),
    (("window",), 4),
    (("class", "label"), 3),
    (("dim", "d_", "emb", "width", "hidden", "feature", "channel", "size", "in", "out", "model"), WIDTH),
)
TOKEN_NAMES = ("ids", "idx", "tok", "input_ids")
ATTENTION = ("softmax", "Softmax", "scaled_dot_product_attention", "MultiheadAttention")


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
    for words, value in NUMBERS:
        if any(word in name for word in words):
            return value
    return WIDTH if len(name) > 1 or name in ("d", "c", "e") else HEADS


def parameters(function):
    """The names of a function's parameters, and which have defaults."""
    code = function.__code__
    names = list(code.co_varnames[: code.co_argcount])
    optional = len(function.__defaults__ or ())
    only = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    needed = [name for name in only if name not in (function.__kwdefaults__ or {})]
    return names, set(names[len(names) - optional :]) if optional else set(), needed


def built(cls):
    """An instance of a class, or None."""
    names, optional, needed = parameters(cls.__init__) if hasattr(cls.__init__, "__code__") else ([], set(), [])
    given = {}
    for name in [name for name in names[1:] if name not in optional] + needed:
        is_config = any(word in name.lower() for word in ("config", "cfg", "args", "params", "hparams"))
        given[name] = Config() if is_config else number(name)
    return cls(**given)


def made_up(name, axes):
    """A value for an argument of this name."""
    name = name.lower()
    if "mask" in name or "cache" in name or "past" in name:
        return None
    if any(name == word or name.endswith("_" + word) or word in name for word in TOKEN_NAMES):
        return torch.randint(0, VOCABULARY, (SAMPLES, TOKENS))
    if "drop" in name:
        return None
    if name in ("start", "start_pos", "offset", "step"):
        return 0
    if "head" in name and axes:
        return HEADS
    if axes == 4:
        return torch.randn(SAMPLES, HEADS, TOKENS, WIDTH // HEADS)
    return torch.randn(SAMPLES, TOKENS, WIDTH) if axes == 3 else torch.randint(0, VOCABULARY, (SAMPLES, TOKENS))


def attempt(function, names):
    """Calls a function on made-up arguments until it does not raise. Returns whether it did."""
    for axes in (3, 4, 2):
        torch.manual_seed(0)
        try:
            function(*[made_up(name, axes) for name in names])
            return True
        except Exception:
            pass
    return False


def computes_attention(code):
    """Whether a function, or one inside it, names an operation of attention."""
    if any(name in ATTENTION for name in code.co_names):
        return True
    return any(computes_attention(const) for const in code.co_consts if hasattr(const, "co_names"))


def exercise(namespace):
    """Runs the classes and functions of a namespace. Returns the names of those that ran."""
    ran = []
    for name, value in list(namespace.items()):
        if isinstance(value, type) and issubclass(value, nn.Module) and hasattr(value.forward, "__code__"):
            if value.__module__.startswith("torch"):
                continue
            try:
                torch.manual_seed(0)
                module = built(value).eval()
            except Exception:
                continue
            names, optional, _ = parameters(value.forward)
            if attempt(module, [it for it in names[1:] if it not in optional]):
                ran.append(name)
        elif hasattr(value, "__code__") and computes_attention(value.__code__):
            names, optional, _ = parameters(value)
            tensors = [it for it in names if it not in optional]
            if tensors and attempt(value, tensors):
                ran.append(name)
    return ran
