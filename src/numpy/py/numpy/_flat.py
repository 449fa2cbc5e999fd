"""`array.flat` and `array.flags`."""

import numpy


class flatiter:
    """An array's elements in row-major order, to read and to write."""

    __module__ = "numpy"

    def __init__(self, array):
        self._array, self._places = array, iter(range(array.size))

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        return self[next(self._places)]

    def __getitem__(self, key):
        return numpy.copy(self._array.reshape(-1)[key])[()]

    def __setitem__(self, key, value):
        flat = self._array.reshape(-1)
        value, count = numpy.asarray(value).reshape(-1), numpy.size(flat[key])
        flat[key] = value if value.size == 1 else numpy.tile(value, -(-count // value.size))[:count]
        if flat._address != self._array._address:
            self._array[...] = flat.reshape(self._array.shape)

    def __array__(self, dtype=None):
        return self._array.flatten() if dtype is None else self._array.flatten().astype(dtype)


class Flags:
    """How an array lies in memory."""

    writeable, aligned, writebackifcopy = True, True, False
    _NAMES = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned",
              "X": "writebackifcopy"}

    def __init__(self, array):
        self.c_contiguous, self.f_contiguous, self.owndata = array._is_row_major, array.T._is_row_major, array._owns

    def __getitem__(self, name):
        return getattr(self, self._NAMES.get(name, name.lower()))

    def __repr__(self):
        return "".join(f"  {name.upper()} : {getattr(self, name)}\n" for name in self._NAMES.values())
