"""Arrays in files that the session may open, and as bytes.
Source of the binary format: NumPy Enhancement Proposal 1, version 1.0."""

import ast
import contextlib
import math
import os

import _archive
import _torch
import numpy
from numpy import asarray
from numpy._kinds import dtype as _dtype

_MAGIC = b"\x93NUMPY"


def tobytes(a):
    """The elements of an array, row by row, each as wide as its dtype."""
    return _torch._storage_bytes(a.copy()._tensor)


def _opened(file, mode, ending=""):
    """A file by its name, closed after use, or an open file, left open."""
    if hasattr(file, mode):
        return contextlib.nullcontext(file)
    file = os.fspath(file)
    return open(file if file.endswith(ending) else file + ending, mode[0] + "b")


def _numbers(kind):
    """A dtype, if files have it."""
    if kind.kind in "Uc":
        raise NotImplementedError(f"files of dtype {kind} are not part of attn's numpy")
    return kind


def _bytes_of(arr):
    arr = asarray(arr)
    text = f"{{'descr': {_numbers(arr.dtype).str!r}, 'fortran_order': False, 'shape': {arr.shape!r}, }}"
    # NumPy leaves room for the first size to grow.
    text += " " * (21 - len(repr(arr.shape[0])) if arr.shape else 0)
    padded = -(len(_MAGIC) + 4 + len(text) + 1) % 64
    text = (text + " " * padded + "\n").encode("latin1")
    return _MAGIC + b"\x01\x00" + len(text).to_bytes(2, "little") + text + tobytes(arr)


def _elements(data, kind):
    return asarray(_torch._from_bytes(data, numpy.zeros(0, kind)._tensor.dtype).numpy())


def fromfile(file, dtype=float, count=-1, *, offset=0):
    """The elements of a file that has nothing else, as `tofile` writes it."""
    kind = _numbers(_dtype(dtype))
    with _opened(file, "read") as opened:
        data = opened.read()[offset:]
    return _elements(data[: count * kind.itemsize] if count >= 0 else data, kind)


def memmap(filename, dtype="uint8", mode="r+", offset=0, shape=None):
    """A file that is read: all of it, and nothing that is changed is written."""
    if mode not in ("r", "c"):
        raise NotImplementedError(f"memmap(mode={mode!r}) is not part of attn's numpy: 'r' reads; tofile() and save() write")
    flat = fromfile(filename, dtype, offset=offset)
    return flat if shape is None else flat[: math.prod(numpy.atleast_1d(shape).tolist())].reshape(shape)


def _array_of(data):
    if data[:6] != _MAGIC:
        raise ValueError("the magic string is not correct; expected b'\\x93NUMPY', got " + repr(data[:6]))
    start = 8 + (2 if data[6] == 1 else 4)
    length = int.from_bytes(data[8:start], "little")
    facts = ast.literal_eval(data[start : start + length].decode("latin1"))
    kind, shape = _numbers(_dtype(facts["descr"])), facts["shape"]
    flat = _elements(data[start + length :][: math.prod(shape) * kind.itemsize], kind)
    if flat.size < math.prod(shape):
        raise ValueError("cannot reshape what the file has into its shape: it ends too early")
    return flat.reshape(shape[::-1]).T if facts["fortran_order"] else flat.reshape(shape)


def save(file, arr, allow_pickle=True, fix_imports=True):
    """Writes one array as `.npy`; the name gets this ending if it has none."""
    data = _bytes_of(arr)
    with _opened(file, "write", ".npy") as opened:
        opened.write(data)


def savez(file, *args, **kwds):
    """Writes several arrays as `.npz`, by their names, or as arr_0, arr_1 in order."""
    for at, arr in enumerate(args):
        kwds[f"arr_{at}"] = arr
    data = _archive.pack([(name + ".npy", _bytes_of(arr)) for name, arr in kwds.items()])
    with _opened(file, "write", ".npz") as opened:
        opened.write(data)


# The same arrays are read from the file, which is larger than NumPy's.
savez_compressed = savez


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """An array of an `.npy` file, or the arrays of an `.npz` file by their names."""
    if mmap_mode is not None:
        raise NotImplementedError("load(mmap_mode=) is not part of attn's numpy: a file is read whole")
    with _opened(file, "read") as opened:
        data = opened.read()
    if data[:4] == b"PK\x03\x04":
        entries = {name.removesuffix(".npy"): _array_of(entry) for name, entry in _archive.unpack(data).items()}
        return NpzFile(entries, file if isinstance(file, str) else getattr(file, "name", "object"))
    if data[:6] != _MAGIC and not allow_pickle:
        raise ValueError("Cannot load file containing pickled data when allow_pickle=False")
    return _array_of(data)


class NpzFile(dict, contextlib.AbstractContextManager):
    """The arrays of an `.npz` file."""

    __module__ = "numpy.lib.npyio"
    files = property(lambda self: list(self))

    def __init__(self, entries, name):
        super().__init__(entries)
        self._name = name

    def __missing__(self, key):
        if key.removesuffix(".npy") in self:
            return self[key.removesuffix(".npy")]
        raise KeyError(f"{key} is not a file in the archive")

    def close(self):
        self.clear()

    def __repr__(self):
        names = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile {self._name!r} with keys: {names}"
