"""Attributes of arrays that are seldom asked for; the others are native."""

import types
import warnings

import numpy
import _torch
from _numpy import _of, ndarray
from numpy import asarray
from numpy._kinds import complex_of, dtype as _dtype, part_of


def view(self, dtype=None):
    if dtype is None or dtype is ndarray or _dtype(dtype) == self.dtype:
        return self[...]
    kind = complex_of(dtype)
    if kind is not None and part_of(kind) == self.dtype and self._is_row_major and self.ndim and self.shape[-1] % 2 == 0:
        from numpy import _complex

        return _complex.ndarray(self.reshape(self.shape[:-1] + (-1, 2)))
    raise NotImplementedError("view() in another dtype is not part of attn's numpy: astype() converts")


def tobytes(self):
    from numpy import _files

    return _files.tobytes(self)


def tofile(self, fid):
    from numpy import _files

    with _files._opened(fid, "write") as opened:
        opened.write(_files.tobytes(self))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return numpy.sum(numpy.diagonal(a, offset, axis1, axis2), -1, dtype, out)


def searchsorted(a, v, side="left"):
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    return _of(_torch.searchsorted(*_alike(a, v), right=side == "right"))


def _alike(*given):
    """The tensors of two arrays, in one dtype."""
    arrays = [asarray(one) for one in given]
    kind = numpy.promote_types(*[one.dtype for one in arrays])
    return [one.astype(kind, copy=False)._tensor for one in arrays]


def fill(self, value):
    self[...] = value


def conj(self):
    return self


def _array(self, dtype=None):
    return self if dtype is None else self.astype(dtype, copy=False)


def _reduce(self, *protocol):
    return (numpy.array, (self.tolist(), str(self.dtype)))


class Flags:
    """How an array lies in memory."""

    def __init__(self, array):
        vars(self).update(
            c_contiguous=array._is_row_major, f_contiguous=array.T._is_row_major, owndata=array.base is None, writeable=True,
            aligned=True, writebackifcopy=False,
        )

    def __getitem__(self, name):
        return vars(self)[name.lower()]

    def __repr__(self):
        return "".join(f"  {name.upper()} : {value}\n" for name, value in vars(self).items())


class Flat:
    """The elements of an array in order: `a.flat[i]` reads one and writes it."""

    def __init__(self, array):
        self.base = array

    def __iter__(self):
        return iter(self.base.reshape(-1))

    def __getitem__(self, place):
        return self.base.reshape(-1)[place]

    def __setitem__(self, place, value):
        elements = self.base.reshape(-1)
        elements[place] = value
        if not self.base._is_row_major:
            self.base[...] = elements.reshape(self.base.shape)


def _warn(text):
    warnings.warn(text, RuntimeWarning, stacklevel=3)


METHODS = {
    "view": view, "tobytes": tobytes, "tofile": tofile, "trace": trace, "searchsorted": searchsorted, "fill": fill, "conj": conj,
    "conjugate": conj, "__array__": _array, "__reduce__": _reduce,
}
_COMPUTED = {
    "imag": numpy.zeros_like, "itemsize": lambda self: self.dtype.itemsize,
    "nbytes": lambda self: self.size * self.itemsize,
    "strides": lambda self: tuple([step * self.itemsize for step in self._tensor.stride()]), "flags": Flags, "flat": Flat,
}

def attribute(self, name):
    """An attribute that the class has not. Errors: there is none."""
    if name in METHODS:
        return types.MethodType(METHODS[name], self)
    if name in _COMPUTED:
        return _COMPUTED[name](self)
    from numpy import _absent

    raise _absent.missing("numpy.ndarray", name, [*METHODS, *dir(ndarray)])
