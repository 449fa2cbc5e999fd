"""What functions do with text and Python objects, and products of complex numbers."""

import numpy
from _numpy import _own, ndarray as _native, dtype as _dtype


def call(name, *args, **words):
    """A native function, by its name, of such arguments or with such a dtype."""
    if name in _OWN:
        return _OWN[name](*args, **words)
    raise NotImplementedError(f"{name}() of text, objects or with such a dtype is not part of attn's numpy")


def of_text(name, *args, **words):
    """The same of lists that are no numbers; `NotImplemented` if there are none, or no such function takes them."""
    if name in _OWN and any(_has_other(one) for one in (*args, *words.values())):
        return _OWN[name](*args, **words)
    return NotImplemented


def product(name, at, *args):
    """A product of complex numbers, which is linear in both of its factors. `at` are their places, or that of both."""
    several = len(at) == 1
    factors = [numpy.asarray(one) for one in (args[at[0]] if several else args[:2])]
    if len(factors) != 2:
        raise NotImplementedError(f"{name}() of complex numbers is part of attn's numpy for two factors alone")
    a, b = factors

    def of(a, b):
        return getattr(numpy, name)(*((args[0], a, b) if several else (a, b, *args[2:])))

    real, imag = of(a.real, b.real) - of(a.imag, b.imag), of(a.real, b.imag) + of(a.imag, b.real)
    made = _own(numpy.stack([real, imag], axis=-1)._paired())
    return made if made.ndim else made[()]


def _has_other(data):
    """Whether there is something that is no number, as text."""
    if isinstance(data, (list, tuple)):
        return any(_has_other(one) for one in data)
    return not isinstance(data, (int, float, complex, _native, numpy.generic))


def _array(data, dtype=None, copy=True, ndmin=0):
    from numpy import _labels

    kind = None if dtype is None else _dtype(dtype)
    if type(data) is _labels.ndarray and kind is None:
        return data.copy() if copy else data
    if kind is not None and kind.kind not in "UO":
        return data.astype(kind) if type(data) is _labels.ndarray else NotImplemented
    made = _labels.array(data, kind)
    return made[(None,) * (ndmin - made.ndim)] if ndmin > made.ndim else made


def _filled(shape, value, dtype=None):
    from numpy import _labels

    shape = tuple(shape) if isinstance(shape, (tuple, list, _native)) else (shape,)
    one = numpy.asarray(value)
    kind = one.dtype if dtype is None else _dtype(dtype)
    made = _labels.filled(shape, one[()] if one.ndim == 0 else 0, kind)
    if one.ndim:
        made[...] = one
    return made


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


_OWN = {
    "array": lambda object, dtype=None, *, copy=True, order="K", ndmin=0: _array(object, dtype, copy, ndmin),
    "asarray": lambda a, dtype=None, order=None: _array(a, dtype, False),
    "astype": lambda a, dtype, casting="unsafe", copy=True: _array(a, dtype),
    "full": lambda shape, fill_value, dtype=None: _filled(shape, fill_value, dtype),
    "zeros": lambda shape, dtype=None, order="C": _filled(shape, 0, dtype),
    "empty": lambda shape, dtype=None, order="C": _filled(shape, None if _dtype(dtype).kind == "O" else 0, dtype),
    "sort": _sort, "isin": _isin, "where": _label("chosen"), "concatenate": _label("joined"),
    **{name: _method(name) for name in "argsort reshape transpose ravel repeat swapaxes squeeze".split()},
}
