"""Complex tensors, as rotary embeddings use them: pairs of real tensors' elements, and what is computed with them.

A complex tensor of shape (...) holds a real one of shape (..., 2): real parts, imaginary parts. `view_as_real` and
`view_as_complex` are views of the same memory, and gradients are those of the real operations, as PyTorch's are. What is
not written here is refused by name.
"""

import _torch
import torch
from torch._arguments import hint
from torch._complex_views import Views, index_of

# Functions of torch that take complex tensors and are no methods, by name: those of `_complex_functions`.
FUNCTIONS = {}


class _ComplexDtype:
    """`torch.complex64` or `torch.complex128`."""

    is_floating_point, is_complex, is_signed = False, True, True

    def __init__(self, name, cpp_name, real):
        self._name, self.cpp_name, self.real, self.itemsize = name, cpp_name, real, 2 * real.itemsize

    def to_real(self):
        return self.real

    def to_complex(self):
        return self

    @property
    def __class__(self):
        return torch.dtype

    def __repr__(self):
        return f"torch.{self._name}"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        hint(memo)
        return self

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        hint(types)
        return _dispatch(func, args, kwargs or {})


complex64 = cfloat = _ComplexDtype("complex64", "ComplexFloat", torch.float32)
complex128 = cdouble = _ComplexDtype("complex128", "ComplexDouble", torch.float64)
OF_REAL = {torch.float32: complex64, torch.float64: complex128}
_number = type(1j)


