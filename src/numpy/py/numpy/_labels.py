"""Arrays of text and of Python objects, as labels and lists of arrays need them: NumPy's shapes, indices and text. There is
no arithmetic with them.
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


def _moved(name):
    """The method that makes a view of the places that the method of places makes."""
    return lambda self, *args, **words: self._view(getattr(self._places, name)(*args, **words))


class ndarray:
    """An array of text or of objects: the places of its elements in a list of items, which its views share."""

    __module__ = "numpy"
    __array_priority__ = 1000
    __array_ufunc__ = base = None
    __hash__ = None

    def __init__(self, items, places, kind=None):
        self._items, self._places = items, places
        self.dtype = kind or _kinds.kind_of(f"U{max([len(one) for one in items], default=0) or 1}")
        if self.dtype.kind == "U":
            self._items = [self._cut(one) for one in items]

    def _cut(self, one):
        return str_(str(one)[: self.dtype.itemsize // 4])

    def _view(self, places):
        made = ndarray([], places, self.dtype)
        made._items = self._items
        return made

    def _row(self):
        """The elements one after the other."""
        return [self._items[at] for at in self._places.reshape(-1).tolist()]

    @property
    def __class__(self):
        return _numbers

    shape, ndim, size = (property(lambda self, name=name: getattr(self._places, name)) for name in ("shape", "ndim", "size"))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.itemsize * self.size)
    flat = property(lambda self: iter(self._row()))
    T = property(lambda self: self._view(self._places.T))
    _is_object = property(lambda self: self.dtype.kind == "O")

    transpose, reshape, ravel, swapaxes, squeeze, repeat = map(_moved, "transpose reshape ravel swapaxes squeeze repeat".split())

    def copy(self):
        return _laid(self._row(), self.shape, self.dtype)

    __copy__ = copy

    def flatten(self):
        return self.copy().reshape(-1)

    def tolist(self):
        def nested(places):
            return [nested(one) for one in places] if isinstance(places, list) else self._of_python(places)

        return nested(self._places.tolist())

    def _of_python(self, place):
        return self._items[place] if self._is_object else str(self._items[place])

    def item(self, *at):
        if not at and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        places = self._places if len(at) > 1 else self._places.reshape(-1)
        return self._of_python(int(places[at or 0]))

    def astype(self, dtype):
        kind = _dtype(dtype)
        if kind.kind in "UO":
            return array(self, kind)
        convert = {"f": float, "i": int, "u": int, "b": bool}[kind.kind]
        return numpy.array([convert(one) for one in self._row()], kind).reshape(self.shape)

    def __len__(self):
        return len(self._places)

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self.item())

    def __contains__(self, value):
        return value in self._row()

    def __getitem__(self, key):
        places = self._places[key]
        return self._view(places) if isinstance(places, _numbers) else self._items[int(places)]

    def __setitem__(self, key, value):
        found = self._places[key]
        places = numpy.asarray(found).reshape(-1).tolist()
        # Several places take what an array without dimensions contains; one place takes the array.
        if isinstance(value, _numbers) and value.ndim == 0 and isinstance(found, _numbers):
            value = value.item()
        is_one = self._is_object and not isinstance(found, _numbers)
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

    def argsort(self, axis=-1, kind=None):
        if self.ndim != 1:
            raise NotImplementedError("sorting text in several dimensions is not part of attn's numpy")
        return numpy.array(sorted(range(self.size), key=self._row().__getitem__), dtype="int64")

    def sort(self):
        self[...] = self[self.argsort()].tolist()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"{name} of an array of text or objects is not part of attn's numpy")

    def __str__(self):
        return _laid_out(self, " ", 0, 0) if self.shape else str(self.item())

    def __repr__(self):
        kind = f"dtype={'object' if self._is_object else repr(self.dtype.str)})"
        if self.size == 0:
            return f"array([], {'' if self.ndim == 1 else f'shape={self.shape}, '}{kind}"
        body = _laid_out(self, ", ", len("array("), 1)
        width = len(body.rsplit("\n", 1)[-1]) + (len("array(") if "\n" not in body else 0)
        return f"array({body}{', ' if width + len(kind) + 2 <= _WIDTH else ',' + chr(10) + '      '}{kind}"


def _laid(items, shape, kind=None):
    """An array of these items in this shape."""
    return ndarray(items, numpy.arange(len(items)).reshape(shape), kind)


def elementwise(name, *operands, **words):
    """An elementwise function of arrays of labels: whether the elements are equal, after broadcasting."""
    if name not in ("equal", "not_equal") or words:
        raise NotImplementedError(f"{name} of an array of text or objects is not part of attn's numpy: equal and not_equal are")
    arrays = [one if type(one) is ndarray else array(one, _OBJECT) for one in operands]
    shape = numpy.broadcast_shapes(*[one.shape for one in arrays])
    rows = zip(*[one._view(numpy.broadcast_to(one._places, shape))._row() for one in arrays])
    return numpy.array([bool(a == b) == (name == "equal") for a, b in rows], "bool").reshape(shape)


def _laid_out(self, separator, prefix, suffix):
    """The elements in brackets, as NumPy breaks their rows."""

    def text(one):
        return repr(str(one)) if not self._is_object else f"list({one!r})" if isinstance(one, list) else repr(one)

    return _numpy._laid_out(self._places, [text(one) for one in self._items], {}, separator, prefix, suffix)


def array(data, dtype=None):
    """An array of text or of objects from nested sequences or from an array."""
    kind = None if dtype is None else _dtype(dtype)
    is_object = kind is not None and kind.kind == "O"
    if isinstance(data, _numbers):
        items, shape = data._row() if type(data) is ndarray else data.reshape(-1).tolist(), data.shape
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
        return _laid(items, shape, _OBJECT)
    if kind is None or not kind.itemsize and type(data) is not ndarray:
        # A number takes as much room as the longest of its dtype.
        room = max([_ROOM.get(type(one), len(str(one))) for one in items], default=1)
        if isinstance(data, _numbers):
            room = min(room, {1: 4, 2: 6, 4: 11}.get(data.itemsize, 32)) if data.dtype.kind in "iu" else room
        kind = _kinds.kind_of(f"U{max(room, 1)}")
    return _laid([str(one) for one in items], shape, kind if kind.itemsize else None)


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
    return _laid([value] * math.prod(shape), shape, kind)


def _together(arrays):
    """The items of several arrays in one list, and the places of each array in it."""
    items, places = [], []
    for one in arrays:
        places.append(one._places + len(items))
        items += one._items
    return items, places


def joined(arrays, axis=0, *, dtype=None):
    """Arrays one after the other, along an axis."""
    arrays = [one if type(one) is ndarray else array(one) for one in arrays]
    items, places = _together(arrays)
    made = ndarray(items, numpy.concatenate(places, axis), _OBJECT if any(one._is_object for one in arrays) else None)
    return made if dtype is None else made.astype(dtype)


def chosen(condition, x, y):
    """As `numpy.where` between texts or objects."""
    arrays = [one if type(one) is ndarray else array(one) for one in (x, y)]
    items, places = _together(arrays)
    kind = max((one.dtype for one in arrays), key=lambda kind: (kind.hasobject, kind.itemsize))
    return ndarray(items, numpy.where(condition, *places), kind)
