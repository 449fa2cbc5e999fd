"""Arrays of complex numbers: each lies over a real array with one more axis, of real and imaginary parts.

So a view shares memory, `real` and `imag` are views, and `tensor.numpy()` of a complex tensor has that tensor's memory.
"""

import math

import numpy
import _numpy
from _numpy import _axes, ndarray as _native, dtype as _dtype
from numpy._complex_operators import Operators, compute
from numpy._methods import _module
from numpy._scalars import complexfloating

COMPLEX = {"float32": _dtype("complex64"), "float64": _dtype("complex128")}


class _Scalar(Operators):
    __slots__ = ()
    shape, ndim, size, strides = (), 0, 1, ()

    @property
    def dtype(self):
        return _dtype(type(self).__name__)

    @property
    def real(self):
        return self._part(complex.real.__get__(self))

    @property
    def imag(self):
        return self._part(complex.imag.__get__(self))

    def _part(self, value):
        return (numpy.float64 if self.dtype.itemsize == 16 else numpy.float32)(value)

    @property
    def T(self):
        return self

    def conjugate(self):
        return type(self)(complex(self.real, -self.imag))

    conj = conjugate

    def item(self):
        return complex(self.real, self.imag)

    tolist = item

    def __array__(self, dtype=None):
        return array(self, dtype)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        return getattr(array(self), name)

    def __hash__(self):
        return hash(self.item())

    def __bool__(self):
        return self.item() != 0

    def __repr__(self):
        return _text_of(self.real, self.imag)

    __str__ = __repr__

    def __format__(self, spec):
        return format(self.item(), spec) if spec else str(self)

    def __reduce__(self):
        return type(self), (self.item(),)


def _text_of(real, imag):
    """`(1+2j)`: the shortest digits of each part."""

    def digits(number, sign=""):
        if not math.isfinite(number):
            text = str(float(number))
        else:
            text = repr(float(number)) if isinstance(number, numpy.float64) else str(number)
            text = text[:-2] if text.endswith(".0") else text
        return text if text.startswith("-") else sign + text

    if real == 0 and math.copysign(1.0, real) > 0:
        return digits(imag) + "j"
    return f"({digits(real)}{digits(imag, '+')}j)"


class complex128(_Scalar, complex, complexfloating):
    __module__ = "numpy"

    def __new__(cls, value=0, imag=0):
        return _made(cls, value, imag)


class complex64(_Scalar, complex, complexfloating):
    __module__ = "numpy"

    def __new__(cls, value=0, imag=0):
        return _made(cls, value, imag)


def _made(cls, value, imag):
    if isinstance(value, (list, tuple)) or isinstance(value, _native) and value.ndim:
        return array(value, cls.__name__)
    number = complex(value.item()) if isinstance(value, (_native, numpy.generic)) else complex(value)
    number = number + 1j * imag if imag else number
    if cls is complex64:
        number = complex(float(numpy.float32(number.real)), float(numpy.float32(number.imag)))
    return complex.__new__(cls, number)


def scalar(number, real):
    """The scalar of a number whose parts have this dtype."""
    return (complex128 if real == "float64" else complex64)(number)