def dtype_of(real):
    """The complex dtype of what is computed with real numbers of this dtype."""
    return OF_REAL.get(real) or OF_REAL[torch.get_default_dtype()]


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
        raise refused(name, self.dtype)

    # what it is

    dtype = property(lambda self: OF_REAL[self._pairs.dtype])
    shape = property(lambda self: self._pairs.shape[:-1])
    ndim = property(lambda self: self._pairs.ndim - 1)
    device = property(lambda self: self._pairs.device)
    layout = property(lambda self: self._pairs.layout)
    requires_grad = property(lambda self: self._pairs.requires_grad)
    is_leaf = property(lambda self: self._pairs.is_leaf)
    is_cuda = property(lambda self: False)
    itemsize = property(lambda self: self.dtype.itemsize)
    real = property(lambda self: self._pairs[..., 0])
    imag = property(lambda self: self._pairs[..., 1])
    data = property(lambda self: Tensor(self._pairs.data))
    grad_fn = property(lambda self: self._pairs.grad_fn)
    T = property(lambda self: self.permute(*reversed(range(self.ndim))))
    mT = property(lambda self: self.transpose(-2, -1))

    @property
    def grad(self):
        grad = self._pairs.grad
        return None if grad is None else Tensor(grad)

    def dim(self):
        return self.ndim

    def numel(self):
        return self._pairs.numel() // 2

    nelement = numel

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        strides = tuple(stride // 2 for stride in self._pairs.stride()[:-1])
        return strides if dim is None else strides[dim]

    def element_size(self):
        return self.dtype.itemsize

    def is_complex(self):
        return True

    def is_floating_point(self):
        return False

    def is_conj(self):
        if self._made == "ConjBackward0":
            raise refused("is_conj of what conj() returned", self.dtype)
        return False

    def is_contiguous(self):
        return self._pairs.is_contiguous()

    def data_ptr(self):
        return self._pairs.data_ptr()

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter([Tensor(row) for row in self._pairs])

    def __bool__(self):
        return self.item() != 0

    def __hash__(self):
        return id(self)

    def __repr__(self):
        default = dtype_of(torch.get_default_dtype())
        return _torch.complex_repr(self._pairs, repr(self.dtype), repr(default), self._made or "")

    __str__ = __repr__

    def __format__(self, spec):
        return format(self.item() if self.ndim == 0 else repr(self), spec)

    # copies

    def __setitem__(self, index, value):
        self._pairs[index_of(self, index)] = as_complex(value, self.dtype)._pairs

    def clone(self):
        return Tensor(self._pairs.clone())

    def detach(self):
        return Tensor(self._pairs.detach())

    def cpu(self):
        return self

    def requires_grad_(self, requires_grad=True):
        self._pairs.requires_grad_(requires_grad)
        return self

    def retain_grad(self):
        self._pairs.retain_grad()

    def to(self, *args, **kwargs):
        wanted = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, (torch.dtype, torch.Tensor))]
        rest = [arg for arg in args if arg not in (complex64, complex128) and not isinstance(arg, Tensor)]
        dtype = wanted[0].dtype if wanted and isinstance(wanted[0], torch.Tensor) else wanted[0] if wanted else self.dtype
        if not dtype.is_complex:
            return self._real_part(dtype)
        on_device = [arg for arg in rest if not isinstance(arg, torch.dtype)]
        pairs = self._pairs.to(*on_device, dtype.real)
        return self if pairs is self._pairs else Tensor(pairs)

    def _real_part(self, dtype):
        import warnings

        words = "Casting complex values to real discards the imaginary part"
        warnings.warn(words, UserWarning, stacklevel=3)
        return self.real.to(dtype)

    def type_as(self, other):
        return self.to(other.dtype)

    def float(self):
        return self.to(torch.float32)

    def double(self):
        return self.to(torch.float64)

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return _number(*self._pairs.reshape(2).tolist())

    __complex__ = item

    def tolist(self):
        def numbers(nested):
            return _number(*nested) if not isinstance(nested[0], list) else [numbers(inner) for inner in nested]

        return numbers(self._pairs.tolist()) if self.numel() else []

    def numpy(self):
        return self._pairs.numpy().view(self.dtype._name)[..., 0]

    # arithmetic

    def conj(self):
        return pair(self.real, -self.imag, "Conj")

    conj_physical = conj

    def resolve_conj(self):
        return self

    def abs(self):
        return torch.hypot(self.real, self.imag)

    absolute = __abs__ = abs

    def angle(self):
        return torch.atan2(self.imag, self.real)

    def neg(self):
        return Tensor(-self._pairs)

    negative = __neg__ = neg

    def __pos__(self):
        return self

    def exp(self):
        size = self.real.exp()
        return pair(size * self.imag.cos(), size * self.imag.sin(), "Exp")

    def square(self):
        return self * self

    def reciprocal(self):
        return 1 / self

    def pow(self, exponent):
        if isinstance(exponent, int) and 1 <= exponent <= 64:
            result = self
            for _ in range(exponent - 1):
                result = result * self
            return result
        raise NotImplementedError("pow of a complex tensor is part of attn for exponents 1, 2, 3, ... alone")

    __pow__ = pow

    def add(self, other, *, alpha=1):
        return both(self, other, lambda a, b: Tensor(a._pairs + b._pairs if alpha == 1 else a._pairs + alpha * b._pairs))

    def sub(self, other, *, alpha=1):
        return both(self, other, lambda a, b: Tensor(a._pairs - b._pairs if alpha == 1 else a._pairs - alpha * b._pairs))

    def mul(self, other):
        return both(self, other, _product)

    def div(self, other, *, rounding_mode=None):
        if rounding_mode is not None:
            raise refused("div(rounding_mode=...)", self.dtype)
        return both(self, other, _quotient)

    multiply, divide, true_divide, subtract = mul, div, div, sub

    def matmul(self, other):
        return both(self, other, _matrix_product)

    mm = bmm = matmul

    def __add__(self, other):
        return self.add(other) if fits(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        return self.sub(other) if fits(other) else NotImplemented

    def __rsub__(self, other):
        return as_complex(other, self.dtype).sub(self) if fits(other) else NotImplemented

    def __mul__(self, other):
        return self.mul(other) if fits(other) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.div(other) if fits(other) else NotImplemented

    def __rtruediv__(self, other):
        return as_complex(other, self.dtype).div(self) if fits(other) else NotImplemented

    def __matmul__(self, other):
        return self.matmul(other) if isinstance(other, torch.Tensor) else NotImplemented

    def __rmatmul__(self, other):
        return as_complex(other, self.dtype).matmul(self) if isinstance(other, torch.Tensor) else NotImplemented

    def _change(self, result):
        self._pairs.copy_(result._pairs)
        return self

    def mul_(self, other):
        return self._change(self.mul(other))

    def add_(self, other):
        return self._change(self.add(other))

    def sub_(self, other):
        return self._change(self.sub(other))

    def div_(self, other):
        return self._change(self.div(other))

    __imul__, __iadd__, __isub__, __itruediv__ = mul_, add_, sub_, div_

    def copy_(self, other):
        self._pairs.copy_(as_complex(other, self.dtype)._pairs)
        return self

    # sums and comparisons

    def sum(self, dim=None, keepdim=False):
        return self._reduced("sum", dim, keepdim)

    def mean(self, dim=None, keepdim=False):
        return self._reduced("mean", dim, keepdim)

    def _reduced(self, name, dim, keepdim):
        dims = range(self.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
        dims = tuple(self._dim(dim) for dim in dims)
        if not dims:
            return self.clone()
        return Tensor(getattr(self._pairs, name)(dim=dims, keepdim=keepdim))

    def eq(self, other):
        return both(self, other, lambda a, b: (a._pairs == b._pairs).all(-1))

    def ne(self, other):
        return ~self.eq(other)

    def __eq__(self, other):
        return self.eq(other) if fits(other) else NotImplemented

    def __ne__(self, other):
        return self.ne(other) if fits(other) else NotImplemented

    def equal(self, other):
        return other.is_complex() and self.shape == other.shape and torch.equal(self._pairs, other._pairs)

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        if equal_nan:
            raise refused("isclose(equal_nan=True)", self.dtype)
        return both(self, other, lambda a, b: (a.eq(b)) | ((a - b).abs() <= atol + rtol * b.abs()))

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return bool(self.isclose(other, rtol, atol, equal_nan).all())

    def isnan(self):
        return self._pairs.isnan().any(-1)

    def backward(self, gradient=None, **words):
        if gradient is None:
            raise RuntimeError("grad can be implicitly created only for real scalar outputs but got " + repr(self.dtype))
        self._pairs.backward(gradient._pairs, **words)


Tensor.__qualname__ = "Tensor"


def pair(real, imag, made=None):
    return Tensor(torch.stack([real, imag], -1), made and made + "Backward0")


def fits(other):
    return isinstance(other, (torch.Tensor, int, float, _number))


def as_complex(value, dtype):
    """A number, or a real or complex tensor, as a complex tensor. A number has this dtype."""
    if type(value) is Tensor:
        return value
    if isinstance(value, torch.Tensor):
        real = value.to(dtype_of(value.dtype).real)
        return pair(real, torch.zeros_like(real), "ToCopy")
    value = _number(value)
    return Tensor(torch.tensor([value.real, value.imag], dtype=dtype.real))


def both(a, b, compute):
    """`compute` of two operands of one dtype; a tensor of dimension 0 and a number do not widen another."""
    a, b = as_complex(a, getattr(b, "dtype", None)), as_complex(b, getattr(a, "dtype", None))
    if a.dtype is not b.dtype:
        narrow = (a.ndim == 0) != (b.ndim == 0)
        dtype = (b if a.ndim == 0 else a).dtype if narrow else complex128
        a, b = a.to(dtype), b.to(dtype)
    return compute(a, b)


def _product(a, b):
    return pair(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real, "Mul")


def _quotient(a, b):
    """Divided by the larger part first, so that nothing overflows on the way."""
    swap = b.real.abs() < b.imag.abs()
    large, small = torch.where(swap, b.imag, b.real), torch.where(swap, b.real, b.imag)
    ratio = small / large
    scale = 1 / (large + small * ratio)
    first, second = torch.where(swap, a.imag, a.real), torch.where(swap, a.real, a.imag)
    imag = torch.where(swap, ratio * a.imag - a.real, a.imag - a.real * ratio)
    return pair((first + second * ratio) * scale, imag * scale, "Div")


def _matrix_product(a, b):
    return pair(a.real @ b.real - a.imag @ b.imag, a.real @ b.imag + a.imag @ b.real, "Mm")


def refused(name, dtype):
    return NotImplementedError(f"{name} of a {dtype._name} tensor is not part of attn: {_ADVICE}")


_ADVICE = "it has the complex numbers of rotary embeddings (polar, view_as_complex, products, abs, angle)"


# Functions whose other operand may be the complex one.
_COMMUTE = ("add", "sub", "mul", "div", "multiply", "divide", "true_divide", "subtract", "matmul", "mm", "bmm", "eq", "ne")
_METHODS = (
    "abs absolute allclose angle chunk clone conj conj_physical detach equal exp expand flatten index_select is_complex "
    "is_floating_point isclose isnan mean movedim neg negative permute pow reciprocal repeat_interleave reshape "
    "resolve_conj split square squeeze sum swapaxes swapdims t transpose unbind unflatten unsqueeze"
).split()


def _dispatch(func, args, kwargs):
    """A function of torch, or a method of a real tensor, of which an argument is complex."""
    name = func.__name__
    first = args[0] if args else kwargs.get("input")
    if name in FUNCTIONS:
        return FUNCTIONS[name](*args, **kwargs)
    if "input" in kwargs:
        args, kwargs = (kwargs["input"], *args), {word: value for word, value in kwargs.items() if word != "input"}
    if name in ("to", "type_as") and type(first) is not Tensor:
        like = next(arg for arg in (*args[1:], *kwargs.values()) if type(arg) in (_ComplexDtype, Tensor))
        dtype = getattr(like, "dtype", like)
        return as_complex(first, dtype).to(dtype)
    if name in _COMMUTE:
        return getattr(as_complex(first, getattr(args[1], "dtype", complex64)), name)(*args[1:], **kwargs)
    if name in _METHODS and type(first) is Tensor:
        return getattr(first, name)(*args[1:], **kwargs)
    dtype = next((arg.dtype for arg in args if type(arg) is Tensor), complex64)
    raise refused(name, dtype)
