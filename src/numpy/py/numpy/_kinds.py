"""`numpy.dtype`: the dtypes of numbers, of complex numbers and of text, and what it says of dtypes that attn does not have."""

import importlib

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


class dtype:
    """The dtype of the elements of an array."""

    __module__ = "numpy"

    def __new__(cls, spec=None, *args, **words):
        """The dtype that an object means. Errors: NumPy's; a dtype that attn does not have is named."""
        if isinstance(spec, dtype):
            return spec
        if isinstance(getattr(spec, "dtype", None), dtype):
            return spec.dtype
        if isinstance(spec, (list, tuple, dict)) or isinstance(spec, str) and "," in spec:
            raise NotImplementedError("structured arrays, whose elements have fields, are not part of attn's numpy")
        if not isinstance(spec, (str, type)) and spec is not None:
            raise TypeError(f"Cannot interpret '{spec!r}' as a data type")
        text = "float64" if spec is None else spec if isinstance(spec, str) else spec.__name__
        code = text.lstrip("<=|")
        if code in _DTYPES:
            return _DTYPES[code]
        if code in ("str", "str_", "unicode", "U") or code[:1] == "U" and code[1:].isdigit():
            return text_of(int(code[1:]) if code[1:].isdigit() else 0)
        if isinstance(spec, type) or code in _ABSENT or code[:1] in ("S", "V", "M", "m", "a", ">"):
            raise NotImplementedError(
                f"dtype {text} is not part of attn's numpy: it has bool, int8 to int64, uint8 to uint32, float16, float32, float64, "
                "complex64, complex128 and text"
            )
        raise TypeError(f"data type {text!r} not understood")

    def __repr__(self):
        return f"dtype('{self.name if self.kind != 'U' else self.str if self.itemsize else '<U'}')"

    def __str__(self):
        return self.str if self.kind == "U" and self.itemsize else self.name

    def __eq__(self, other):
        try:
            return other is not None and dtype(other).str == self.str
        except (TypeError, NotImplementedError):
            return False

    def __hash__(self):
        return hash(self.str)

    def __reduce__(self):
        return dtype, (self.str,)

    @property
    def type(self):
        """The class of the scalars."""
        import numpy

        return getattr(numpy, {"bool": "bool_"}.get(self.name, self.name)) if self.kind != "U" else str_


def _made(name, kind, char, itemsize):
    made = object.__new__(dtype)
    made.name, made.kind, made.char, made.itemsize = name, kind, char, itemsize
    made.str = f"{'|' if itemsize == 1 else '<'}{kind}{itemsize // 4 if kind == 'U' else itemsize}"
    return made


def text_of(width):
    """The dtype of text of so many characters; 0 is any number of them."""
    return _made(f"str{32 * width}" if width else "str", "U", "U", 4 * width)


# Names of Python's own classes, which the module had once.
_PYTHONS = "bool complex float int long object str unicode".split()
# Names, kind, character and size.
_ROWS = [
    ("bool bool_ bool8", "b", "?", 1), ("int8 byte", "i", "b", 1), ("uint8 ubyte", "u", "B", 1), ("int16 short", "i", "h", 2),
    ("uint16 ushort", "u", "H", 2), ("uint32 uintc", "u", "I", 4),
    ("int32 intc", "i", "i", 4), ("int64 int int_ long longlong intp q p", "i", "l", 8), ("float16 half", "f", "e", 2),
    ("float32 single", "f", "f", 4), ("float64 float float_ double", "f", "d", 8),
    ("complex64 csingle singlecomplex", "c", "F", 8), ("complex128 complex complex_ cfloat cdouble", "c", "D", 16),
]
_DTYPES = {}
for _names, *_facts in _ROWS:
    _own = _made(_names.split()[0], *_facts)
    _DTYPES.update(dict.fromkeys([*_names.split(), _own.char, _own.str.lstrip("<|")], _own))


def complex_of(spec):
    """The dtype of complex numbers that an object means; None where it means none."""
    if isinstance(spec, dtype):
        return spec if spec.kind == "c" else None
    name = spec if isinstance(spec, str) else spec.__name__ if isinstance(spec, type) else ""
    found = _DTYPES.get(name.lstrip("<=")) if len(name) > 1 else None
    return found if found is not None and found.kind == "c" else None


def part_of(kind):
    """The dtype of the parts of complex numbers."""
    return _DTYPES[f"float{4 * kind.itemsize}"]


def has_complex(data):
    """Whether an object, or an item of nested lists, is a complex number or an array of them."""
    if isinstance(data, (list, tuple)):
        return any(map(has_complex, data))
    return isinstance(data, complex) or getattr(getattr(data, "dtype", None), "kind", None) == "c"


def routine(how, name, *args, **words):
    """What a native function, by its name, computes of text or of complex numbers: a function of the module for them is asked."""
    is_complex = has_complex([*args, *words.values()]) or any(map(complex_of, [*args[1:], *words.values()]))
    home = importlib.import_module("numpy._complex" if is_complex else "numpy._labels")
    return getattr(home, how)(name, *args, **words)