class ndarray(Operators):
    """An array of complex numbers. `pairs` is the real array of its parts."""

    __module__ = "numpy"
    __array_priority__ = 1000
    base = None

    def __init__(self, pairs, base=None):
        self._pairs, self.base = pairs, base

    @property
    def __class__(self):
        return _native

    def __array_ufunc__(self, ufunc, method, *inputs, **words):
        return compute(ufunc.__name__, *inputs, **words)

    dtype = property(lambda self: COMPLEX[self._pairs.dtype.name])
    ndim = property(lambda self: self._pairs.ndim - 1)
    size = property(lambda self: self._pairs.size // 2)
    itemsize = property(lambda self: 2 * self._pairs.itemsize)
    nbytes = property(lambda self: self._pairs.nbytes)
    strides = property(lambda self: self._pairs.strides[:-1])
    T = property(lambda self: self.transpose())
    flags = property(lambda self: self._pairs.flags)
    _is_row_major = property(lambda self: self._pairs._is_row_major)
    _address = property(lambda self: self._pairs._address)
    _owns = property(lambda self: self.base is None)

    @property
    def _tensor(self):
        """The complex tensor of torch on the same elements."""
        import importlib

        # By name: torch's complex tensors import this module for `numpy()`.
        parts = importlib.import_module("torch").from_numpy(self._pairs)
        return importlib.import_module("torch._complex").Tensor(parts)

    @property
    def shape(self):
        return self._pairs.shape[:-1]

    @shape.setter
    def shape(self, shape):
        self._pairs.shape = (*_sizes((shape,)), 2)

    @property
    def real(self):
        return self._pairs[..., 0]

    @real.setter
    def real(self, value):
        self._pairs[..., 0] = value

    @property
    def imag(self):
        return self._pairs[..., 1]

    @imag.setter
    def imag(self, value):
        self._pairs[..., 1] = value

    @property
    def flat(self):
        from numpy._flat import flatiter

        return flatiter(self)

    def _view(self, pairs):
        return ndarray(pairs, self if self.base is None else self.base)

    def _scalar(self, pair):
        return scalar(complex(*pair.tolist()), self._pairs.dtype)

    # Shape.

    def reshape(self, *shape, order="C"):
        sizes = _sizes(shape)
        if order == "F":
            return self.transpose().reshape(sizes[::-1]).transpose()
        # The real array says what is wrong with a shape, in terms of half as many elements.
        sizes = numpy.empty(self.shape, "bool").reshape(sizes).shape
        return self._view(self._pairs.reshape((*sizes, 2)))

    def ravel(self, order="C"):
        return self.reshape(-1, order="F" if order == "F" else "C")

    def flatten(self, order="C"):
        return ndarray(self.ravel(order)._pairs.copy())

    def transpose(self, *axes):
        if len(axes) == 1 and (axes[0] is None or hasattr(axes[0], "__len__")):
            axes = axes[0]
        axes = tuple(reversed(range(self.ndim))) if not axes else _axes(tuple(axes), self.ndim)
        if len(axes) != self.ndim:
            raise ValueError("axes don't match array")
        return self._view(self._pairs.transpose((*axes, self.ndim)))

    def swapaxes(self, axis1, axis2):
        (a,), (b,) = _axes(axis1, self.ndim), _axes(axis2, self.ndim)
        return self._view(self._pairs.swapaxes(a, b))

    def squeeze(self, axis=None):
        return self.reshape(numpy.empty(self.shape, "bool").squeeze(axis).shape)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        (a,), (b,) = _axes(axis1, self.ndim), _axes(axis2, self.ndim)
        return self._view(numpy.moveaxis(self._pairs.diagonal(offset, a, b), -2, -1))

    def copy(self, order="C"):
        return ndarray(self._pairs.copy())

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def view(self, dtype=None, type=None):
        if dtype is None or dtype is _native or _dtype(dtype) == self.dtype:
            return self._view(self._pairs)
        if _dtype(dtype) == self._pairs.dtype and self._pairs._is_row_major and self.ndim:
            return self._pairs.reshape(self.shape[:-1] + (-1,))
        raise NotImplementedError("view() in another dtype is not part of attn's numpy: astype() converts")

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        from numpy import _kinds

        kind = _dtype(dtype)
        if not _kinds.can_cast(self.dtype, kind, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {kind!r} according to the rule '{casting}'")
        if kind.kind == "c":
            if kind == self.dtype and not copy:
                return self
            return ndarray(self._pairs.astype(real_of(kind)))
        if kind.kind in "OSU":
            from numpy import _objects

            return _objects.array(self.tolist(), object if kind.kind == "O" else str).reshape(self.shape)
        if kind.kind == "b":
            return (self != 0) if self.ndim else numpy.asarray(self != 0)
        import warnings

        warnings.warn("Casting complex values to real discards the imaginary part", numpy.ComplexWarning, stacklevel=2)
        return self.real.astype(kind)

    # Elements.

    def _key(self, key):
        key = key if isinstance(key, tuple) else (key,)
        key = tuple(numpy.asarray(one) if isinstance(one, list) else one for one in key)
        count = sum(
            1 if not isinstance(one, _native) or one.dtype.kind != "b" else one.ndim
            for one in key if one is not None and one is not Ellipsis
        )
        if count > self.ndim:
            raise IndexError(
                f"too many indices for array: array is {self.ndim}-dimensional, but {count} were indexed"
            )
        return key, any(one is Ellipsis for one in key)

    def __getitem__(self, key):
        key, is_dotted = self._key(key)
        pairs = self._pairs[(*key, slice(None)) if is_dotted else (*key, Ellipsis, slice(None))]
        if pairs.ndim == 1 and not is_dotted:
            return self._scalar(pairs)
        return self._view(pairs) if pairs._address == self._pairs._address else ndarray(pairs)

    def __setitem__(self, key, value):
        key, is_dotted = self._key(key)
        self._pairs[(*key, slice(None)) if is_dotted else (*key, Ellipsis, slice(None))] = pairs_of(value)

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[at] for at in range(len(self)))

    def __contains__(self, value):
        return bool((self == value).any())

    def __bool__(self):
        if self.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return self.size == 1 and self.item() != 0

    def __complex__(self):
        return self.item()

    def __float__(self):
        import warnings

        warnings.warn("Casting complex values to real discards the imaginary part", numpy.ComplexWarning, stacklevel=2)
        return self.item().real

    __hash__ = None

    def item(self, *at):
        if not at and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        at = at[0] if len(at) == 1 and isinstance(at[0], tuple) else at
        if len(at) > 1:
            return self[tuple(at)].item()
        return complex(*self._pairs.reshape(-1, 2)[at[0] if at else 0].tolist())

    def tolist(self):
        def numbers(nested, left):
            return complex(*nested) if left == 0 else [numbers(one, left - 1) for one in nested]

        return numbers(self._pairs.tolist(), self.ndim)

    def fill(self, value):
        self[...] = value

    def itemset(self, *args):
        *at, value = args
        self.reshape(-1)[at[0]] = value if len(at) == 1 and not isinstance(at[0], tuple) else 0
        if len(at) != 1 or isinstance(at[0], tuple):
            self[tuple(at) if len(at) != 1 else at[0]] = value

    def tobytes(self, order="C"):
        return (self.T.copy() if order == "F" else self)._pairs.tobytes()

    def conjugate(self):
        return compute("conjugate", self)

    conj = conjugate

    def __getattr__(self, name):
        methods = _module("_complex_functions").METHODS
        if name in methods:
            function = methods[name]
            return lambda *args, **words: function(self, *args, **words)
        if name.startswith("_") or not hasattr(numpy.empty(0), name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        raise NotImplementedError(f"{name} of complex arrays is not part of attn's numpy")

    def _in_place(name):
        def operate(self, other):
            return compute(name, self, other, out=self)

        return operate

    __iadd__, __isub__ = _in_place("add"), _in_place("subtract")
    __imul__, __itruediv__, __ipow__ = _in_place("multiply"), _in_place("divide"), _in_place("power")

    def __matmul__(self, other):
        return numpy.matmul(self, other)

    def __rmatmul__(self, other):
        return numpy.matmul(other, self)

    def __str__(self):
        return str(self[()]) if not self.ndim else text(self, {}, " ", 0, 0)

    def __format__(self, spec):
        if not self.ndim:
            return format(self.item(), spec)
        if spec:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return str(self)

    def __repr__(self):
        return shown(self, {})

    def __reduce__(self):
        return numpy.array, (self.tolist(), str(self.dtype))


def text(array, words, separator, prefix, suffix):
    """As `numpy.array2string`."""
    return _numpy._complex_text(array._pairs, words, separator, prefix, suffix)


def shown(array, words):
    """As `numpy.array_repr`."""
    name = array.dtype.name
    if not array.size and array.shape != (0,):
        made = f"[], shape={array.shape}"
    else:
        made = text(array, words, ", ", 6, 1)
    if name == "complex128" and array.size:
        return f"array({made})"
    made = f"array({made},"
    width = words.get("linewidth", numpy.get_printoptions()["linewidth"])
    last = len(made.rsplit("\n", 1)[-1])
    gap = "\n      " if last + len(f"dtype={name})") + 1 > width else " "
    return f"{made}{gap}dtype={name})"


def _sizes(shape):
    if len(shape) == 1 and hasattr(shape[0], "__len__"):
        shape = shape[0]
    return tuple(int(size) for size in shape)


def real_of(dtype):
    """The dtype of the parts of a complex one."""
    return "float32" if _dtype(dtype).itemsize == 8 else "float64"


def pairs_of(value):
    """The real array of the parts of an array, a number or nested sequences of them."""
    if type(value) is ndarray:
        return value._pairs
    if isinstance(value, complex):
        real = "float32" if isinstance(value, complex64) else "float64"
        return _numpy._array([complex.real.__get__(value), complex.imag.__get__(value)], real, True)
    if isinstance(value, (list, tuple)) and _numpy._has_foreign(value):
        return _nested_pairs(value)
    value = numpy.asarray(value)
    if type(value) is not _native:
        return pairs_of(value.tolist())
    value = value if value.dtype.kind == "f" else value.astype("float64")
    value = value if value.dtype.itemsize > 2 else value.astype("float32")
    pairs = numpy.zeros((*value.shape, 2), value.dtype)
    pairs[..., 0] = value
    return pairs


def _nested_pairs(value):
    if all(isinstance(one, (int, float, complex)) for one in value):
        small = all(isinstance(one, complex64) for one in value)
        parts = [[part for part in (complex.real.__get__(one), complex.imag.__get__(one))] if isinstance(one, complex)
                 else [float(one), 0.0] for one in value]
        return _numpy._array(parts, "float32" if small else "float64", True).reshape((len(value), 2))
    parts = [pairs_of(one) for one in value]
    if len({part.shape for part in parts}) != 1:
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. "
            f"The detected shape was ({len(parts)},) + inhomogeneous part."
        )
    return numpy.stack(parts)


def array(data, dtype=None, copy=True):
    """An array of complex numbers from numbers, nested sequences or arrays."""
    kind = None if dtype is None else _dtype(dtype)
    if kind is not None and kind.kind != "c":
        made = array(data)
        if kind.kind in "biuf" and not isinstance(data, _native):
            raise TypeError(f"{'float' if kind.kind == 'f' else 'int'}() argument must be a string or a real number, not 'complex'")
        return made.astype(kind)
    if type(data) is ndarray and not copy and kind in (None, data.dtype):
        return data
    pairs = pairs_of(data)
    if kind is not None:
        pairs = pairs.astype(real_of(kind), copy=False)
    return ndarray(pairs.copy() if type(data) is ndarray and copy else pairs)


def filled(shape, value, dtype, order):
    """An array of one value."""
    real = real_of(dtype)
    shape = tuple(shape) if isinstance(shape, (tuple, list, _native)) else (shape,)
    made = ndarray(numpy.zeros((*(shape[::-1] if order == "F" else shape), 2), real))
    made = made.T if order == "F" else made
    if not isinstance(value, int) or value != 0:
        made[...] = value
    return made
