"""The dtypes of text and of complex numbers, and what `numpy.dtype` says of dtypes that attn does not have."""

import importlib

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


# The dtypes of complex numbers, and those of their parts.
_PARTS = {
    **dict.fromkeys(("complex64", "c8", "csingle", "singlecomplex"), "float32"),
    **dict.fromkeys(("complex128", "c16", "complex", "complex_", "cfloat", "cdouble"), "float64"),
}


class ComplexKind(Kind):
    """The dtype of complex numbers whose parts have this dtype."""

    kind = "c"

    def __init__(self, part):
        self.part, self.itemsize = part, 2 * part.itemsize
        self.str, self.name, self.char = f"<c{self.itemsize}", f"complex{8 * self.itemsize}", {4: "F", 8: "D"}[part.itemsize]

    @property
    def type(self):
        import numpy

        return getattr(numpy, self.name)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name


def complex_kind(spec):
    """The dtype of complex numbers that an object means; None where it means none."""
    if type(spec) is ComplexKind:
        return spec
    name = spec if isinstance(spec, str) else spec.__name__ if isinstance(spec, type) else ""
    part = _PARTS.get(name.lstrip("<="))
    return ComplexKind(_native(part)) if part else None


def has_complex(data):
    """Whether an object, or an item of nested lists, is a complex number or an array of them."""
    if isinstance(data, (list, tuple)):
        return any(map(has_complex, data))
    return isinstance(data, complex) or type(getattr(data, "dtype", None)) is ComplexKind


def routine(how, name, *args, **words):
    """What a native function, by its name, computes of text or of complex numbers: a function of the module for them is asked."""
    is_complex = has_complex([*args, *words.values()]) or any(map(complex_kind, [*args[1:], *words.values()]))
    home = importlib.import_module("numpy._complex" if is_complex else "numpy._labels")
    return getattr(home, how)(name, *args, **words)


def kind_of(spec, *args, **words):
    """The dtype that an object means. Errors: NumPy's; a dtype that attn does not have is named."""
    if isinstance(spec, _native):
        return spec
    if isinstance(getattr(spec, "dtype", None), _native):
        return spec.dtype
    if isinstance(spec, (list, tuple, dict)) or isinstance(spec, str) and "," in spec:
        raise NotImplementedError("structured arrays, whose elements have fields, are not part of attn's numpy")
    if complex_kind(spec) is not None:
        return complex_kind(spec)
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
