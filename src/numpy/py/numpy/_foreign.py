"""Arrays that are none of real numbers, of complex numbers or of labels, and functions of them."""

import _numpy
from _numpy import ndarray as _native, dtype as _dtype


def array(data, dtype, copy):
    """An array of complex numbers, of text or of Python objects; raises again what real numbers raised otherwise."""
    from numpy import _complex, _labels

    kind = None if dtype is None else _dtype(dtype)
    if type(data) is _labels.ndarray and kind is None:
        return data.copy() if copy else data
    if kind is not None and kind.kind == "c" or _complex.has_complex(data) and (
        kind.kind in "biuf" if kind else not _has_other(data)
    ):
        return _complex.array(data, kind, copy)
    if kind is not None and kind.kind not in "UO" or kind is None and type(data) is _native:
        raise
    return _labels.array(data, kind)


def _has_other(data):
    """Whether there is something that is no number, as text."""
    if isinstance(data, (list, tuple)):
        return any(_has_other(one) for one in data)
    import numpy

    return not isinstance(data, (int, float, complex, _native, numpy.generic))


def filled(shape, value, dtype):
    """An array of one complex number, text or object; raises again what real numbers raised otherwise."""
    from numpy import _complex, _labels

    kind = _dtype(getattr(value, "dtype", complex) if dtype is None and isinstance(value, complex) else dtype)
    if kind.kind == "c":
        return _complex.filled(shape, value, kind)
    if kind.kind not in "UO":
        raise
    return _labels.filled(shape, value, kind)


def converted(a, kind):
    """An array of real numbers in another dtype than theirs."""
    from numpy import _complex, _labels

    return _complex.array(a, kind) if kind.kind == "c" else _labels.array(a, kind)


def function(name, plain, args, words):
    """A function of numpy, given such arguments."""
    from numpy import _complex

    if any(_complex.has_complex(one) for one in (*args, *words.values())):
        return _complex.call(name, plain, args, words)
    if args and name in ("repeat", "reshape", "ravel", "squeeze", "transpose"):
        return getattr(args[0], name)(*args[1:], **words)
    return plain(*args, **words)


def aware(name, plain):
    """The function, which takes complex numbers too."""

    def call(*args, **words):
        if _numpy._has_foreign(args) or words and _numpy._has_foreign(tuple(words.values())):
            return function(name, plain, args, words)
        return plain(*args, **words)

    # As functools.wraps, which takes longer to import than numpy.
    for word in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(call, word, getattr(plain, word))
    call.__wrapped__ = plain
    return call
