"""Arrays of text and of Python objects: lists in rows, with NumPy's shapes, indices and text.

They have no numbers, so no kernel works on them: what is here is what labels and tokens need.
"""

import math

import numpy
from _numpy import _axes, ndarray as _numbers
from numpy import _kinds
from numpy._dtype_classes import object_, str_
from numpy._methods import _module

_WIDTH = 75


def Kind(text):
    """The dtype of text (`<U5`, as wide as its longest text) or of objects (`|O`)."""
    return _kinds.Kind("O", 8) if text == "|O" else _kinds.Kind("U", 4 * int(text[2:]))


_OBJECT = Kind("|O")
_ROOM = {bool: 5, int: 21, float: 32}


def wanted(dtype):
    """Whether a dtype asks for text or objects."""
    if isinstance(dtype, _kinds.Kind) and dtype.kind in "OU" or dtype in (object, object_, str, str_):
        return True
    return isinstance(dtype, str) and (dtype in ("object", "O", "str", "U") or dtype.lstrip("<>=").startswith("U"))


def filled(shape, value, kind):
    """An array of one text or object: `None` and no text where NumPy's `empty` has them."""
    if kind.kind == "U":
        return ndarray(["" if value == 0 else str(value)] * math.prod(shape), shape, kind if kind.itemsize else Kind("<U1"))
    return ndarray([value] * math.prod(shape), shape, _OBJECT)


