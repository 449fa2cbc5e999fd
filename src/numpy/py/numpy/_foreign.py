"""What is computed with other operands than real arrays: complex numbers, and arrays of Python objects."""

import numpy
import _numpy
from _numpy import ndarray as _native, dtype as _dtype
from numpy._foreign_data import has_complex


def call(name, *args, **words):
    """An elementwise function of such operands."""
    count = 1 if name not in _numpy._functions else _numpy._functions[name].nin
    operands, rest = args[:count], args[count:]
    out = rest[0] if rest else words.pop("out", None)
    dtype = words.pop("dtype", None)
    wanted = _dtype(dtype) if dtype is not None else None
    if wanted is not None and wanted.kind not in "biufc":
        raise NotImplementedError(f"dtype {wanted} is not part of attn's numpy")
    if wanted is not None and wanted.kind != "c" and not any(has_complex(one) for one in operands):
        raise NotImplementedError(f"{name}(dtype={wanted}) is not part of attn's numpy")
    where, casting = words.pop("where", True), words.pop("casting", "same_kind")
    for hint in ("order", "subok"):
        words.pop(hint, None)
    if words:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(words))}'")
    from numpy import _objects

    if any(type(one) is _objects.ndarray for one in operands):
        made = _objects.elementwise(name, operands)
    else:
        from numpy import _complex_ufuncs

        made = _complex_ufuncs.compute(name, operands, wanted)
    if out is None:
        if where is not True:
            made = numpy.where(where, made, numpy.zeros_like(made))
        return made
    (out,) = out if isinstance(out, tuple) else (out,)
    if not isinstance(out, _native):
        raise TypeError("return arrays must be of ArrayType")
    if type(made) is not _objects.ndarray:
        from numpy import _kinds

        kind = made.dtype
        if not _kinds.can_cast(kind, out.dtype, casting):
            from numpy import _exceptions

            raise _exceptions._UFuncOutputCastingError(
                f"Cannot cast ufunc '{name}' output from {kind!r} to {out.dtype!r} with casting rule '{casting}'"
            )
    if where is True:
        out[...] = made
    else:
        out[...] = numpy.where(where, made, out)
    return out


def function(name, plain, args, words):
    """A function of numpy, given such arguments."""
    if not (any(has_complex(one) for one in args) or any(has_complex(one) for one in words.values())):
        if name in ("tensordot", "outer"):
            from numpy import _objects

            if name == "tensordot":
                return _objects.tensordot(*args, **words)
            a, b = (numpy.asarray(one).reshape(-1) for one in args)
            return a.reshape(-1, 1) * b.reshape(1, -1)
        return plain(*args, **words)
    from numpy import _complex_functions

    return _complex_functions.call(name, plain, args, words)


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
