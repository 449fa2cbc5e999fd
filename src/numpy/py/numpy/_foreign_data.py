"""Whether data is complex numbers or Python objects, and arrays of one such value."""

import numpy
from _numpy import ndarray as _native, dtype as _dtype
from numpy import _complex


def has_complex(value):
    """Whether there is a complex number in nested lists, or a complex array among these."""
    if isinstance(value, complex) or type(value) is _complex.ndarray:
        return True
    return isinstance(value, (list, tuple)) and any(has_complex(one) for one in value)


def is_complex(data, dtype):
    """Whether an array of this data is one of complex numbers."""
    if dtype is not None:
        kind = _dtype(dtype).kind
        return kind == "c" or kind in "biuf" and has_complex(data)
    return has_complex(data) and not _has_other(data)


def _has_other(data):
    """Whether there is something that is no number, as text."""
    if isinstance(data, (list, tuple)):
        return any(_has_other(one) for one in data)
    return not isinstance(data, (int, float, complex, _native, numpy.generic))


def filled(shape, value, dtype):
    """An array of one complex number or one object; `None` where it is neither."""
    kind = None if dtype is None else _dtype(dtype)
    if kind is not None and kind.kind == "c" or kind is None and isinstance(value, complex):
        return _complex.filled(shape, value, kind or "complex128", "C")
    if kind is not None:
        from numpy import _kinds

        _kinds.refuse_records(kind)
    if kind is not None and kind.kind in "OU":
        from numpy import _objects

        return _objects.filled(shape, value, kind)
    return None