class ndarray:
    """An array of text or of objects. It copies where NumPy would make a view, but for `reshape` and `ravel` of all."""

    __module__ = "numpy"
    __array_priority__ = 1000
    base = None

    def __init__(self, items, shape, kind=None):
        self._items, self.shape = items, tuple(shape)
        if kind is None:
            kind = Kind(f"<U{max([len(one) for one in items], default=0) or 1}")
        self.dtype = kind
        if kind.kind == "U":
            width = int(kind.str[2:])
            self._items = [str_(str(one)[:width]) for one in items]

    @property
    def __class__(self):
        return _numbers

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: len(self._items))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.itemsize * self.size)
    flat = property(lambda self: iter(self._items))

    def _like(self, items, shape):
        return ndarray(items, shape, self.dtype)

    @property
    def T(self):
        return self.transpose()

    def transpose(self, *axes):
        places = numpy.arange(self.size).reshape(self.shape).transpose(*axes)
        return self._like([self._items[at] for at in places.reshape(-1).tolist()], places.shape)

    def reshape(self, *shape, order="C"):
        places = numpy.arange(self.size).reshape(*shape)
        return self._like(self._items, places.shape)

    def ravel(self, order="C"):
        return self._like(self._items, (self.size,))

    def flatten(self, order="C"):
        return self._like(list(self._items), (self.size,))

    def copy(self, order="C"):
        return self._like(list(self._items), self.shape)

    __copy__ = copy

    def squeeze(self, axis=None):
        return self.reshape(numpy.empty(self.shape).squeeze(axis).shape)

    def repeat(self, repeats, axis=None):
        return self._taken(numpy.arange(self.size).reshape(self.shape).repeat(repeats, axis))

    def take(self, indices, axis=None):
        return self._taken(numpy.arange(self.size).reshape(self.shape).take(indices, axis))

    def _taken(self, places):
        return self._like([self._items[at] for at in places.reshape(-1).tolist()], places.shape)

    def tolist(self):
        plain = [str(one) for one in self._items] if self.dtype.kind == "U" else self._items
        return _nested(plain, self.shape)

    def item(self, *at):
        if not at and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        one = self[at] if len(at) > 1 else self._items[at[0] if at else 0]
        return str(one) if self.dtype.kind == "U" else one

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        if dtype in (str, str_, "str", "U"):
            return ndarray([str(one) for one in self._items], self.shape)
        if wanted(dtype):
            return array(self, dtype)
        convert = {"f": float, "i": int, "u": int, "b": bool}[numpy.dtype(dtype).kind]
        return numpy.array([convert(one) for one in self._items], dtype).reshape(self.shape)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self._items[0])

    def __contains__(self, value):
        return value in self._items

    def _places(self, key):
        if isinstance(key, tuple):
            key = tuple(numpy.asarray(one) if isinstance(one, list) else one for one in key)
        return numpy.arange(self.size).reshape(self.shape)[key]

    def __getitem__(self, key):
        places = self._places(key)
        if not isinstance(places, _numbers):
            return self._items[int(places)]
        return self._taken(places)

    def __setitem__(self, key, value):
        places = numpy.asarray(self._places(key)).reshape(-1).tolist()
        # Several places take what an array without dimensions contains; one place takes the array.
        if isinstance(value, _numbers) and value.ndim == 0 and isinstance(self._places(key), _numbers):
            value = value.item()
        is_one = self.dtype.kind == "O" and self.ndim == 1 and len(places) == 1
        is_many = isinstance(value, (list, tuple)) or isinstance(value, _numbers) and value.ndim > 0
        if is_many and not is_one:
            values = list(value)
        else:
            values = [value]
        if len(values) == 1:
            values = values * len(places)
        if len(values) != len(places):
            raise ValueError(f"could not broadcast input array from shape ({len(values)},) into shape ({len(places)},)")
        for at, one in zip(places, values):
            self._items[at] = str_(str(one)[: int(self.dtype.str[2:])]) if self.dtype.kind == "U" else one

    def _compared(self, other, compare):
        """Truth values of each pair of elements, after broadcasting."""
        if not isinstance(other, (list, tuple, _numbers)):
            return numpy.array([bool(compare(one, other)) for one in self._items], "bool").reshape(self.shape)
        other = other if type(other) is ndarray else array(other, object)
        shape = numpy.broadcast_shapes(self.shape, other.shape)
        mine, theirs = (
            numpy.broadcast_to(numpy.arange(one.size).reshape(one.shape), shape).reshape(-1).tolist()
            for one in (self, other)
        )
        found = [bool(compare(self._items[a], other._items[b])) for a, b in zip(mine, theirs)]
        return numpy.array(found, "bool").reshape(shape)

    def __eq__(self, other):
        return self._compared(other, lambda a, b: a == b)

    def __ne__(self, other):
        return self._compared(other, lambda a, b: a != b)

    def __lt__(self, other):
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compared(other, lambda a, b: a >= b)

    __hash__ = None

    def _ranked(self):
        return sorted(range(self.size), key=lambda at: self._items[at])

    def argsort(self, axis=-1, kind=None, order=None):
        self._one_dimension("argsort")
        return numpy.array(self._ranked(), dtype="int64")

    def sort(self, axis=-1, kind=None, order=None):
        self._one_dimension("sort")
        self._items[:] = sorted(self._items)

    def _one_dimension(self, what):
        if self.ndim != 1:
            raise NotImplementedError(f"{what}() of text in several dimensions is not part of attn's numpy")

    def fill(self, value):
        if self.dtype.kind == "U":
            self[...] = value
        else:
            self._items[:] = [value] * self.size

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"{name} of an array of text or objects is not part of attn's numpy")

    def __array_ufunc__(self, ufunc, method, *inputs, **words):
        return _module("_foreign").call(ufunc.__name__, *inputs, **words)

    def _operator(name, is_reflected=False):
        return lambda self, other: elementwise(name, (other, self) if is_reflected else (self, other))

    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", True)
    __floordiv__, __mod__, __pow__ = _operator("floor_divide"), _operator("remainder"), _operator("power")

    def __neg__(self):
        return elementwise("negative", (self,))

    def __matmul__(self, other):
        return tensordot(self, other, 1)

    def __rmatmul__(self, other):
        return tensordot(other, self, 1)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        if axis is not None or keepdims or self.dtype.kind == "U":
            raise NotImplementedError("sum(axis=) of an array of text or objects is not part of attn's numpy")
        made = 0 if not self._items else self._items[0]
        for one in self._items[1:]:
            made = made + one
        return made

    def __str__(self):
        return str(self._items[0]) if not self.shape else _laid_out(self, " ", 0)

    def __repr__(self):
        if self.size == 0:
            return f"array([], dtype={self._shown_kind()})" if self.ndim == 1 else f"array([], shape={self.shape}, dtype={self._shown_kind()})"
        body = _laid_out(self, ", ", len("array("))
        kind = f"dtype={self._shown_kind()})"
        last = body.rsplit("\n", 1)[-1]
        width = len(last) + (len("array(") if "\n" not in body else 0)
        gap = ", " if width + len(kind) + 2 <= _WIDTH else ",\n      "
        return f"array({body}{gap}{kind}"

    def _shown_kind(self):
        return "object" if self.dtype.kind == "O" else f"'{self.dtype.str}'"

    def __reduce__(self):
        return array, (self.tolist(), "object" if self.dtype.kind == "O" else self.dtype.str)


_OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv",
    "remainder": "mod", "power": "pow", "negative": "neg", "absolute": "abs", "positive": "pos", "equal": "eq",
    "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}


