"""Arrays of text, as labels need them: NumPy's shapes, indices, comparisons and text. There is no arithmetic with them."""

import numpy
import _numpy
from _numpy import ndarray as _numbers
from numpy._kinds import dtype as _dtype, str_, text_of


class ndarray:
    """An array of text: the places of its elements in a list of items, which its views share."""

    __module__ = "numpy"
    __array_ufunc__ = base = __hash__ = None
    __class__ = property(lambda self: _numbers)

    def __init__(self, items, places, kind):
        self._items, self._places, self.dtype = items, places, kind

    def _view(self, places):
        return ndarray(self._items, places, self.dtype)

    def _row(self):
        """The elements one after the other."""
        return [self._items[at] for at in self._places.reshape(-1).tolist()]

    shape, ndim, size = (property(lambda self, name=name: getattr(self._places, name)) for name in ("shape", "ndim", "size"))
    T = property(lambda self: self._view(self._places.T))

    def reshape(self, *shape):
        return self._view(self._places.reshape(*shape))

    def ravel(self):
        return self.reshape(-1)

    def copy(self):
        return array(self)

    def flatten(self):
        return self.copy().reshape(-1)

    def tolist(self):
        def nested(places):
            return [nested(one) for one in places] if isinstance(places, list) else str(self._items[places])

        return nested(self._places.tolist())

    def item(self):
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return str(self._row()[0])

    def __len__(self):
        return len(self._places)

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def __contains__(self, value):
        return value in self._row()

    def __getitem__(self, key):
        places = self._places[key]
        return self._view(places) if isinstance(places, _numbers) else self._items[int(places)]

    def __setitem__(self, key, value):
        places = numpy.asarray(self._places[key])
        for at, one in zip(places.reshape(-1).tolist(), _stretched(array(value), places.shape)._row()):
            self._items[at] = str_(one[: self.dtype.itemsize // 4])

    def __eq__(self, other):
        return elementwise("equal", self, other)

    def __ne__(self, other):
        return elementwise("not_equal", self, other)

    def argsort(self, axis=-1, kind=None):
        if self.ndim != 1:
            raise NotImplementedError("sorting text in several dimensions is not part of attn's numpy")
        return numpy.array(sorted(range(self.size), key=self._row().__getitem__), dtype="int64")

    def __getattr__(self, name):
        if name.startswith("_") and name != "_tensor":
            raise AttributeError(name)
        raise NotImplementedError(f"{name} of an array of text is not part of attn's numpy: tolist() has its elements")

    def __str__(self):
        return self._text(None) if self.shape else self.item()

    def __repr__(self):
        return self._text(repr(self.dtype.str))

    def _text(self, dtype):
        """The elements in brackets, as NumPy breaks their rows; with a dtype in `array(..)`."""
        return _numpy._words(self._places, [repr(str(one)) for one in self._items], dtype, " ", 0)


def _stretched(labels, shape):
    return labels._view(numpy.broadcast_to(labels._places, shape))


def array(data, dtype=None, *, copy=True, ndmin=0):
    """An array of text from nested lists of it."""
    kind = None if dtype is None else _dtype(dtype)
    if kind is not None and kind.kind != "U" or ndmin:
        raise NotImplementedError("converting text to another dtype is not part of attn's numpy: float() and int() read one")
    if type(data) is ndarray and not copy and kind is None:
        return data
    texts = []

    def placed(data):
        """Nested lists of texts as lists of their places."""
        data = data.tolist() if type(data) is ndarray else data
        if isinstance(data, (list, tuple)):
            return [placed(one) for one in data]
        if not isinstance(data, str):
            raise NotImplementedError("arrays of text have text alone in attn's numpy: str() makes it of a number")
        texts.append(str_(data))
        return len(texts) - 1

    places = numpy.array(placed(data), "int64")
    if kind is None or not kind.itemsize:
        kind = data.dtype if type(data) is ndarray else text_of(max(map(len, texts), default=0) or 1)
    return ndarray([str_(one[: kind.itemsize // 4]) for one in texts], places, kind)


def elementwise(name, *operands, **words):
    """An elementwise function of arrays of text: whether the elements are equal, after broadcasting."""
    if name not in ("equal", "not_equal") or words:
        raise NotImplementedError(f"{name} of an array of text is not part of attn's numpy: equal and not_equal are")
    arrays = [array(one, copy=False) for one in operands]
    shape = numpy.broadcast_shapes(*[one.shape for one in arrays])
    rows = zip(*[_stretched(one, shape)._row() for one in arrays])
    return numpy.array([(a == b) == (name == "equal") for a, b in rows], "bool").reshape(shape)


def call(name, *args, **words):
    """A native function, by its name, of text or with such a dtype."""
    if name in ("array", "asarray"):
        return array(*args, **words, **({} if name == "array" else {"copy": False}))
    if name in ("sort", "argsort", "reshape", "ravel"):
        data = array(args[0], copy=False)
        return data[data.argsort()] if name == "sort" else getattr(data, name)(*args[1:], **words)
    raise NotImplementedError(f"{name}() of text or with such a dtype is not part of attn's numpy: use a list")


def of_list(name, data=None, *args, **words):
    """The same where the first argument has text in it; `NotImplemented` where it has none."""
    return call(name, data, *args, **words) if _has_text(data) else NotImplemented


def _has_text(data):
    return isinstance(data, (str, ndarray)) or isinstance(data, (list, tuple)) and any(map(_has_text, data))
