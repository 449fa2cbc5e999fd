"""What functions do with other arguments than arrays of real numbers: complex numbers, text and Python objects."""

import numpy
import _numpy
from _numpy import ndarray as _native, dtype as _dtype


def call(name, *args, **words):
    """A native function, by its name, of such arguments or with such a dtype."""
    from numpy import _complex

    if name in _OWN and (name in _MADE or not _has_complex(args, words)):
        return _OWN[name](*args, **words)
    if name in _STACKED:
        return _complex._joined(getattr(numpy, name), name, args, words)
    if _has_complex(args, words):
        return _complex.call(name, getattr(numpy, name, None), args, words)
    raise NotImplementedError(f"{name}() of text, objects or with such a dtype is not part of attn's numpy")


def of_text(name, *args, **words):
    """The same of lists that are no numbers; `NotImplemented` if there are none, or no such function takes them."""
    if name in _OWN and any(_has_other(one) for one in (*args, *words.values())):
        return _OWN[name](*args, **words)
    return NotImplemented


def aware(name, plain):
    """A function in Python, which takes complex numbers too."""

    def call(*args, **words):
        if _numpy._has_foreign(args) or words and _numpy._has_foreign(tuple(words.values())):
            from numpy import _complex

            if _has_complex(args, words):
                return _complex.call(name, plain, args, words)
        return plain(*args, **words)

    # As functools.wraps, which takes longer to import than numpy.
    for word in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(call, word, getattr(plain, word))
    call.__wrapped__ = plain
    return call


def _has_complex(args, words):
    from numpy import _complex

    return any(_complex.has_complex(one) for one in (*args, *words.values()))


def _has_other(data):
    """Whether there is something that is no number, as text."""
    if isinstance(data, (list, tuple)):
        return any(_has_other(one) for one in data)
    return not isinstance(data, (int, float, complex, _native, numpy.generic))


def _array(data, dtype=None, copy=True, ndmin=0):
    from numpy import _complex, _labels

    kind = None if dtype is None else _dtype(dtype)
    if type(data) is _labels.ndarray and kind is None:
        return data.copy() if copy else data
    if kind is not None and kind.kind == "c" or _complex.has_complex(data) and (
        kind.kind in "biuf" if kind else not _has_other(data)
    ):
        made = _complex.array(data, kind, copy)
    elif kind is not None and kind.kind not in "UO":
        return NotImplemented
    else:
        made = _labels.array(data, kind)
    return made[(None,) * (ndmin - made.ndim)] if ndmin > made.ndim else made


def _filled(shape, value, dtype=None):
    from numpy import _complex, _labels

    shape = tuple(shape) if isinstance(shape, (tuple, list, _native)) else (shape,)
    one = numpy.asarray(value)
    kind = one.dtype if dtype is None else _dtype(dtype)
    first = one[()] if one.ndim == 0 else 0
    made = (_complex if kind.kind == "c" else _labels).filled(shape, first, kind)
    if one.ndim:
        made[...] = one
    return made


def _of_one(value):
    """`zeros`, `ones` and `empty`, which has `None` in arrays of objects."""
    return lambda shape, dtype=None, order="C": _filled(shape, value if value is not None or _dtype(dtype).kind == "O" else 0, dtype)


def _like(value):
    def make(a, dtype=None, shape=None):
        a = numpy.asarray(a)
        return _of_one(value)(a.shape if shape is None else shape, dtype or a.dtype)

    return make


def _converted(name):
    """Computed as numbers, and then converted."""
    return lambda *args, dtype, **words: getattr(numpy, name)(*args, **words).astype(dtype)


def _method(name):
    """The method of an array of text or objects."""
    return lambda a, *args, **words: getattr(numpy.asarray(a), name)(*args, **words)


def _sort(a, axis=-1, kind=None):
    made = numpy.array(a)
    made.sort()
    return made


def _label(name):
    def function(*args, **words):
        from numpy import _labels

        return getattr(_labels, name)(*args, **words)

    return function


def _isin(element, test_elements, assume_unique=False, invert=False):
    element, known = numpy.asarray(element), numpy.asarray(test_elements).ravel().tolist()
    found = [(one in known) != bool(invert) for one in element.ravel().tolist()]
    return numpy.array(found, "bool").reshape(element.shape)


_STACKED = ("vstack", "hstack", "column_stack")
# Functions that make arrays, also of complex numbers.
_MADE = {
    "array": lambda object, dtype=None, *, copy=True, order="K", ndmin=0: _array(object, dtype, copy, ndmin),
    "asarray": lambda a, dtype=None, order=None: _array(a, dtype, False),
    "ascontiguousarray": lambda a, dtype=None: _array(a, dtype, False),
    "copy": lambda a, order="K": _array(a),
    "astype": lambda a, dtype, casting="unsafe", copy=True: _array(a, dtype),
    "full": lambda shape, value, dtype=None: _filled(shape, value, dtype),
    "full_like": lambda a, value, dtype=None: _filled(numpy.shape(a), value, dtype or numpy.asarray(a).dtype),
    "zeros": _of_one(0), "ones": _of_one(1), "empty": _of_one(None),
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(None),
    **{name: _converted(name) for name in ("arange", "eye", "identity", "linspace")},
    "shape": lambda a: numpy.asarray(a).shape, "ndim": lambda a: numpy.asarray(a).ndim,
    "size": lambda a, axis=None: numpy.asarray(a).size if axis is None else numpy.asarray(a).shape[axis],
}
_OWN = {
    **_MADE, "sort": _sort, "isin": _isin, "where": _label("chosen"), "concatenate": _label("joined"),
    **{name: _method(name) for name in "argsort reshape transpose squeeze ravel repeat take".split()},
}
