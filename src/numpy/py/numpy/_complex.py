"""Complex numbers as rotary positions use them: arrays over real ones with one more dimension, of the two parts.

Arithmetic and printing are native. What moves elements moves both parts. What is not here is refused by name.
"""

import math

import numpy
import _numpy
from _numpy import _axes, _complex, _complex_array, ndarray as _native, dtype as _dtype
from numpy._methods import _into
from numpy._scalars import complexfloating

_OF_REAL = {"float32": _dtype("complex64"), "float64": _dtype("complex128")}


class _Scalar(_complex, complexfloating):
    __slots__ = ()

    def __new__(cls, value=0, imag=0):
        if isinstance(value, (list, tuple)) or isinstance(value, _native) and value.ndim:
            return array(value, cls.__name__)
        number = complex(value.item() if isinstance(value, (_native, numpy.generic)) else value) + (1j * imag if imag else 0)
        if cls is complex64:
            number = complex(float(numpy.float32(number.real)), float(numpy.float32(number.imag)))
        return complex.__new__(cls, number)

    @property
    def dtype(self):
        return _dtype(type(self).__name__)

    @property
    def real(self):
        return self._class(complex.real.__get__(self))

    @property
    def imag(self):
        return self._class(complex.imag.__get__(self))

    def conjugate(self):
        return numpy.conjugate(self)

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

    def __repr__(self):
        real, imag = self.real, self.imag
        if real == 0 and math.copysign(1.0, real) > 0:
            return _digits(imag) + "j"
        return f"({_digits(real)}{_digits(imag, '+')}j)"

    __str__ = __repr__

    def __format__(self, spec):
        return format(self.item(), spec) if spec else str(self)

    def __reduce__(self):
        return type(self), (self.item(),)


def _digits(number, sign=""):
    text = str(number).removesuffix(".0")
    return text if text.startswith("-") else sign + text


class complex128(_Scalar):
    __module__ = "numpy"
    _class = numpy.float64


class complex64(_Scalar):
    __module__ = "numpy"
    _class = numpy.float32