def elementwise(name, operands):
    """An elementwise function of objects: Python's operator on each pair of elements, after broadcasting."""
    import operator

    kinds = [one.dtype for one in operands if type(one) is ndarray]
    if any(kind.kind == "U" for kind in kinds) and _OPERATORS.get(name) not in ("eq", "ne", "lt", "le", "gt", "ge"):
        kind = next(kind for kind in kinds if kind.kind == "U")
        raise TypeError(
            f"ufunc '{name}' did not contain a loop with signature matching types ({kind!r}, {kind!r}) -> None"
        )
    if name not in _OPERATORS:
        raise NotImplementedError(f"{name} of arrays of objects is not part of attn's numpy")
    function = getattr(operator, _OPERATORS[name])
    arrays = [one if type(one) is ndarray else array(one, object) for one in operands]
    shape = numpy.broadcast_shapes(*[one.shape for one in arrays])
    places = [numpy.broadcast_to(numpy.arange(one.size).reshape(one.shape), shape).reshape(-1).tolist() for one in arrays]
    made = [function(*[one._items[at] for one, at in zip(arrays, row)]) for row in zip(*places)]
    if _OPERATORS[name] in ("eq", "ne", "lt", "le", "gt", "ge"):
        return numpy.array([bool(one) for one in made], "bool").reshape(shape)
    return ndarray(made, shape, _OBJECT) if shape else made[0]


def each(function, args, nout):
    """The objects that a Python function returns of each row of elements, after broadcasting."""
    arrays = [one if type(one) is ndarray else array(numpy.asarray(one), object) for one in args]
    shape = numpy.broadcast_shapes(*[one.shape for one in arrays])
    places = [numpy.broadcast_to(numpy.arange(one.size).reshape(one.shape), shape).reshape(-1).tolist() for one in arrays]
    made = [function(*[one._items[at] for one, at in zip(arrays, row)]) for row in zip(*places)]
    if nout == 1:
        return ndarray(made, shape, _OBJECT) if shape else made[0]
    columns = [list(column) for column in zip(*made)]
    return tuple(ndarray(column, shape, _OBJECT) if shape else column[0] for column in columns)


def tensordot(a, b, axes=2):
    """As `numpy.tensordot` of objects: sums of products by Python's operators."""
    a, b = (one if type(one) is ndarray else array(numpy.asarray(one), object) for one in (a, b))
    if isinstance(axes, int):
        left, right = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        left, right = [tuple(one) if hasattr(one, "__len__") else (one,) for one in axes]
    left, right = _axes(left, a.ndim), _axes(right, b.ndim)
    if len(left) != len(right) or any(a.shape[i] != b.shape[j] for i, j in zip(left, right)):
        raise ValueError("shape-mismatch for sum")
    rows = [at for at in range(a.ndim) if at not in left]
    columns = [at for at in range(b.ndim) if at not in right]
    count = math.prod(a.shape[at] for at in left)
    first, second = a.transpose((*rows, *left))._items, b.transpose((*right, *columns))._items
    width = math.prod(b.shape[at] for at in columns)
    made = []
    for row in range(math.prod(a.shape[at] for at in rows)):
        for column in range(width):
            total = None
            for at in range(count):
                product = first[row * count + at] * second[at * width + column]
                total = product if total is None else total + product
            made.append(total)
    shape = tuple(a.shape[at] for at in rows) + tuple(b.shape[at] for at in columns)
    return ndarray(made, shape, _OBJECT) if shape else made[0]


def _nested(items, shape):
    if not shape:
        return items[0]
    if len(shape) == 1:
        return list(items)
    step = math.prod(shape[1:])
    return [_nested(items[at * step : (at + 1) * step], shape[1:]) for at in range(shape[0])]


def _shown(one, is_object):
    if is_object:
        return f"list({one!r})" if isinstance(one, list) else repr(one)
    return repr(str(one))


def _laid_out(self, separator, prefix):
    """The rows in brackets, broken where they are too wide, as NumPy breaks them."""
    is_object = self.dtype.kind == "O"
    texts = [_shown(one, is_object) for one in self._items]
    if not self.shape:
        return texts[0]
    edge = 3 if self.size > 1000 else None

    def write(start, shape, indent, room):
        step, count = math.prod(shape[1:]), shape[0]
        which = list(range(count))
        if edge is not None and count > 2 * edge:
            which = [*range(edge), None, *range(count - edge, count)]
        if len(shape) == 1:
            lines, line = [], indent
            for place, at in enumerate(which):
                word = "..." if at is None else texts[start + at]
                if len(line) + len(word) > room - 1 and len(line) > len(indent):
                    lines.append(line.rstrip())
                    line = indent
                line += word + ("" if place == len(which) - 1 else separator)
            lines.append(line)
            return "[" + "\n".join(lines)[len(indent) :] + "]"
        gap = separator.rstrip() + "\n" * (len(shape) - 1) + indent
        parts = ["..." if at is None else write(start + at * step, shape[1:], indent + " ", room - 1) for at in which]
        return "[" + gap.join(parts) + "]"

    # Room for the bracket or comma that follows the rows.
    return write(0, self.shape, " " * (prefix + 1), _WIDTH - (1 if prefix else 0))


