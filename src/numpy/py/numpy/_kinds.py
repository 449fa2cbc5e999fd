"""The dtype of text, and what `numpy.dtype` says of dtypes that attn does not have."""

from _numpy import dtype as _native

_ABSENT = (
    "uint16 uint32 uint64 u2 u4 u8 H I L Q P uint uintp uintc ushort ulonglong f16 g float128 longdouble c32 G complex256 "
    "clongdouble bytes bytes_ void object object_ O O8 datetime64 timedelta64"
).split()


class str_(str):
    """A text from an array."""

    __module__ = "numpy"

    def __new__(cls, *args):
        # As in NumPy's fixed widths, zeros at the end are no text.
        return str.__new__(cls, str(*args).rstrip("\0"))

    def item(self):
        return str(self)

    tolist = item


unicode_ = str_


class Kind:
    """The dtype of text of so many characters; 0 is any number of them."""

    __module__ = "numpy"
    kind = char = "U"
    type, hasobject = str_, False
    __class__ = property(lambda self: _native)

    def __init__(self, width):
        self.itemsize, self.str = 4 * width, f"<U{width}"
        self.name = f"str{32 * width}" if width else "str"

    def __repr__(self):
        return f"dtype('{self.str if self.itemsize else '<U'}')"

    def __str__(self):
        return self.str if self.itemsize else self.name

    def __eq__(self, other):
        try:
            return getattr(_native(other), "str", None) == self.str
        except (TypeError, NotImplementedError):
            return False

    def __hash__(self):
        return hash(self.str)

    def __reduce__(self):
        return _native, (self.str,)


def kind_of(spec, *args, **words):
    """The dtype that an object means. Errors: NumPy's; a dtype that attn does not have is named."""
    if isinstance(spec, _native):
        return spec
    if isinstance(getattr(spec, "dtype", None), _native):
        return spec.dtype
    if isinstance(spec, (list, tuple, dict)) or isinstance(spec, str) and "," in spec:
        raise NotImplementedError("structured arrays, whose elements have fields, are not part of attn's numpy")
    if not isinstance(spec, (str, type)):
        raise TypeError(f"Cannot interpret '{spec!r}' as a data type")
    text = spec if isinstance(spec, str) else spec.__name__
    code = text.lstrip("<=|")
    if code in ("str", "str_", "unicode", "U") or code[:1] == "U" and code[1:].isdigit():
        return Kind(int(code[1:]) if code[1:].isdigit() else 0)
    if isinstance(spec, type) or code in _ABSENT or code[:1] in ("S", "V", "M", "m", "a", ">"):
        raise NotImplementedError(
            f"dtype {text} is not part of attn's numpy: it has bool, int8 to int64, uint8, float16, float32, float64, "
            "complex64, complex128 and text"
        )
    raise TypeError(f"data type {text!r} not understood")
