"""Dtypes that arrays of numbers do not have: complex numbers, text, bytes, objects, other byte orders, records.

Of these, attn has arrays of complex numbers, text and objects. The others are objects to ask: their names, their sizes,
what can be cast to them.
"""

import _numpy
from _numpy import dtype as _native

# name, character, kind, bytes, number
_ROWS = [
    ("uint16", "H", "u", 2, 4), ("uint32", "I", "u", 4, 6), ("uint64", "L", "u", 8, 8), ("complex64", "F", "c", 8, 14),
    ("complex128", "D", "c", 16, 15),
]
_SPELLINGS = {
    "complex": "complex128", "complex_": "complex128", "cfloat": "complex128", "cdouble": "complex128",
    "singlecomplex": "complex64", "csingle": "complex64", "uint": "uint64", "uintp": "uint64", "ulonglong": "uint64",
    "uintc": "uint32", "ushort": "uint16", "P": "uint64", "Q": "uint64",
}
_BY_CODE = {f"{kind}{size}": name for name, _, kind, size, _ in _ROWS}
_BY_CHARACTER = {char: name for name, char, _, _, _ in _ROWS}
_NATIVE_CODES = ("b1", "i1", "i2", "i4", "i8", "u1", "f2", "f4", "f8")


class Kind:
    """A dtype of one element: numbers, text (`U`), bytes (`S`), objects (`O`) or untyped memory (`V`)."""

    __module__ = "numpy"
    names = fields = subdtype = None
    shape, ndim, isbuiltin = (), 0, 1

    def __init__(self, kind, itemsize, name=None, char=None, num=None, order="="):
        self.kind, self.itemsize, self.char = kind, itemsize, char or kind
        self.num = {"O": 17, "S": 18, "U": 19, "V": 20}.get(kind, num)
        if order in ("<", "="):
            order = "="
        self.byteorder = "|" if kind in "SVO" or itemsize == 1 else order
        self.name = name or _sized_name(kind, itemsize)
        self.hasobject = kind == "O"

    @property
    def __class__(self):
        return _native

    @property
    def isnative(self):
        return self.byteorder != ">"

    @property
    def base(self):
        return self

    @property
    def alignment(self):
        return 1 if self.kind in "SV" else 4 if self.kind == "U" else self.itemsize // (2 if self.kind == "c" else 1)

    @property
    def str(self):
        if self.kind == "O":
            return "|O"
        order = "<" if self.byteorder == "=" else self.byteorder
        return f"{order}{self.kind}{self.itemsize // 4 if self.kind == 'U' else self.itemsize}"

    @property
    def type(self):
        import numpy

        if self.kind in "biufc":
            return getattr(numpy, self.name + ("_" if self.name == "bool" else ""))
        from numpy._dtype_classes import bytes_, object_, str_, void

        return {"O": object_, "U": str_, "S": bytes_, "V": void}[self.kind]

    def newbyteorder(self, new_order="S"):
        return in_order(self, new_order)

    def __repr__(self):
        return f"dtype({_quoted(self)})"

    def __str__(self):
        if self.kind in "SUV" and self.itemsize:
            return self.str
        return self.name if self.isnative else self.str

    def _key(self):
        return (self.str, None)

    def __eq__(self, other):
        try:
            other = _native(other)
        except (TypeError, NotImplementedError):
            return False
        return type(other) is type(self) and other._key() == self._key()

    def __hash__(self):
        return hash(self._key())

    def __lt__(self, other):
        return self != other and self <= other

    def __le__(self, other):
        return can_cast(self, _native(other), "safe")

    def __gt__(self, other):
        return _native(other) < self

    def __ge__(self, other):
        return _native(other) <= self

    def __reduce__(self):
        return _native, (self.str,)