def array(data, dtype=None):
    """An array of text or of objects from nested sequences."""
    is_object = isinstance(dtype, _kinds.Kind) and dtype.kind == "O" or dtype in (object, object_, "object", "O")
    if isinstance(data, _numbers):
        items = list(data._items) if type(data) is ndarray else data.reshape(-1).tolist()
        shape = data.shape
    else:
        shape, level = [], [data]
        while True:
            sizes = {len(one) if isinstance(one, (list, tuple)) else None for one in level}
            if len(sizes) != 1 or None in sizes:
                break
            shape.append(sizes.pop())
            level = [inner for one in level for inner in one]
            if not level:
                break
        if any(isinstance(one, (list, tuple)) for one in level) and not is_object:
            raise ValueError(
                "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
                f"{len(shape)} dimensions. The detected shape was {tuple(shape)} + inhomogeneous part."
            )
        items = level
    if any(isinstance(one, bytes) for one in items) and not is_object:
        raise NotImplementedError("arrays of bytes are not part of attn's numpy")
    # Without text among them, what are no numbers are objects.
    if is_object or dtype is None and not any(isinstance(one, str) for one in items):
        return ndarray(items, shape, _OBJECT)
    if dtype is None:
        # A number among text takes as much room as the longest of its dtype.
        room = max(_ROOM.get(type(one), len(str(one))) for one in items)
        return ndarray([str(one) for one in items], shape, Kind(f"<U{max(room, 1)}"))
    width = dtype.str if isinstance(dtype, _kinds.Kind) else dtype if isinstance(dtype, str) else ""
    digits = width.lstrip("<>=U")
    return ndarray([str(one) for one in items], shape, Kind(f"<U{digits}") if digits.isdigit() and int(digits) else None)


def joined(arrays, axis=0):
    """Arrays one after the other, along the first axis."""
    arrays = [one if type(one) is ndarray else array(one) for one in arrays]
    if axis not in (0, -arrays[0].ndim):
        raise NotImplementedError("concatenate() of text along other axes is not part of attn's numpy")
    items = [one for part in arrays for one in part._items]
    shape = (sum(len(part) for part in arrays), *arrays[0].shape[1:])
    return ndarray(items, shape, _OBJECT if any(part.dtype.kind == "O" for part in arrays) else None)


def unique(ar, index, inverse, counts):
    """As `numpy.unique` of one dimension."""
    order = ar._ranked()
    first, back, many = [], [0] * ar.size, []
    for at in order:
        if not first or ar._items[first[-1]] != ar._items[at]:
            first.append(at)
            many.append(0)
        back[at] = len(first) - 1
        many[-1] += 1
    found = [ar._like([ar._items[at] for at in first], (len(first),))]
    found += [numpy.array(one) for one, is_asked in ((first, index), (back, inverse), (many, counts)) if is_asked]
    return found[0] if len(found) == 1 else tuple(found)


def chosen(condition, x, y):
    """As `numpy.where` between texts or objects."""
    condition = numpy.asarray(condition).astype("bool")
    x, y = (one if type(one) is ndarray else array(one) for one in (x, y))
    shape = numpy.broadcast_shapes(condition.shape, x.shape, y.shape)
    places = [
        numpy.broadcast_to(numpy.arange(one.size).reshape(one.shape), shape).reshape(-1).tolist() for one in (x, y)
    ]
    picks = numpy.broadcast_to(condition, shape).reshape(-1).tolist()
    items = [x._items[a] if pick else y._items[b] for pick, a, b in zip(picks, *places)]
    kinds = [one.dtype for one in (x, y)]
    kind = _OBJECT if _OBJECT in kinds else max(kinds, key=lambda one: one.itemsize)
    return ndarray(items, shape, kind)


def of_numbers(a, dtype):
    """An array of numbers as text or as Python objects."""
    items = a.reshape(-1).tolist()
    if dtype.kind == "O":
        return ndarray(items, a.shape, _OBJECT)
    if dtype.itemsize:
        return ndarray([str(one) for one in items], a.shape, dtype)
    width = {"b": 5, "f": 32}.get(a.dtype.kind, {1: 4, 2: 6, 4: 11}.get(a.dtype.itemsize, 21))
    return ndarray([str(one) for one in items], a.shape, Kind(f"<U{width}"))
