"""What dtypes can hold, settings, and printing."""

import contextlib

import numpy
import _numpy
from _numpy import ndarray
from numpy import asarray
from numpy._kinds import dtype as _dtype

# Dtypes.


def _class(kind):
    if isinstance(kind, type) and issubclass(kind, numpy.generic):
        return kind
    return (kind.dtype if isinstance(kind, (ndarray, numpy.generic)) else _dtype(kind)).type


def issubdtype(arg1, arg2):
    return issubclass(_class(arg1), _class(arg2))


class finfo:
    """The limits of a float dtype."""

    def __init__(self, dtype):
        import torch

        self.dtype = dtype = _dtype(dtype)
        if dtype.kind != "f":
            raise ValueError(f"data type {dtype.type!r} not inexact")
        limits = torch.finfo(getattr(torch, dtype.name))
        self.bits = limits.bits
        for name in ("eps", "min", "max", "tiny", "smallest_normal", "resolution"):
            setattr(self, name, dtype.type(getattr(limits, name)))

    def __repr__(self):
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"


# Warnings: attn has none for divisions by zero and the like, so their settings change nothing that is printed.

_SETTINGS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    old = dict(_SETTINGS)
    for name, value in (("divide", divide), ("over", over), ("under", under), ("invalid", invalid)):
        value = value or all
        if value not in (None, "ignore", "warn"):
            raise NotImplementedError(f"seterr({name}={value!r}) is not part of attn's numpy: only 'ignore' and 'warn' are")
        _SETTINGS[name] = value or old[name]
    return old


@contextlib.contextmanager
def errstate(**kwargs):
    old = seterr(**kwargs)
    try:
        yield
    finally:
        _SETTINGS.update(old)


# Printing.

_OPTIONS = dict(edgeitems=3, threshold=1000, precision=8, suppress=False, linewidth=75, formatter=None)
_KINDS = {"b": ("bool",), "i": ("int", "int_kind"), "u": ("int", "int_kind"), "f": ("float", "float_kind")}


def _formatted(a, in_repr, place=(" ", 0)):
    """The text of an array in the program's own format; None where it has none for the dtype."""
    formats = _OPTIONS["formatter"]
    found = [formats[kind] for kind in (*_KINDS[a.dtype.kind], "all") if kind in formats]
    if not found or not a.ndim or not a.size:
        return None
    dtype = ("" if a.dtype.name in ("bool", "int64", "float64") else a.dtype.name) if in_repr else None
    return _numpy._words(numpy.arange(a.size).reshape(a.shape), [found[0](one) for one in a.ravel()], dtype, *place)


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, formatter=None, **rest):
    global _OPTIONS
    words = dict(precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth, suppress=suppress)
    if rest:
        names = ", ".join([*words, "formatter"])
        raise NotImplementedError(f"set_printoptions({next(iter(rest))}=) is not part of attn's numpy: {names} are")
    made = {**_OPTIONS, **{word: value for word, value in words.items() if value is not None}, "formatter": formatter}
    # Infinity, as a number that no line reaches.
    edge, width = [int(min(made[word], 1 << 50)) for word in ("edgeitems", "linewidth")]
    _numpy._set_options(made["precision"], float(made["threshold"]), edge, width, bool(made["suppress"]), formatter and _formatted)
    _OPTIONS = made


def get_printoptions():
    return dict(_OPTIONS)


@contextlib.contextmanager
def printoptions(*args, **kwargs):
    """Print options within a `with`."""
    old = get_printoptions()
    set_printoptions(*args, **kwargs)
    try:
        yield get_printoptions()
    finally:
        set_printoptions(**old)


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *, threshold=None,
                 edgeitems=None, **rest):
    with printoptions(precision, threshold, edgeitems, max_line_width, suppress_small, **rest):
        a, place = asarray(a), (separator, len(prefix))
        return _OPTIONS["formatter"] and _formatted(a, False, place) or _numpy._text(a, *place)