class Record(Kind):
    """A structured dtype: fields with names, dtypes and places."""

    def __init__(self, rows, itemsize=None, base=None):
        import math

        self._rows, self._kind, place = [], base, 0
        for name, kind, shape, offset in rows:
            place = place if offset is None else offset
            self._rows.append((name, kind, shape, place))
            place += kind.itemsize * math.prod(shape)
        ends = [offset + kind.itemsize * math.prod(shape) for _, kind, shape, offset in self._rows]
        size = itemsize or (base.itemsize if base is not None else max(ends, default=0))
        Kind.__init__(self, "V", size)
        self.names = tuple(row[0] for row in self._rows)
        self.fields = {name: (_subarray(kind, shape), offset) for name, kind, shape, offset in self._rows}
        self.hasobject = any(kind.hasobject for _, kind, _, _ in self._rows)
        if base is not None:
            self.kind, self.char, self.name = base.kind, base.char, base.name

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, name):
        return self.fields[self.names[name] if isinstance(name, int) else name][0]

    def _key(self):
        return (self.itemsize, tuple((name, repr(kind), shape, offset) for name, kind, shape, offset in self._rows))

    def _list(self):
        """The list form; `None` where fields leave gaps."""
        import math

        parts, place = [], 0
        for name, kind, shape, offset in self._rows:
            if offset != place:
                return None
            place += kind.itemsize * math.prod(shape)
            inner = kind._list() if isinstance(kind, Record) and kind._list() else _code(kind)
            parts.append(f"('{name}', {inner}{', ' + repr(shape) if shape else ''})")
        return f"[{', '.join(parts)}]" if place == self.itemsize else None

    def __str__(self):
        made = self._list()
        if made is None:
            formats = ", ".join(_code(_subarray(kind, shape)) for _, kind, shape, _ in self._rows)
            offsets = [offset for _, _, _, offset in self._rows]
            made = f"{{'names': {list(self.names)!r}, 'formats': [{formats}], 'offsets': {offsets!r}, 'itemsize': {self.itemsize}}}"
        if self._kind is not None:
            return f"(numpy.{self._kind.name}, {made})"
        return made

    def __repr__(self):
        return f"dtype({self})"

    def __reduce__(self):
        return _native, ([(name, kind, shape) if shape else (name, kind) for name, kind, shape, _ in self._rows],)


class Subarray(Kind):
    """A dtype of small arrays: `('i4', (2, 3))`."""

    def __init__(self, base, shape):
        import math

        Kind.__init__(self, "V", base.itemsize * math.prod(shape))
        self._base, self.shape, self.ndim, self.subdtype = base, shape, len(shape), (base, shape)

    @property
    def base(self):
        return self._base

    def _key(self):
        return (repr(self._base), self.shape)

    def __str__(self):
        return f"({_code(self._base)}, {self.shape!r})"

    def __repr__(self):
        return f"dtype({self})"


def _sized_name(kind, itemsize):
    if kind == "O":
        return "object"
    return {"U": "str", "S": "bytes", "V": "void"}[kind] + (str(8 * itemsize) if itemsize else "")


def _code(kind):
    """The code of a dtype within another: `'<i2'`."""
    text = kind.str
    return str(kind) if isinstance(kind, (Record, Subarray)) else f"'{text[1:] if text[0] == '|' else text}'"


def _quoted(kind):
    if kind.kind in "biufc" and kind.isnative:
        return f"'{kind.name}'"
    text = "O" if kind.kind == "O" else kind.str
    return f"'{text[1:] if text[0] == '|' else text}'"


def _subarray(kind, shape):
    return Subarray(kind, shape) if shape else kind


def kind_of(spec, *args, **words):
    """The dtype that an object means. Errors: NumPy's."""
    if isinstance(spec, Kind):
        return in_order(spec, args[0]) if args and isinstance(args[0], str) else spec
    if isinstance(spec, _native):
        return in_order(spec, *args)
    if words.get("align") or args and args[0]:
        raise NotImplementedError("dtypes with align=True are not part of attn's numpy")
    if isinstance(spec, str):
        return _of_text(spec)
    if isinstance(spec, type):
        return _of_class(spec)
    if isinstance(spec, list):
        return Record([_field(one, at) for at, one in enumerate(spec)])
    if isinstance(spec, tuple):
        return _of_pair(spec)
    if isinstance(spec, dict):
        return _of_dict(spec)
    kind = getattr(spec, "dtype", None)
    if isinstance(kind, _native):
        return kind
    raise TypeError(f"Cannot interpret '{spec!r}' as a data type")


