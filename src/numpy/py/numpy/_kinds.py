"""Dtypes that arrays of real numbers do not have: those of complex numbers, of text and of objects."""

import _numpy
from _numpy import dtype as _native

_COMPLEX = {
    "complex64": (8, "F", 14), "complex128": (16, "D", 15), "c8": (8, "F", 14), "c16": (16, "D", 15),
    "F": (8, "F", 14), "D": (16, "D", 15), "complex": (16, "D", 15), "complex_": (16, "D", 15),
    "cfloat": (16, "D", 15), "cdouble": (16, "D", 15), "csingle": (8, "F", 14), "singlecomplex": (8, "F", 14),
}
_ABSENT = (
    "uint16 uint32 uint64 u2 u4 u8 H I L Q P uint uintp uintc ushort ulonglong f16 g float128 longdouble c32 G complex256 "
    "clongdouble bytes bytes_ void"
).split()


class Kind:
    """The dtype of complex numbers (`c`), of text (`U`) or of objects (`O`)."""

    __module__ = "numpy"
    names = fields = subdtype = None
    shape, ndim, isbuiltin, isnative = (), 0, 1, True

    def __init__(self, kind, itemsize, char=None, num=None):
        self.kind, self.itemsize, self.char = kind, itemsize, char or kind
        self.num = num or {"O": 17, "U": 19}[kind]
        self.byteorder = "|" if kind == "O" else "="
        self.hasobject = kind == "O"
        bits = str(8 * itemsize) if itemsize else ""
        self.name = "object" if kind == "O" else {"c": "complex", "U": "str"}[kind] + bits

    @property
    def __class__(self):
        return _native

    @property
    def base(self):
        return self

    @property
    def str(self):
        if self.kind == "O":
            return "|O"
        return f"<{self.kind}{self.itemsize // 4 if self.kind == 'U' else self.itemsize}"

    @property
    def type(self):
        import numpy
        from numpy._dtype_classes import object_, str_

        return {"O": object_, "U": str_}.get(self.kind) or getattr(numpy, self.name)

    def __repr__(self):
        return f"dtype('{self.name if self.kind == 'c' else self.str.strip('|').removesuffix('0' * (not self.itemsize))}')"

    def __str__(self):
        return self.str if self.kind == "U" and self.itemsize else self.name

    def __eq__(self, other):
        try:
            other = _native(other)
        except (TypeError, NotImplementedError):
            return False
        return type(other) is Kind and other.str == self.str

    def __hash__(self):
        return hash(self.str)

    def __reduce__(self):
        return _native, (self.str,)


def kind_of(spec, *args, **words):
    """The dtype that an object means. Errors: NumPy's; a dtype that attn does not have is named."""
    if isinstance(spec, _native):
        return spec
    if isinstance(spec, (list, tuple, dict)) or isinstance(spec, str) and "," in spec:
        raise NotImplementedError("structured arrays, whose elements have fields, are not part of attn's numpy")
    if isinstance(spec, type):
        return _of_class(spec)
    if isinstance(spec, str):
        return _of_text(spec)
    if isinstance(getattr(spec, "dtype", None), _native):
        return spec.dtype
    raise TypeError(f"Cannot interpret '{spec!r}' as a data type")


def _of_text(text):
    code = text.lstrip("<=|")
    if code in _COMPLEX:
        itemsize, char, num = _COMPLEX[code]
        return Kind("c", itemsize, char, num)
    if code[:1] == "U" and (code[1:].isdigit() or not code[1:]):
        return Kind("U", 4 * int(code[1:] or 0))
    if code in ("str", "str_", "unicode"):
        return Kind("U", 0)
    if code in ("O", "object", "object_", "O8"):
        return Kind("O", 8)
    if code in _ABSENT or code[:1] in ("S", "V", "M", "m", "a", ">") or code.startswith(("datetime", "timedelta")):
        raise NotImplementedError(
            f"dtype {text} is not part of attn's numpy: it has bool, int8 to int64, uint8, float16, float32, float64, "
            "complex64, complex128, text and objects"
        )
    raise TypeError(f"data type {text!r} not understood")


def _of_class(cls):
    name = cls.__name__
    if cls in (complex, str, object):
        return _of_text(name)
    if cls is bytes or cls.__module__ == "numpy" and name in ("complex64", "complex128", "str_", "bytes_", "object_"):
        return _of_text(name)
    if cls.__module__ == "numpy" and name in ("number", "inexact", "floating", "generic", "integer", "signedinteger"):
        return _native("int64" if "integer" in name else "float64")
    return Kind("O", 8)


# What can be cast to what. Source: NumPy's tables of `numpy.can_cast` and `numpy.promote_types`.

_RANK = "biufcUO"


def _rank(kind):
    return _RANK.index("i" if kind.kind == "u" else kind.kind)


def can_cast(a, b, casting="safe"):
    """Whether one of these dtypes, of which one is none of real numbers, can be cast to the other."""
    if casting == "unsafe" or a == b:
        return True
    if casting in ("no", "equiv"):
        return False
    if b.kind == "c" and a.kind in "biufc":
        return casting == "same_kind" or promote(a, b) == b
    return b.kind in "UO" and _rank(a) <= _rank(b)


def promote(a, b):
    """The smallest dtype that both can be cast to, of two of which one is none of real numbers."""
    if _rank(a) > _rank(b):
        a, b = b, a
    if b.kind == "O":
        return b
    if b.kind == "U":
        digits = {"b": 5, "f": 32, "c": 64}.get(a.kind) or {1: 4, 2: 6, 4: 11}.get(a.itemsize, 21)
        return b if a.kind == "U" and a.itemsize <= b.itemsize else Kind("U", max(b.itemsize, a.itemsize if a.kind == "U" else 4 * digits))
    is_wide = a.itemsize == 16 or a.kind == "f" and a.itemsize == 8 or a.kind in "iu" and a.itemsize >= 4
    return _of_text("complex128") if is_wide or b.itemsize == 16 else b


def common(values):
    """`numpy.result_type` where one of these is none of real numbers: numbers do not widen arrays of floats."""
    import numpy

    arrays, numbers = [], []
    for one in values:
        is_number = isinstance(one, (int, float, complex)) or isinstance(one, numpy.generic)
        if is_number or isinstance(one, _numpy.ndarray) and not one.ndim:
            numbers.append(numpy.asarray(one).dtype)
        else:
            arrays.append(one.dtype if isinstance(one, _numpy.ndarray) else _native(one))
    if any(one.kind in "fc" for one in arrays):
        wide = any(one.itemsize == (16 if one.kind == "c" else 8) or one.kind in "iu" and one.itemsize > 2 for one in arrays)
        return _of_text("complex128" if wide else "complex64")
    made, *rest = arrays + numbers
    for one in rest:
        made = numpy.promote_types(made, one)
    return made
