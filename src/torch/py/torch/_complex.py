"""Complex tensors, as rotary embeddings use them: pairs of real tensors' elements, and what is computed with them.

A complex tensor of shape (...) holds a real one of shape (..., 2): real parts, imaginary parts. `view_as_real` and
`view_as_complex` are views of the same memory, and gradients are those of the real operations, as PyTorch's are. What is
not written here is refused by name.
"""

import _torch
import torch
from torch._arguments import hint
from torch._complex_views import Views, index_of

__all__ = "angle cdouble cfloat complex complex64 complex128 imag is_complex polar view_as_complex view_as_real".split()

_number = type(1j)


class _ComplexDtype:
    """`torch.complex64` or `torch.complex128`."""

    is_floating_point, is_complex, is_signed = False, True, True

    def __init__(self, name, cpp_name, real):
        self._name, self.cpp_name, self.real, self.itemsize = name, cpp_name, real, 2 * real.itemsize

    @property
    def __class__(self):
        return torch.dtype

    def __repr__(self):
        return f"torch.{self._name}"

    def __deepcopy__(self, memo):
        hint(memo)
        return self

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        hint(types)
        return _dispatch(func, args, kwargs or {})


complex64 = cfloat = _ComplexDtype("complex64", "ComplexFloat", torch.float32)
complex128 = cdouble = _ComplexDtype("complex128", "ComplexDouble", torch.float64)
_OF_REAL = {torch.float32: complex64, torch.float64: complex128}


def _dtype_of(real):
    """The complex dtype of what is computed with real numbers of this dtype."""
    return _OF_REAL.get(real) or _OF_REAL[torch.get_default_dtype()]


class Tensor(Views):
    """A complex tensor. `pairs` is the real tensor of its parts."""

    __module__ = "torch"
    __array_priority__ = 1000

    def __init__(self, pairs, made=None):
        # `made` is the name of the gradient's node, where the parts have another.
        self._pairs, self._made = pairs, made

    @property
    def __class__(self):
        return torch.Tensor

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        hint(types)
        return _dispatch(func, args, kwargs or {})

    def __getattr__(self, name):
        if name.startswith("__") or not hasattr(torch.Tensor, name):
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        raise _refused(name, self.dtype)

    # What it is.

    dtype = property(lambda self: _OF_REAL[self._pairs.dtype])
    shape = property(lambda self: self._pairs.shape[:-1])
    ndim = property(lambda self: self._pairs.ndim - 1)
    device = property(lambda self: self._pairs.device)

    requires_grad = property(lambda self: self._pairs.requires_grad)

    real = property(lambda self: self._pairs[..., 0])
    imag = property(lambda self: self._pairs[..., 1])
    grad_fn = property(lambda self: self._pairs.grad_fn)
    grad = property(lambda self: None if self._pairs.grad is None else Tensor(self._pairs.grad))

    def dim(self):
        return self.ndim

    def numel(self):
        return self._pairs.numel() // 2

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def is_complex(self):
        return True

    def is_floating_point(self):
        return False

    def is_contiguous(self):
        return self._pairs.is_contiguous()

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter([Tensor(row) for row in self._pairs])

    def __bool__(self):
        raise _refused("bool", self.dtype)

    def __hash__(self):
        return id(self)

    def __repr__(self):
        default = _dtype_of(torch.get_default_dtype())
        return _torch.complex_repr(self._pairs, repr(self.dtype), repr(default), self._made or "")

    __str__ = __repr__

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return _number(*self._pairs.reshape(2).tolist())

    def tolist(self):
        def numbers(nested):
            return _number(*nested) if not isinstance(nested[0], list) else [numbers(inner) for inner in nested]

        return numbers(self._pairs.tolist()) if self.numel() else []

    # Copies and changes.

    def __setitem__(self, index, value):
        self._pairs[index_of(self, index)] = _as_complex(value, self.dtype)._pairs

    def _of_pairs(name):
        return lambda self: Tensor(getattr(self._pairs, name)())

    clone, contiguous, detach, neg = map(_of_pairs, ("clone", "contiguous", "detach", "neg"))
    __neg__ = neg

    def requires_grad_(self, requires_grad=True):
        self._pairs.requires_grad_(requires_grad)
        return self

    def to(self, *args, **kwargs):
        given = [*args, *kwargs.values()]
        dtype = next((getattr(one, "dtype", one) for one in given if isinstance(one, (torch.dtype, torch.Tensor))), self.dtype)
        if not dtype.is_complex:
            raise _refused(f"to({dtype})", self.dtype)
        places = [one for one in given if not isinstance(one, (torch.dtype, torch.Tensor))]
        pairs = self._pairs.to(*places, dtype.real)
        return self if pairs is self._pairs else Tensor(pairs)

    cpu = type_as = to

    # Arithmetic.

    def conj(self):
        return _pair(self.real, -self.imag, "Conj")

    def abs(self):
        return torch.hypot(self.real, self.imag)

    __abs__ = abs

    def angle(self):
        return torch.atan2(self.imag, self.real)

    def exp(self):
        size = self.real.exp()
        return _turned(size, self.imag, "Exp")

    def add(self, other):
        return _both(self, other, lambda a, b: Tensor(a._pairs + b._pairs))

    def sub(self, other):
        return _both(self, other, lambda a, b: Tensor(a._pairs - b._pairs))

    def mul(self, other):
        return _both(self, other, lambda a, b: Tensor(_torch._call("complex_mul", a._pairs, b._pairs)))

    def _operator(name, is_reflected=False):
        def operate(self, other):
            if not isinstance(other, (torch.Tensor, int, float, _number)):
                return NotImplemented
            if is_reflected:
                return getattr(_as_complex(other, self.dtype), name)(self)
            return getattr(self, name)(other)

        return operate

    __add__, __radd__, __sub__, __rsub__ = _operator("add"), _operator("add"), _operator("sub"), _operator("sub", True)
    __mul__, __rmul__, __truediv__, __pow__ = _operator("mul"), _operator("mul"), _operator("div"), _operator("pow")
    # These are refused: Python would compare the objects, or compute a new tensor in place of a change.
    __eq__, __ne__, __iadd__, __isub__, __imul__ = map(_operator, ("eq", "ne", "add_", "sub_", "mul_"))


