"""`array.flat` and `array.flags`."""

import numpy


class flatiter:
    """An array's elements in row-major order, to read and to write."""

    __module__ = "numpy"

    def __init__(self, array):
        self._array, self._at = array, 0

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= self._array.size:
            raise StopIteration
        self._at += 1
        return self[self._at - 1]

    def __getitem__(self, key):
        found = self._array.reshape(-1)[key]
        return found.copy() if isinstance(found, numpy.ndarray) else found

    def __setitem__(self, key, value):
        array, value = self._array, numpy.asarray(value).reshape(-1)
        flat = array.reshape(-1)
        count = numpy.size(flat[key])
        if value.size not in (1, count):
            value = numpy.tile(value, -(-count // value.size))[:count]
        flat[key] = value if value.size != 1 else value[0]
        if flat._address != array._address:
            array[...] = flat.reshape(array.shape)

    def __array__(self, dtype=None):
        return self._array.flatten() if dtype is None else self._array.flatten().astype(dtype)

    def __repr__(self):
        return f"<numpy.flatiter object at {id(self):#x}>"


class Flags:
    """How an array lies in memory."""

    writeable, aligned, writebackifcopy = True, True, False

    def __init__(self, array):
        self.c_contiguous, self.f_contiguous, self.owndata = array._is_row_major, array.T._is_row_major, array._owns

    _NAMES = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned",
              "X": "writebackifcopy"}

    def __getitem__(self, name):
        return getattr(self, self._NAMES.get(name, name.lower()))

    def __repr__(self):
        return "".join(f"  {name.upper()} : {getattr(self, name)}\n" for name in self._NAMES.values())