def _of_text(text):
    if "," in text:
        return Record([(f"f{at}", *_sized(part.strip()), None) for at, part in enumerate(_split(text))])
    name = _SPELLINGS.get(text, text)
    order, code = (name[0], name[1:]) if name[:1] in "<>=|" else ("=", name)
    code = _BY_CHARACTER.get(code, _BY_CODE.get(code, _SPELLINGS.get(code, code)))
    for row, char, kind, size, num in _ROWS:
        if code == row:
            return Kind(kind, size, row, char, num, order)
    if order == ">" and (code in _NATIVE_CODES or len(code) == 1):
        return in_order(_native(code), ">")
    if code[:1] in ("U", "S", "V", "a") and (code[1:].isdigit() or not code[1:]):
        kind = "S" if code[0] == "a" else code[0]
        return Kind(kind, int(code[1:] or 0) * (4 if kind == "U" else 1), order=order)
    if code in ("O", "object", "object_", "O8"):
        return Kind("O", 8)
    if code in ("str", "str_", "unicode", "bytes", "bytes_", "void"):
        return Kind({"b": "S", "v": "V"}.get(code[0], "U"), 0)
    if code[:1] in ("M", "m") or code.startswith(("datetime", "timedelta")):
        raise NotImplementedError(f"dtype {text} is not part of attn's numpy: it has no dates")
    if code in ("f16", "g", "float128", "longdouble", "c32", "G", "complex256", "clongdouble"):
        raise NotImplementedError(f"dtype {text} is not part of attn's numpy: its numbers have 64 bits at most")
    raise TypeError(f"data type {text!r} not understood")


def refuse_records(kind):
    """Raises for a dtype of records, of which there are no arrays."""
    if type(kind) is not _native and kind.kind == "V":
        raise NotImplementedError("structured arrays, whose elements have fields, are not part of attn's numpy")


def _split(text):
    parts, depth = [""], 0
    for one in text:
        depth += (one == "(") - (one == ")")
        if one == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += one
    return parts


def _sized(text):
    """`(2,3)f8` and `3i4` as a dtype and a shape."""
    import re

    found = re.fullmatch(r"\(([\d,\s]*)\)(.*)", text)
    if found:
        return _native(found[2]), tuple(int(one) for one in found[1].split(",") if one.strip())
    found = re.fullmatch(r"(\d+)([<>=|]?[a-zA-Z].*)", text)
    if found and int(found[1]) != 1:
        return _native(found[2]), (int(found[1]),)
    return _native(found[2] if found else text), ()


def _of_class(cls):
    name = cls.__name__
    if cls is complex:
        return _of_text("complex128")
    if cls in (str, bytes):
        return Kind("U" if cls is str else "S", 0)
    if cls is object:
        return Kind("O", 8)
    if cls.__module__ == "numpy":
        if name in ("uint16", "uint32", "uint64", "complex64", "complex128", "str_", "bytes_", "void", "object_"):
            return _of_text(name)
        if name in ("number", "inexact", "floating", "complexfloating", "generic", "integer", "signedinteger"):
            return _native({"complexfloating": "complex128"}.get(name, "int64" if "integer" in name else "float64"))
    return Kind("O", 8)


def _shape(size):
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)


def _field(one, at):
    if isinstance(one, str):
        raise TypeError("Field elements must be 2- or 3-tuples, got ''" + one + "''")
    name, spec, *rest = one
    name = name[0] if isinstance(name, tuple) else name or f"f{at}"
    kind, shape = _plain(_native(spec), rest)
    return name, kind, shape, None


def _plain(kind, rest=()):
    """A dtype without a shape, and its shape."""
    if rest:
        if kind.kind in "SUV" and kind.itemsize == 0:
            return Kind(kind.kind, rest[0] * (4 if kind.kind == "U" else 1)), ()
        return kind, _shape(rest[0])
    return kind.subdtype if kind.subdtype is not None else (kind, ())


def _of_pair(spec):
    if len(spec) != 2:
        raise TypeError(f"Cannot interpret '{spec!r}' as a data type")
    kind = _native(spec[0])
    if isinstance(spec[1], dict):
        inner = _of_dict(spec[1])
        return Record(inner._rows, base=kind)
    kind, shape = _plain(kind, (spec[1],))
    return _subarray(kind, shape) if shape != (1,) or isinstance(spec[1], tuple) else kind


def _of_dict(spec):
    if "names" not in spec:
        rows = sorted(((name, *_plain(_native(one[0])), one[1]) for name, one in spec.items()), key=lambda row: row[3])
        return Record(rows)
    offsets = spec.get("offsets") or [None] * len(spec["names"])
    kinds = [_plain(_native(one)) for one in spec["formats"]]
    return Record([(name, *kind, at) for name, kind, at in zip(spec["names"], kinds, offsets)], spec.get("itemsize"))


def in_order(kind, order="S"):
    """The same dtype in another byte order."""
    order = {"S": "swap", "swap": "swap", "s": "swap", "big": ">", "little": "<", "B": ">", "L": "<", "native": "=",
             "N": "=", "I": "|", "ignore": "|"}.get(order, order)
    if order == "|" or kind.byteorder == "|":
        return kind
    if order == "swap":
        order = "<" if kind.byteorder == ">" else ">"
    made = Kind(kind.kind, kind.itemsize, kind.name, kind.char, getattr(kind, "num", None), order)
    return made if order == ">" or kind.kind not in "biuf" or kind.name in _SPELLINGS.values() else _native(kind.name)


