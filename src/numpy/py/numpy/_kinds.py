"""Dtypes that arrays of numbers do not have: those of text and of objects."""

from _numpy import dtype as _native

_ABSENT = (
    "uint16 uint32 uint64 u2 u4 u8 H I L Q P uint uintp uintc ushort ulonglong f16 g float128 longdouble c32 G complex256 "
    "clongdouble bytes bytes_ void"
).split()


class Kind:
    """The dtype of text (`U`) or of objects (`O`)."""

    __module__ = "numpy"
    def __init__(self, kind, itemsize):
        self.kind = self.char = kind
        self.itemsize, self.hasobject = itemsize, kind == "O"
        self.name = "object" if kind == "O" else "str" + (str(8 * itemsize) if itemsize else "")

    @property
    def __class__(self):
        return _native

    @property
    def str(self):
        return "|O" if self.kind == "O" else f"<U{self.itemsize // 4}"

    @property
    def type(self):
        from numpy._dtype_classes import object_, str_

        return object_ if self.kind == "O" else str_

    def __repr__(self):
        return f"dtype('{self.str.strip('|').removesuffix('0' * (not self.itemsize))}')"

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
    if cls in (str, object, bytes) or cls.__module__ == "numpy" and name in ("str_", "bytes_", "object_"):
        return _of_text(name)
    if cls.__module__ == "numpy" and name in (
        "number", "inexact", "floating", "generic", "integer", "signedinteger", "complexfloating"
    ):
        return _native("int64" if "integer" in name else "complex128" if "complex" in name else "float64")
    return Kind("O", 8)
