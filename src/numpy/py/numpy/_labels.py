"""Arrays of text and of Python objects, as labels and lists of arrays need them: lists in rows, with NumPy's shapes,
indices and text. There is no arithmetic with them.
"""

import math

import numpy
import _numpy
from _numpy import ndarray as _numbers, dtype as _dtype
from numpy import _kinds
from numpy._dtype_classes import str_

_WIDTH = 75
_OBJECT = _kinds.kind_of("O")
# The characters that a number takes in an array of text.
_ROOM = {bool: 5, int: 21, float: 32}


class ndarray:
    """An array of text or of objects. It copies where NumPy would make a view, but for `reshape` and `ravel` of all."""

    __module__ = "numpy"
    __array_priority__ = 1000
    __array_ufunc__ = base = None
    __hash__ = None

    def __init__(self, items, shape, kind=None):
        self._items, self.shape = items, tuple(shape)
        self.dtype = kind or _kinds.kind_of(f"U{max([len(one) for one in items], default=0) or 1}")
        if self.dtype.kind == "U":
            self._items = [self._cut(one) for one in items]

    def _cut(self, one):
        return str_(str(one)[: self.dtype.itemsize // 4])

    @property
    def __class__(self):
        return _numbers

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: len(self._items))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.itemsize * self.size)
    flat = property(lambda self: iter(self._items))
    T = property(lambda self: self.transpose())
    _is_object = property(lambda self: self.dtype.kind == "O")

    def _places(self):
        """The place of each element among the items."""
        return numpy.arange(self.size).reshape(self.shape)

    def _taken(self, places):
        return ndarray([self._items[at] for at in places.reshape(-1).tolist()], places.shape, self.dtype)

    def transpose(self, *axes):
        return self._taken(self._places().transpose(*axes))

    def reshape(self, *shape, order="C"):
        made = ndarray([], self._places().reshape(*shape).shape, self.dtype)
        made._items = self._items
        return made

    def ravel(self, order="C"):
        return self.reshape(-1)

    def copy(self, order="C"):
        return ndarray(list(self._items), self.shape, self.dtype)

    __copy__ = copy

    def flatten(self, order="C"):
        return self.copy().reshape(-1)

    def tolist(self):
        def nested(items, shape):
            if len(shape) < 2:
                return list(items) if shape else items[0]
            step = math.prod(shape[1:])
            return [nested(items[at * step : (at + 1) * step], shape[1:]) for at in range(shape[0])]

        return nested(self._items if self._is_object else [str(one) for one in self._items], self.shape)

    def item(self, *at):
        if not at and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        one = self[at] if len(at) > 1 else self._items[at[0] if at else 0]
        return one if self._is_object else str(one)

    def astype(self, dtype):
        kind = _dtype(dtype)
        if kind.kind in "UO":
            return array(self, kind)
        convert = {"f": float, "i": int, "u": int, "b": bool}[kind.kind]
        return numpy.array([convert(one) for one in self._items], kind).reshape(self.shape)

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

    def _at(self, key):
        if isinstance(key, tuple):
            key = tuple(numpy.asarray(one) if isinstance(one, list) else one for one in key)
        return self._places()[key]

    def __getitem__(self, key):
        places = self._at(key)
        return self._taken(places) if isinstance(places, _numbers) else self._items[int(places)]

    def __setitem__(self, key, value):
        found = self._at(key)
        places = numpy.asarray(found).reshape(-1).tolist()
        # Several places take what an array without dimensions contains; one place takes the array.
        if isinstance(value, _numbers) and value.ndim == 0 and isinstance(found, _numbers):
            value = value.item()
        is_one = self._is_object and self.ndim == 1 and len(places) == 1
        is_many = isinstance(value, (list, tuple)) or isinstance(value, _numbers) and value.ndim > 0
        values = list(value) if is_many and not is_one else [value]
        if len(values) == 1:
            values = values * len(places)
        if len(values) != len(places):
            raise ValueError(f"could not broadcast input array from shape ({len(values)},) into shape ({len(places)},)")
        for at, one in zip(places, values):
            self._items[at] = one if self._is_object else self._cut(one)

    def __eq__(self, other):
        return elementwise("equal", self, other)

    def __ne__(self, other):
        return elementwise("not_equal", self, other)

    def argsort(self, axis=-1):
        if self.ndim != 1:
            raise NotImplementedError("sorting text in several dimensions is not part of attn's numpy")
        return numpy.array(sorted(range(self.size), key=lambda at: self._items[at]), dtype="int64")

    def sort(self):
        self._items[:] = [self._items[at] for at in self.argsort().tolist()]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"{name} of an array of text or objects is not part of attn's numpy")

    def __str__(self):
        return _laid_out(self, " ", 0, 0) if self.shape else str(self._items[0])

    def __repr__(self):
        kind = f"dtype={'object' if self._is_object else repr(self.dtype.str)})"
        if self.size == 0:
            return f"array([], {'' if self.ndim == 1 else f'shape={self.shape}, '}{kind}"
        body = _laid_out(self, ", ", len("array("), 1)
        width = len(body.rsplit("\n", 1)[-1]) + (len("array(") if "\n" not in body else 0)
        return f"array({body}{', ' if width + len(kind) + 2 <= _WIDTH else ',' + chr(10) + '      '}{kind}"