class ndarray(_complex_array):
    """An array of complex numbers. `_pairs` is the real array of its parts."""

    __module__ = "numpy"
    __array_priority__ = 1000
    __hash__ = None

    @property
    def __class__(self):
        return _native

    dtype = property(lambda self: _OF_REAL[self._pairs.dtype.name])
    shape = property(lambda self: self._pairs.shape[:-1])
    ndim = property(lambda self: self._pairs.ndim - 1)
    size = property(lambda self: self._pairs.size // 2)
    itemsize = property(lambda self: 2 * self._pairs.itemsize)
    nbytes = property(lambda self: self._pairs.nbytes)
    strides = property(lambda self: self._pairs.strides[:-1])
    flags = property(lambda self: self._pairs.flags)
    _is_row_major = property(lambda self: self._pairs._is_row_major)
    _address = property(lambda self: self._pairs._address)
    T = property(lambda self: self._moved(lambda part: part.T))
    flat = property(lambda self: iter(self.reshape(-1)))

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
    def _tensor(self):
        """The complex tensor of torch over the same memory."""
        import torch

        return torch.view_as_complex(torch.from_numpy(self._pairs))

    def _moved(self, function):
        """What a function that moves elements makes of them: a view where it is one of the real parts."""
        real = function(self.real)
        pairs = _numpy._pairs_beside(self._pairs, real) if isinstance(real, _native) else None
        if pairs is None:
            return _paired(real, function(self.imag))
        return ndarray(pairs, self if self.base is None else self.base)

    def __getitem__(self, key):
        return self._moved(lambda part: part[key])

    def __setitem__(self, key, value):
        value = numpy.asarray(value)
        self.real[key] = value.real
        self.imag[key] = value.imag

    def __len__(self):
        return len(self.real)

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def item(self, *at):
        return complex(self.real.item(*at), self.imag.item(*at))

    __complex__ = item

    def tobytes(self, order="C"):
        return self._pairs.tobytes(order)

    def tolist(self):
        def numbers(nested, left):
            return complex(*nested) if left == 0 else [numbers(one, left - 1) for one in nested]

        return numbers(self._pairs.tolist(), self.ndim)

    def copy(self, order="C"):
        return ndarray(self._pairs.copy())

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def fill(self, value):
        self[...] = value

    def conjugate(self):
        return numpy.conjugate(self)

    conj = conjugate

    def view(self, dtype=None, type=None):
        if dtype is None or dtype is _native or _dtype(dtype) == self.dtype:
            return self[...]
        if _dtype(dtype) == self._pairs.dtype and self._is_row_major and self.ndim:
            return self._pairs.reshape(self.shape[:-1] + (-1,))
        raise NotImplementedError("view() in another dtype is not part of attn's numpy: astype() converts")

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        kind = _dtype(dtype)
        if not numpy.can_cast(self.dtype, kind, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {kind!r} according to the rule '{casting}'")
        if kind.kind == "c":
            return self if kind == self.dtype and not copy else ndarray(self._pairs.astype(real_of(kind)))
        if kind.kind not in "iuf":
            raise NotImplementedError(f"complex arrays as {kind} are not part of attn's numpy")
        import warnings

        warnings.warn("Casting complex values to real discards the imaginary part", numpy.ComplexWarning, stacklevel=2)
        return self.real.astype(kind)

    def __getattr__(self, name):
        if name in _MOVED and hasattr(_EXAMPLE, name):
            return lambda *args, **words: self._moved(lambda part: getattr(part, name)(*args, **words))
        if name in ("sum", "mean", "dot"):
            return lambda *args, **words: _OWN[name](self, *args, **words)
        if name.startswith("_") or not hasattr(_EXAMPLE, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        raise NotImplementedError(f"{name} of complex arrays is not part of attn's numpy")

    def __str__(self):
        return _numpy._text(self, {}, " ", 0, 0) if self.ndim else str(self[()])

    def __format__(self, spec):
        if not self.ndim:
            return format(self.item(), spec)
        if spec:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return str(self)

    def __repr__(self):
        return _numpy._repr(self, {})

    def __reduce__(self):
        return numpy.array, (self.tolist(), str(self.dtype))


_numpy._register_complex(ndarray, complex64, complex128)
_EXAMPLE = numpy.zeros(1)


# Arrays from data.


def real_of(dtype):
    """The dtype of the parts of a complex one."""
    return "float32" if _dtype(dtype).itemsize == 8 else "float64"


def has_complex(value):
    """Whether there is a complex number in nested lists, or a complex array among these."""
    if isinstance(value, complex) or type(value) is ndarray:
        return True
    return isinstance(value, (list, tuple)) and any(has_complex(one) for one in value)


def _paired(real, imag):
    """The array of these parts; lists of arrays give lists, and what has no dimensions a scalar."""
    if isinstance(real, (list, tuple)):
        return type(real)(_paired(one, two) for one, two in zip(real, imag))
    if not isinstance(real, _native):
        return (complex64 if real.dtype == "float32" else complex128)(complex(real, imag))
    kind = "float32" if real.dtype.name in ("float16", "float32") else "float64"
    return ndarray(numpy.stack([real.astype(kind, copy=False), imag.astype(kind, copy=False)], axis=-1))


def _pairs_of(value):
    """The real array of the parts of an array, a number or nested sequences of them."""
    if type(value) is ndarray:
        return value._pairs
    if isinstance(value, complex):
        real = "float32" if isinstance(value, complex64) else "float64"
        return _numpy._array([complex.real.__get__(value), complex.imag.__get__(value)], real, True)
    if isinstance(value, (list, tuple)) and has_complex(value):
        parts = [_pairs_of(one) for one in value]
        if len({part.shape for part in parts}) != 1:
            raise ValueError(
                "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 "
                f"dimensions. The detected shape was ({len(parts)},) + inhomogeneous part."
            )
        return numpy.stack(parts)
    value = numpy.array(value, ndmin=0)
    return _paired(value, numpy.zeros_like(value))._pairs


def view_of(a, kind):
    """A real array whose rows are pairs, as complex numbers over the same memory."""
    if a.dtype != real_of(kind) or not a._is_row_major or not a.ndim or a.shape[-1] % 2:
        raise NotImplementedError(f"view() of this array as {kind} is not part of attn's numpy: astype() converts")
    return ndarray(a.reshape(a.shape[:-1] + (a.shape[-1] // 2, 2)), a)


def array(data, dtype=None, copy=True):
    """An array of complex numbers from numbers, nested sequences or arrays."""
    kind = None if dtype is None else _dtype(dtype)
    if kind is not None and kind.kind != "c":
        if not isinstance(data, _native):
            name = "float" if kind.kind == "f" else "int"
            raise TypeError(f"{name}() argument must be a string or a real number, not 'complex'")
        return array(data).astype(kind)
    if type(data) is ndarray and not copy and kind in (None, data.dtype):
        return data
    pairs = _pairs_of(data)
    pairs = pairs if kind is None else pairs.astype(real_of(kind), copy=False)
    return ndarray(pairs.copy() if type(data) is ndarray and copy else pairs)


def filled(shape, value, dtype):
    """An array of one value."""
    made = ndarray(numpy.zeros((*shape, 2), real_of(dtype)))
    made[...] = value
    return made


# Functions of numpy.


def _pairwise(rows):
    """The sum of rows of parts (n, 2), in the order in which NumPy adds contiguous complex numbers."""
    count = len(rows)
    if count > 64:
        half = count // 2
        half -= half % 4
        return _pairwise(rows[:half]) + _pairwise(rows[half:])
    whole = count - count % 4
    made = numpy.zeros(2, rows.dtype)
    if whole:
        parts = rows[:4]
        for at in range(4, whole, 4):
            parts = parts + rows[at : at + 4]
        made = (parts[0] + parts[1]) + (parts[2] + parts[3])
    for at in range(whole, count):
        made = made + rows[at]
    return made


def _sum(a, axis=None, dtype=None, out=None, keepdims=False):
    a = array(a, dtype, False)
    axes = _axes(axis, a.ndim)
    if len(axes) == a.ndim and a._is_row_major:
        pairs = _pairwise(a._pairs.reshape(-1, 2))
        pairs = pairs.reshape((1,) * a.ndim + (2,)) if keepdims else pairs
    elif axes == (a.ndim - 1,) and a.size:
        rows = a._pairs.reshape((-1,) + a._pairs.shape[-2:])
        pairs = numpy.stack([_pairwise(row) for row in rows])
        pairs = pairs.reshape(a.shape[:-1] + ((1, 2) if keepdims else (2,)))
    else:
        pairs = a._pairs.sum(axes, keepdims=keepdims)
    return _into(out, ndarray(pairs)[()])


def _mean(a, axis=None, dtype=None, out=None, keepdims=False):
    a = array(a, dtype, False)
    count = math.prod(a.shape[at] for at in _axes(axis, a.ndim))
    total = _sum(a, axis, None, None, keepdims)
    return _into(out, numpy.divide(total, count) if isinstance(total, _native) else type(total)(total / count))


def _product(function, arrays):
    """A product that is linear in each of its factors: each is its real part and i times its imaginary part."""
    arrays, parts = [array(one, None, False) for one in arrays], [None, None]
    for choice in range(2 ** len(arrays)):
        turns = [choice >> at & 1 for at in range(len(arrays))]
        made = function(*[one.imag if turn else one.real for turn, one in zip(turns, arrays)])
        # The powers of i: 1, i, -1, -i.
        power = turns.count(1) % 4
        before = parts[power % 2]
        parts[power % 2] = made if before is None else before + made if power < 2 else before - made
    return _paired(*parts)


def _einsum(subscripts, *operands):
    return _product(lambda *parts: numpy.einsum(subscripts, *parts), operands)


def _angle(z, deg=False):
    made = numpy.arctan2(numpy.imag(z), numpy.real(z))
    return made * (180 / numpy.pi) if deg else made


def _part(name):
    return lambda val: getattr(val if isinstance(val, complex) else array(val, None, False), name)


def _isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    x, y = numpy.asarray(a), numpy.asarray(b)
    near = numpy.less_equal(abs(x - y), atol + rtol * abs(y))
    made = numpy.where(numpy.isfinite(x) & numpy.isfinite(y), near, x == y)
    return (made | (numpy.isnan(x) & numpy.isnan(y)) if equal_nan else made)[()]


_OWN = {
    "sum": _sum, "mean": _mean, "einsum": _einsum, "angle": _angle, "isclose": _isclose, "real": _part("real"),
    "imag": _part("imag"), "outer": lambda a, b: numpy.multiply.outer(numpy.ravel(a), numpy.ravel(b)),
    "vdot": lambda a, b: numpy.dot(numpy.conj(a).ravel(), numpy.ravel(b)),
    "matmul": lambda x1, x2: _product(numpy.matmul, (x1, x2)), "dot": lambda a, b: _product(numpy.dot, (a, b)),
    "inner": lambda a, b: _product(numpy.inner, (a, b)), "copy": lambda a: array(a).copy(),
}
# Functions that move elements: of their first argument, of a list of them, or of two.
_MOVED = (
    "reshape ravel flatten transpose swapaxes moveaxis squeeze expand_dims flip roll repeat take tile broadcast_to diagonal "
    "round around round_ split array_split concatenate stack where"
).split()
# Functions in Python that are written with others.
_BUILT = (
    "allclose array_equal iscomplexobj isrealobj isscalar append result_type promote_types can_cast issubdtype "
    "may_share_memory shares_memory vectorize ndenumerate array_repr array_str array2string broadcast_arrays"
).split()


def _joined(plain, name, args, words):
    """The same function of the real parts and of the imaginary parts of several arrays."""
    data = args[1:3] if name == "where" else args[0]
    arrays = [numpy.asarray(one) for one in data]

    def of(part):
        parts = [getattr(one, part) for one in arrays]
        return plain(args[0], *parts, **words) if name == "where" else plain(parts, *args[1:], **words)

    return _paired(of("real"), of("imag"))


def call(name, plain, args, words):
    """A function of numpy, by its name, of arguments among which there are complex ones."""
    if name in _OWN:
        return _OWN[name](*args, **words)
    if name in ("concatenate", "stack", "where"):
        return _joined(plain, name, args, words)
    if name in _MOVED:
        return array(args[0], None, False)._moved(lambda part: plain(part, *args[1:], **words))
    if name in _BUILT:
        return plain(*args, **words)
    raise NotImplementedError(f"{name}() of complex numbers is not part of attn's numpy")
