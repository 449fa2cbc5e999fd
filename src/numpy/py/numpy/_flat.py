"""`array.flat` and `array.flags`."""

import numpy


class flatiter:
    """An array's elements in row-major order, to read and to write."""

    __module__ = "numpy"

    def __init__(self, array):
        self._array = array
        self._at = 0

    @property
    def base(self):
        return self._array

    @property
    def index(self):
        return self._at

    @property
    def coords(self):
        return numpy.unravel_index(self._at, self._array.shape)

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= self._array.size:
            raise StopIteration
        value = self[self._at]
        self._at += 1
        return value

    def __getitem__(self, key):
        found = self._array.reshape(-1)[key]
        return found.copy() if isinstance(found, numpy.ndarray) else found

    def __setitem__(self, key, value):
        array = self._array
        flat = array.reshape(-1)
        if flat._address == array._address:
            _assign(flat, key, value)
        else:
            _assign(flat, key, value)
            array[...] = flat.reshape(array.shape)

    def copy(self):
        return self._array.flatten()

    def __array__(self, dtype=None):
        return self._array.flatten() if dtype is None else self._array.flatten().astype(dtype)

    def __eq__(self, other):
        return self.copy() == other

    def __repr__(self):
        return f"<numpy.flatiter object at {id(self):#x}>"


def _assign(flat, key, value):
    value = numpy.asarray(value).reshape(-1)
    target = flat[key]
    if value.size != 1 and isinstance(target, numpy.ndarray) and value.size != target.size:
        value = numpy.tile(value, -(-target.size // value.size))[: target.size]
    flat[key] = value if value.size != 1 else value[0]


class Flags:
    """How an array lies in memory."""

    def __init__(self, array):
        self.c_contiguous = array._is_row_major
        self.f_contiguous = array.T._is_row_major
        self.owndata = array._owns
        self.writeable = True
        self.aligned = True
        self.writebackifcopy = False
        self.contiguous = self.c_contiguous
        self.fortran = self.f_contiguous
        self.forc = self.c_contiguous or self.f_contiguous
        self.fnc = self.f_contiguous and not self.c_contiguous

    _NAMES = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned",
              "X": "writebackifcopy"}

    def __getitem__(self, name):
        return getattr(self, self._NAMES.get(name, name.lower()))

    def __setitem__(self, name, value):
        name = self._NAMES.get(name, name.lower())
        if name not in ("writeable", "aligned", "writebackifcopy"):
            raise KeyError("Unknown flag")
        if bool(value) != getattr(self, name):
            raise NotImplementedError("read-only arrays are not part of attn's numpy")

    def __repr__(self):
        return "".join(f"  {name.upper()} : {getattr(self, name)}\n" for name in self._NAMES.values())