def elementwise(name, *operands, **words):
    """An elementwise function of arrays of labels: whether the elements are equal, after broadcasting."""
    if name not in ("equal", "not_equal") or words:
        raise NotImplementedError(f"{name} of an array of text or objects is not part of attn's numpy: equal and not_equal are")
    arrays = [one if type(one) is ndarray else array(one, _OBJECT) for one in operands]
    shape = numpy.broadcast_shapes(*[one.shape for one in arrays])
    rows = zip(*[one._taken(numpy.broadcast_to(one._places(), shape))._items for one in arrays])
    return numpy.array([bool(a == b) == (name == "equal") for a, b in rows], "bool").reshape(shape)


def _laid_out(self, separator, prefix, suffix):
    """The elements in brackets, as NumPy breaks their rows."""

    def text(one):
        return repr(str(one)) if not self._is_object else f"list({one!r})" if isinstance(one, list) else repr(one)

    return _numpy._laid_out(self._places(), [text(one) for one in self._items], {}, separator, prefix, suffix)


def array(data, dtype=None):
    """An array of text or of objects from nested sequences or from an array."""
    kind = None if dtype is None else _dtype(dtype)
    is_object = kind is not None and kind.kind == "O"
    if isinstance(data, _numbers):
        items, shape = list(data._items) if type(data) is ndarray else data.reshape(-1).tolist(), data.shape
    else:
        shape, items = _levels(data)
        if any(isinstance(one, (list, tuple)) for one in items) and not is_object:
            raise ValueError(
                "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
                f"{len(shape)} dimensions. The detected shape was {tuple(shape)} + inhomogeneous part."
            )
    if any(isinstance(one, bytes) for one in items) and not is_object:
        raise NotImplementedError("arrays of bytes are not part of attn's numpy")
    # Without text among them, what are no numbers are objects.
    if is_object or kind is None and not any(isinstance(one, str) for one in items):
        return ndarray(items, shape, _OBJECT)
    if kind is None or not kind.itemsize and type(data) is not ndarray:
        # A number takes as much room as the longest of its dtype.
        room = max([_ROOM.get(type(one), len(str(one))) for one in items], default=1)
        if isinstance(data, _numbers):
            room = min(room, {1: 4, 2: 6, 4: 11}.get(data.itemsize, 32)) if data.dtype.kind in "iu" else room
        kind = _kinds.kind_of(f"U{max(room, 1)}")
    return ndarray([str(one) for one in items], shape, kind if kind.itemsize else None)


def _levels(data):
    """The shape of nested lists of equal lengths, and what is in the innermost."""
    shape, level = [], [data]
    while True:
        sizes = {len(one) if isinstance(one, (list, tuple)) else None for one in level}
        if len(sizes) != 1 or None in sizes:
            return shape, level
        shape.append(sizes.pop())
        level = [inner for one in level for inner in one]
        if not level:
            return shape, level


def filled(shape, value, kind):
    """An array of one text or object; 0 is no text."""
    value = "" if kind.kind == "U" and value == 0 else value
    kind = kind if kind.itemsize else _kinds.kind_of("U1")
    return ndarray([value] * math.prod(shape), shape, kind)


def joined(arrays, axis=0):
    """Arrays one after the other, along the first axis."""
    arrays = [one if type(one) is ndarray else array(one) for one in arrays]
    if axis != 0:
        raise NotImplementedError("concatenate() of text along other axes is not part of attn's numpy")
    items = [one for part in arrays for one in part._items]
    shape = (sum(len(part) for part in arrays), *arrays[0].shape[1:])
    return ndarray(items, shape, _OBJECT if any(part._is_object for part in arrays) else None)


def unique(ar, index, inverse, counts):
    """As `numpy.unique` of one dimension."""
    first, back, many = [], [0] * ar.size, []
    for at in ar.argsort().tolist():
        if not first or ar._items[first[-1]] != ar._items[at]:
            first.append(at)
            many.append(0)
        back[at] = len(first) - 1
        many[-1] += 1
    found = [ar._taken(numpy.array(first, "int64"))]
    found += [numpy.array(one) for one, is_asked in ((first, index), (back, inverse), (many, counts)) if is_asked]
    return found[0] if len(found) == 1 else tuple(found)


def chosen(condition, x, y):
    """As `numpy.where` between texts or objects."""
    x, y = (one if type(one) is ndarray else array(one) for one in (x, y))
    shape = numpy.broadcast_shapes(numpy.shape(condition), x.shape, y.shape)
    mask = numpy.broadcast_to(numpy.asarray(condition).astype("bool"), shape).reshape(-1).tolist()
    firsts, seconds = (one._taken(numpy.broadcast_to(one._places(), shape))._items for one in (x, y))
    items = [a if pick else b for pick, a, b in zip(mask, firsts, seconds)]
    kind = max((x.dtype, y.dtype), key=lambda kind: (kind.hasobject, kind.itemsize))
    return ndarray(items, shape, kind)