Tensor.__qualname__ = "Tensor"


def _pair(real, imag, made=None):
    return Tensor(torch.stack([real, imag], -1), made and made + "Backward0")


def _as_complex(value, dtype):
    """A number, or a real or complex tensor, as a complex tensor. A number has this dtype."""
    if type(value) is Tensor:
        return value
    if isinstance(value, torch.Tensor):
        real = value.to(_dtype_of(value.dtype).real)
        return _pair(real, torch.zeros_like(real), "ToCopy")
    value = _number(value)
    return Tensor(torch.tensor([value.real, value.imag], dtype=dtype.real))


def _both(a, b, compute):
    """`compute` of two operands of one dtype; a tensor of dimension 0 and a number do not widen another."""
    a, b = _as_complex(a, getattr(b, "dtype", None)), _as_complex(b, getattr(a, "dtype", None))
    if a.dtype is not b.dtype:
        narrow = (a.ndim == 0) != (b.ndim == 0)
        dtype = (b if a.ndim == 0 else a).dtype if narrow else complex128
        a, b = a.to(dtype), b.to(dtype)
    return compute(a, b)


# Functions of torch.


def polar(abs, angle):
    """abs * (cos(angle) + i sin(angle))"""
    _check_parts(abs, angle)
    return _turned(abs, angle, "Polar")


def _turned(size, angle, name):
    """size * (cos(angle) + i sin(angle)), by the functions of the C library."""
    wide = angle.double()
    return _pair(size * wide.cos().to(angle.dtype), size * wide.sin().to(angle.dtype), name)


def complex(real, imag):
    """real + i imag"""
    _check_parts(real, imag)
    return _pair(*torch.broadcast_tensors(real, imag), "Complex")


def _check_parts(a, b):
    names = [_cpp_name(part.dtype) for part in (a, b)]
    if not all(part.dtype in _OF_REAL for part in (a, b)):
        raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {names[0]} and {names[1]}")
    if a.dtype != b.dtype:
        raise RuntimeError(f"Expected object of scalar type {names[0]} but got scalar type {names[1]} for second argument")


