"""Arrays in files that the session may open, and as bytes.
Source of the binary format: NumPy Enhancement Proposal 1, version 1.0."""

import ast
import contextlib
import math
import os
from collections.abc import Mapping

import _torch
import numpy
from numpy import asarray
from numpy._kinds import dtype as _dtype

_MAGIC = b"\x93NUMPY"


def tobytes(a, order="C"):
    """The elements of an array, row by row, each as wide as its dtype."""
    if order not in ("C", None):
        raise NotImplementedError("tobytes(order=) is not part of attn's numpy: the bytes are row-major")
    return _torch._storage_bytes(a.copy()._tensor)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """An array of the elements in some bytes. Copies."""
    kind = _dtype(dtype)
    data = bytes(buffer)[offset:]
    if count < 0:
        if len(data) % kind.itemsize:
            raise ValueError("buffer size must be a multiple of element size")
    else:
        if len(data) < count * kind.itemsize:
            raise ValueError("buffer is smaller than requested size")
        data = data[: count * kind.itemsize]
    return asarray(_torch._from_bytes(data, _tensor_dtype(kind)).numpy())


def _tensor_dtype(kind):
    return numpy.zeros(0, kind)._tensor.dtype


def _opened(file, mode):
    """A file by its name, closed after use, or an open file, left open."""
    is_named = isinstance(file, (str, bytes)) or hasattr(file, "__fspath__")
    return open(file, mode) if is_named else contextlib.nullcontext(file)


def _header(shape, code, by_columns):
    text = f"{{'descr': {code!r}, 'fortran_order': {by_columns}, 'shape': {shape!r}, }}"
    # NumPy leaves room for the first size to grow.
    text += " " * (21 - len(repr(shape[-1 if by_columns else 0])) if shape else 0)
    start = len(_MAGIC) + 4
    padded = -(start + len(text) + 1) % 64
    text = (text + " " * padded + "\n").encode("latin1")
    return _MAGIC + b"\x01\x00" + len(text).to_bytes(2, "little") + text


def _stored(kind):
    """A dtype of arrays in files."""
    if kind.kind in "Uc":
        raise NotImplementedError(f"files of dtype {kind} are not part of attn's numpy")
    return kind


def _bytes_of(arr):
    arr = asarray(arr)
    by_columns = arr.ndim > 1 and arr.T._is_row_major and not arr._is_row_major
    return _header(arr.shape, _stored(arr.dtype).str, by_columns) + tobytes(arr.T if by_columns else arr)


def _array_of(data):
    if data[:6] != _MAGIC:
        raise ValueError("the magic string is not correct; expected b'\\x93NUMPY', got " + repr(data[:6]))
    wide = 2 if data[6] == 1 else 4
    start = 8 + wide
    length = int.from_bytes(data[8:start], "little")
    facts = ast.literal_eval(data[start : start + length].decode("latin1"))
    kind, shape = _stored(_dtype(facts["descr"])), facts["shape"]
    flat = frombuffer(data[start + length :], kind, math.prod(shape))
    return flat.reshape(shape[::-1]).T if facts["fortran_order"] else flat.reshape(shape)


def save(file, arr, allow_pickle=True, fix_imports=True):
    """Writes one array as `.npy`; the name gets this ending if it has none."""
    file = _with_ending(file, ".npy")
    data = _bytes_of(arr)
    with _opened(file, "wb") as write:
        write.write(data)


def _with_ending(file, ending):
    if hasattr(file, "write"):
        return file
    file = os.fspath(file)
    return file if file.endswith(ending) else file + ending


def savez(file, *args, **kwds):
    """Writes several arrays as `.npz`, by their names, or as arr_0, arr_1 in order."""
    import _archive

    for at, arr in enumerate(args):
        if f"arr_{at}" in kwds:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{at}")
        kwds[f"arr_{at}"] = arr
    data = _archive.pack([(name + ".npy", _bytes_of(arr)) for name, arr in kwds.items()])
    with _opened(_with_ending(file, ".npz"), "wb") as write:
        write.write(data)


# The same arrays are read from the file, which is larger than NumPy's.
savez_compressed = savez


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """An array of an `.npy` file, or the arrays of an `.npz` file by their names."""
    if mmap_mode is not None:
        raise NotImplementedError("load(mmap_mode=) is not part of attn's numpy: a file is read whole")
    with _opened(file, "rb") as read:
        data = read.read()
    if not data:
        raise EOFError("No data left in file")
    if data[:4] == b"PK\x03\x04":
        return NpzFile(data, file if isinstance(file, str) else getattr(file, "name", "object"))
    if data[:6] == _MAGIC:
        return _array_of(data)
    if not allow_pickle:
        raise ValueError("Cannot load file containing pickled data when allow_pickle=False")
    import io

    import pickle

    return pickle.load(io.BytesIO(data))


class NpzFile(Mapping):
    """The arrays of an `.npz` file; each is read when it is asked for."""

    __module__ = "numpy.lib.npyio"

    def __init__(self, data, name):
        import _archive

        self._entries, self._name = _archive.unpack(data), name
        self.files = [entry.removesuffix(".npy") for entry in self._entries]

    def __getitem__(self, key):
        entry = key if key in self._entries else key + ".npy"
        if entry not in self._entries:
            raise KeyError(f"{key} is not a file in the archive")
        return _array_of(self._entries[entry])

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def close(self):
        self._entries = {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        names = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile {self._name!r} with keys: {names}"
