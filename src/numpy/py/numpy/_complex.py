"""Arrays of complex numbers, as rotary positions need them: pairs of a real array's elements, and what is computed with them.

The array of shape (...) holds a real one of shape (..., 2): real parts, imaginary parts. Its views are those of the pairs. What is
not written here is refused by name.
"""

import functools

import numpy
import _numpy
from _numpy import ndarray as _numbers
from numpy import asarray
from numpy._kinds import complex_of, dtype, has_complex, part_of


class ndarray(_numpy._pairs):
    """An array of complex numbers. Its elements are Python's."""

    __module__, __slots__ = "numpy", ()
    __array_ufunc__ = base = __hash__ = None
    __class__ = property(lambda self: _numbers)

    dtype = property(lambda self: dtype(f"complex{16 * self._pairs.itemsize}"))
    shape = property(lambda self: self._pairs.shape[:-1])
    T = property(lambda self: self.transpose())
    mean = lambda self, axis=None, **words: (total := self.sum(axis, **words)) * (1 / (self.size // getattr(total, "size", 1)))

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        if dtype is not None or out is not None:
            raise _refused("sum() with dtype or out")
        return _numpy._complex_sum(self._pairs, axis, keepdims)

    @property
    def _tensor(self):
        """The complex tensor on the same elements."""
        import torch

        return torch.view_as_complex(self._pairs._tensor)

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return ndarray(self._pairs.transpose([axis % self.ndim for axis in axes or range(self.ndim)[::-1]] + [self.ndim]))

    def ravel(self):
        return self.reshape(-1)

    def copy(self):
        return ndarray(self._pairs.copy())

    def flatten(self):
        return self.copy().ravel()

    def astype(self, dtype, copy=True):
        kind = complex_of(dtype)
        if kind is None:
            raise NotImplementedError("complex numbers as real ones are not part of attn's numpy: .real is")
        return ndarray(self._pairs.astype(part_of(kind), copy=copy))

    def item(self):
        return complex(*self._pairs.reshape(2).tolist())

    def tolist(self):
        return self.item() if self.ndim == 0 else [ndarray(row).tolist() for row in self._pairs]

    def __len__(self):
        return len(self._pairs[..., 0])

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def __setitem__(self, key, value):
        self._pairs[self._key(key)] = _pairs_of(*_parts(value))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _MOVED.split():
            return functools.partial(call, name, self)
        raise _refused(name)


def _refused(name):
    return NotImplementedError(
        f"{name} of complex numbers is not part of attn's numpy: it has their sums and products, exp, abs, angle, real, imag and conj"
    )


def _made(pairs):
    """The array of these pairs; one number where there is one without dimensions."""
    made = ndarray(pairs)
    return made if made.ndim else made.dtype.type(made.item())


def _pairs_of(real, imag):
    pairs = numpy.stack(numpy.broadcast_arrays(real, imag), -1)
    return pairs.astype("float32" if pairs.dtype.name in ("float16", "float32") else "float64", copy=False)


def _paired(real, imag):
    """The array or the number that has these parts."""
    return _made(_pairs_of(real, imag))


def _parts(value):
    """The real and the imaginary part of an operand."""
    value = asarray(value) if isinstance(value, (list, tuple)) else value
    value = value.astype("float64") if isinstance(value, _numbers) and value.dtype.kind in "biu" else value
    return value.real, value.imag


# Elementwise functions that are not native, of the parts of their operands.
_FUNCTIONS = {
    "equal": lambda a, b: (a[0] == b[0]) & (a[1] == b[1]), "not_equal": lambda a, b: (a[0] != b[0]) | (a[1] != b[1]),
    "isfinite": lambda x: numpy.isfinite(x[0]) & numpy.isfinite(x[1]),
}


def elementwise(name, *operands, **words):
    """An elementwise function of operands of which one is complex."""
    if name not in _FUNCTIONS or words:
        raise _refused(name)
    return _FUNCTIONS[name](*map(_parts, operands))


# Functions of both parts, and the arguments that have them; without any the imaginary parts are 0.
_MOVED = "array asarray astype concatenate stack tile repeat broadcast_to diagonal diag tril triu cumsum round take"
_MADE = "zeros ones empty zeros_like ones_like empty_like eye identity arange linspace"
_DATA = {
    **dict.fromkeys(_MOVED.split(), (0,)), **dict.fromkeys(_MADE.split(), ()), "full": (1,), "full_like": (1,), "where": (1, 2),
}


def call(name, *args, **words):
    """A native function, by its name, of complex numbers or with such a dtype."""
    own = None if name in _DATA else getattr(ndarray, name, None)
    if own is not None and args:
        return own(args[0] if type(args[0]) is ndarray else ndarray(_pairs_of(*_parts(args[0]))), *args[1:], **words)
    if name == "asarray" and len(args) == 1 and type(args[0]) is ndarray:
        return args[0]
    if name in ("matmul", "dot", "inner", "outer", "einsum") and len(args) == (3 if name == "einsum" else 2):
        (a, b), (c, d) = map(_parts, args[-2:])
        function = lambda x, y: getattr(numpy, name)(*args[:-2], x, y, **words)
        return _paired(function(a, c) - function(b, d), function(a, d) + function(b, c))
    if name not in _DATA or has_complex([*words.values()]):
        raise _refused(name)
    data = _DATA[name]

    def computed(which):
        given = [_part(one, which, at in data) for at, one in enumerate(args)]
        rest = {word: _part(one, which, False) for word, one in words.items()}
        return given[0].astype(*given[1:], **rest) if name == "astype" else getattr(numpy, name)(*given, **rest)

    real = computed(0)
    has_imaginary = any(has_complex(one) for at, one in enumerate(args) if at in data)
    return _paired(real, computed(1) if has_imaginary else numpy.zeros_like(real))


def _part(one, which, is_data):
    """The real part (0) or the imaginary part (1) of an argument. A real one is 0 where it is `data`, and itself otherwise."""
    if isinstance(one, complex) or type(one) is ndarray:
        return one.imag if which else one.real
    if is_data and isinstance(one, (list, tuple)):
        return [_part(inner, which, True) for inner in one]
    kind = complex_of(one)
    if kind is not None:
        return part_of(kind)
    zero = numpy.zeros_like(one) if isinstance(one, _numbers) else 0
    return zero if is_data and which else one


of_list = call

_numpy._register_complex(ndarray, numpy.complex64, numpy.complex128)