# What can be cast to what. Source: NumPy's tables of `numpy.can_cast` and `numpy.promote_types`.

_RANK = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4, "S": 5, "U": 6, "V": 7, "O": 8}


def _digits(kind):
    """How many characters a number needs as text."""
    if kind.kind == "b":
        return 5
    if kind.kind in "iu":
        return len(str(2 ** (8 * kind.itemsize))) if kind.kind == "u" else len(str(2 ** (8 * kind.itemsize - 1))) + 1
    return 64 if kind.kind == "c" else 32


def _number(kind):
    return kind.kind in "biufc" and kind.names is None


def _safe(a, b):
    if b.kind == "O":
        return True
    if isinstance(a, Record) or isinstance(b, Record):
        return a == b
    if _number(a) and _number(b):
        order = _RANK[a.kind], _RANK[b.kind]
        if a.kind == b.kind:
            return a.itemsize <= b.itemsize
        if order[0] > order[1]:
            return False
        if b.kind in "iu":
            return a.kind == "b" or b.kind == "i" and a.itemsize < b.itemsize
        size = b.itemsize // (2 if b.kind == "c" else 1)
        if a.kind == "f":
            return a.itemsize <= size
        return a.kind == "b" or (size >= 8 if a.itemsize >= 4 else size > a.itemsize)
    if _number(a) and b.kind in "SU":
        width = b.itemsize // (4 if b.kind == "U" else 1)
        return not width or width >= _digits(a)
    if a.kind in "SU" and b.kind in "SU":
        wide = [one.itemsize // (4 if one.kind == "U" else 1) for one in (a, b)]
        return _RANK[a.kind] <= _RANK[b.kind] and (not wide[1] or wide[0] <= wide[1])
    return b.kind == "V" and (not b.itemsize or a.itemsize <= b.itemsize)


def can_cast(from_, to, casting):
    """Whether a dtype can be cast to another by this rule."""
    if casting == "unsafe":
        return True
    same = from_.kind == to.kind and from_.itemsize == to.itemsize and from_.names == to.names
    if casting in ("no", "equiv"):
        return same and (casting == "equiv" or from_.isnative == to.isnative)
    if _safe(from_, to):
        return True
    if casting == "safe":
        return False
    # Of the same kind, or of one that comes before: a signed number is none before an unsigned one.
    return _RANK[from_.kind] <= _RANK[to.kind]


def promote(a, b):
    """The smallest dtype that both can be cast to safely."""
    if a == b:
        return in_order(a, "=")
    if isinstance(a, Record) or isinstance(b, Record):
        raise TypeError(f"The DTypes {a!r} and {b!r} do not have a common DType.")
    if "O" in (a.kind, b.kind):
        return Kind("O", 8)
    if _number(a) and _number(b):
        if "c" in (a.kind, b.kind):
            sizes = [_float_size(one) for one in (a, b)]
            return _native("complex128" if max(sizes) > 4 else "complex64")
        if a.kind == b.kind:
            return in_order(a if a.itemsize >= b.itemsize else b, "=")
        if "b" in (a.kind, b.kind):
            return in_order(a if b.kind == "b" else b, "=")
        if "f" in (a.kind, b.kind):
            size = max(_float_size(one, 2) for one in (a, b))
            return _native(f"f{size}")
        u, i = (a, b) if a.kind == "u" else (b, a)
        if u.itemsize < i.itemsize:
            return in_order(i, "=")
        return _native("f8" if u.itemsize == 8 else f"i{2 * u.itemsize}")
    text = "U" if "U" in (a.kind, b.kind) else "S"
    if {a.kind, b.kind} <= set("biufcSU"):
        wide = [_digits(one) if _number(one) else one.itemsize // (4 if one.kind == "U" else 1) for one in (a, b)]
        return Kind(text, max(wide) * (4 if text == "U" else 1))
    if a.kind == b.kind == "V":
        return a if a.itemsize >= b.itemsize else b
    raise TypeError(f"The DTypes {a!r} and {b!r} do not have a common DType.")


def _float_size(kind, least=4):
    """The bytes of the float in which a dtype's numbers are exact."""
    if kind.kind == "c":
        return kind.itemsize // 2
    if kind.kind == "f":
        return max(kind.itemsize, least)
    return max(least, 8 if kind.itemsize >= 4 else 2 * kind.itemsize)