def _cpp_name(dtype):
    return dtype.cpp_name if dtype.is_complex else _torch._cpp_name(dtype)


def view_as_complex(input):
    """(..., 2) real -> (...) complex, over the same memory."""
    if type(input) is Tensor or input.dtype not in _OF_REAL:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            + _cpp_name(input.dtype)
        )
    if input.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.stride(-1) != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(stride % 2 for stride in input.stride()[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return Tensor(input, "ViewAsComplexBackward0")


def view_as_real(input):
    """(...) complex -> (..., 2) real, over the same memory."""
    if type(input) is not Tensor:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return input._pairs.view_as(input._pairs)


def angle(input):
    """The angle of each number: atan2(imag, real)."""
    return input.angle()


def imag(input):
    """The imaginary parts: a view."""
    if type(input) is not Tensor:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return input.imag


def is_complex(input):
    return input.is_complex()


def tensor(data, dtype=None, requires_grad=False):
    """`torch.tensor` of nested lists in which there are complex numbers, or with a complex dtype."""

    def parts(nested):
        if isinstance(nested, (list, tuple)):
            return [parts(inner) for inner in nested]
        if isinstance(nested, torch.Tensor):
            return parts(nested.tolist())
        number = _number(nested)
        return [number.real, number.imag]

    if dtype is not None and not dtype.is_complex:
        raise RuntimeError(f"value cannot be converted to type {_cpp_name(dtype).lower()} without overflow")
    dtype = dtype or _dtype_of(torch.get_default_dtype())
    pairs = torch.tensor(parts(data), dtype=dtype.real)
    return Tensor(pairs.reshape(0, 2) if pairs.numel() == 0 else pairs).requires_grad_(requires_grad)


def operate(name, a, b):
    """An operator of a real tensor and a complex number."""
    if name not in _OF_BOTH:
        raise _refused(name, complex64)
    dtype = _dtype_of(next(x for x in (a, b) if isinstance(x, torch.Tensor)).dtype)
    return getattr(_as_complex(a, dtype), name)(_as_complex(b, dtype))


def _cat(tensors, dim=0):
    dtype = complex128 if any(tensor.dtype in (complex128, torch.float64) for tensor in tensors) else complex64
    tensors = [_as_complex(tensor, dtype).to(dtype) for tensor in tensors]
    return Tensor(torch.cat([tensor._pairs for tensor in tensors], tensors[0]._dim(dim)))


_FUNCTIONS = {
    "cat": _cat, "concat": _cat, "real": lambda input: input.real, "imag": imag, "numel": Tensor.numel,
}
# Functions whose other operand may be the complex one.
_OF_BOTH = ("add", "sub", "mul")
_METHODS = (
    "abs angle clone conj detach exp flatten is_complex is_floating_point neg permute repeat_interleave reshape split "
    "squeeze transpose unbind unsqueeze"
).split()


def _refused(name, dtype):
    return NotImplementedError(
        f"{name} of a {dtype._name} tensor is not part of attn: it has the complex numbers of rotary embeddings (polar, "
        "view_as_complex, products, abs, angle)"
    )


def _dispatch(func, args, kwargs):
    """A function of torch, or a method of a real tensor, of which an argument is complex."""
    name = func.__name__
    if "input" in kwargs:
        args, kwargs = (kwargs["input"], *args), {word: value for word, value in kwargs.items() if word != "input"}
    first = args[0] if args else None
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](*args, **kwargs)
    if name in ("to", "type_as") and type(first) is not Tensor:
        like = next(arg for arg in (*args[1:], *kwargs.values()) if type(arg) in (_ComplexDtype, Tensor))
        dtype = getattr(like, "dtype", like)
        return _as_complex(first, dtype).to(dtype)
    if name in _OF_BOTH:
        return getattr(_as_complex(first, getattr(args[1], "dtype", complex64)), name)(*args[1:], **kwargs)
    if name in _METHODS and type(first) is Tensor:
        return getattr(first, name)(*args[1:], **kwargs)
    raise _refused(name, next((arg.dtype for arg in args if type(arg) is Tensor), complex64))
