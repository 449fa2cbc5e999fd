"""What native functions do with other arguments than arrays of numbers: complex numbers, text and Python objects."""

import numpy
from _numpy import dtype as _dtype, ndarray as _native
from numpy._foreign_data import _has_other, filled, has_complex, is_complex


def call(name, *args, **words):
    """A function, by its name, of such arguments or with such a dtype."""
    if name not in _MADE and (any(has_complex(one) for one in args) or any(has_complex(one) for one in words.values())):
        if name in _STACKED:
            return _stacked(name, *args, **words)
        from numpy import _complex_functions

        return _complex_functions.call(name, getattr(numpy, name), args, words)
    if name not in _OWN:
        raise NotImplementedError(f"{name}() of text, objects or with such a dtype is not part of attn's numpy")
    return _OWN[name](*args, **words)


def of_text(name, *args, **words):
    """The same of lists that are no numbers; `NotImplemented` if there are none, or no such function takes them."""
    if name in _OWN and any(_has_other(one) for one in (*args, *words.values())):
        return _OWN[name](*args, **words)
    return NotImplemented


def _array(object, dtype=None, order=None, copy=True, ndmin=0):
    from numpy import _complex, _kinds, _objects

    if type(object) is _objects.ndarray and dtype is None:
        return object.copy() if copy else object
    if is_complex(object, dtype):
        made = _complex.array(object, dtype, copy)
    else:
        if dtype is not None:
            _kinds.refuse_records(_dtype(dtype))
        if dtype is not None and not _objects.wanted(dtype):
            return NotImplemented
        made = _objects.array(object, dtype)
    return made[(None,) * (ndmin - made.ndim)] if ndmin > made.ndim else made


def _full(shape, value, dtype=None, order="C"):
    one = numpy.asarray(value)
    if one.ndim == 0:
        made = filled(_sizes(shape), one[()], one.dtype if dtype is None and one.dtype.kind in "OU" else dtype)
    else:
        made = filled(_sizes(shape), 0, dtype or one.dtype)
        made[...] = one
    if made is None:
        raise TypeError(f"data type {dtype!r} not understood")
    return made


def _sizes(shape):
    return tuple(shape) if isinstance(shape, (tuple, list, _native)) else (shape,)


def _of_one(value):
    def make(shape, dtype=None, order="C"):
        return _full(shape, None if value is None and _dtype(dtype).kind == "O" else value or 0, dtype)

    return make


def _like(value):
    def make(a, dtype=None, shape=None):
        a = numpy.asarray(a)
        return _of_one(value)(a.shape if shape is None else shape, dtype or a.dtype)

    return make


def _converted(name):
    """Computed as numbers, and then converted."""

    def make(*args, dtype, **words):
        return getattr(numpy, name)(*args, **words).astype(dtype)

    return make


def _astype(a, dtype, casting="unsafe", copy=True):
    from numpy import _complex, _kinds, _objects

    kind = _dtype(dtype)
    if kind.kind == "c":
        return _complex.array(a, kind)
    if kind.kind in "OU":
        return _objects.of_numbers(a, kind)
    _kinds.refuse_records(kind)


def _method(name):
    """The method of an array of text or objects."""

    def function(a, *args, **words):
        return getattr(numpy.asarray(a), name)(*args, **words)

    return function


def _sort(a, axis=-1, kind=None):
    made = numpy.array(a)
    made.sort()
    return made


def _concatenate(arrays, axis=0, out=None, *, dtype=None):
    from numpy import _objects

    return _objects.joined([numpy.asarray(one) for one in arrays], axis)


def _where(condition, x, y):
    from numpy import _objects

    return _objects.chosen(numpy.asarray(condition), x, y)


def _isin(element, test_elements, assume_unique=False, invert=False):
    element, known = numpy.asarray(element), numpy.asarray(test_elements).ravel().tolist()
    known = known if any(one.__hash__ is None for one in known) else set(known)
    found = [(one in known) != bool(invert) for one in element.ravel().tolist()]
    return numpy.array(found, "bool").reshape(element.shape)


def _stacked(name, arrays, **words):
    """Arrays of complex numbers joined by their parts."""
    from numpy._complex_parts import _paired

    arrays = [numpy.asarray(one) for one in arrays]
    return _paired(*(getattr(numpy, name)([getattr(one, part) for one in arrays]) for part in ("real", "imag")))


_STACKED = ("vstack", "hstack", "column_stack")
# Functions that make arrays, also of complex numbers.
_MADE = {
    "array": lambda object, dtype=None, *, copy=True, order="K", ndmin=0: _array(object, dtype, order, copy, ndmin),
    "asarray": lambda a, dtype=None, order=None: _array(a, dtype, order, False),
    "asanyarray": lambda a, dtype=None, order=None: _array(a, dtype, order, False),
    "ascontiguousarray": lambda a, dtype=None: _array(a, dtype, None, False),
    "copy": lambda a, order="K": _array(a),
    "full": _full, "zeros": _of_one(0), "ones": _of_one(1), "empty": _of_one(None),
    "full_like": lambda a, value, dtype=None: _full(numpy.asarray(a).shape, value, dtype or numpy.asarray(a).dtype),
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(None), "astype": _astype,
    **{name: _converted(name) for name in ("arange", "eye", "identity", "linspace")},
}
_OWN = {
    **_MADE, "sort": _sort, "concatenate": _concatenate, "where": _where, "isin": _isin,
    "shape": lambda a: numpy.asarray(a).shape, "ndim": lambda a: numpy.asarray(a).ndim,
    "size": lambda a, axis=None: numpy.asarray(a).size if axis is None else numpy.asarray(a).shape[axis],
    **{name: _method(name) for name in "argsort reshape transpose squeeze ravel repeat take".split()},
}
