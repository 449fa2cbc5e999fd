"""Functions of torch for complex tensors: what makes them, and what joins several."""

import torch
import torch._complex as _complex
from torch._arguments import on_cpu
from torch._complex import (
    FUNCTIONS,
    OF_REAL,
    Tensor,
    as_complex,
    both,
    cdouble,
    cfloat,
    complex64,
    complex128,
    dtype_of,
    pair,
    refused,
)
from torch._complex_views import sizes_of

__all__ = "angle cdouble cfloat complex complex64 complex128 imag is_complex polar view_as_complex view_as_real".split()


def polar(abs, angle, *, out=None):
    """abs * (cos(angle) + i sin(angle))"""
    if out is not None:
        raise NotImplementedError("polar(out=...) is not part of attn")
    _check_parts(abs, angle)
    return pair(abs * angle.cos(), abs * angle.sin(), "Polar")


def complex(real, imag, *, out=None):
    """real + i imag"""
    if out is not None:
        raise NotImplementedError("complex(out=...) is not part of attn")
    _check_parts(real, imag)
    return pair(*torch.broadcast_tensors(real, imag), "Complex")


def _check_parts(a, b):
    names = [_cpp_name(part.dtype) for part in (a, b)]
    if not all(part.dtype in OF_REAL for part in (a, b)):
        raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {names[0]} and {names[1]}")
    if a.dtype != b.dtype:
        raise RuntimeError(f"Expected object of scalar type {names[0]} but got scalar type {names[1]} for second argument")


_CPP = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "float16": "Half",
    "bfloat16": "BFloat16", "float32": "Float", "float64": "Double",
}


def _cpp_name(dtype):
    return dtype.cpp_name if dtype.is_complex else _CPP[repr(dtype).partition(".")[2]]


def view_as_complex(input):
    """(..., 2) real -> (...) complex, over the same memory."""
    if type(input) is Tensor or input.dtype not in OF_REAL:
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
    for dim, stride in enumerate(input.stride()[:-1]):
        if stride % 2:
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return Tensor(input, "ViewAsComplexBackward0")


def view_as_real(input):
    """(...) complex -> (..., 2) real, over the same memory."""
    if type(input) is not Tensor:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return input._pairs.view_as(input._pairs)


def angle(input):
    """The angle of each number: atan2(imag, real); pi or 0 for real ones."""
    if type(input) is Tensor:
        return input.angle()
    zeros = torch.zeros_like(input, dtype=dtype_of(input.dtype).real)
    return torch.where(input < 0, torch.pi, zeros).masked_fill(input.isnan(), torch.nan)


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
        number = _complex._number(nested)
        return [number.real, number.imag]

    if dtype is not None and not dtype.is_complex:
        raise RuntimeError(f"value cannot be converted to type {_CPP[repr(dtype)[6:]].lower()} without overflow")
    dtype = dtype or dtype_of(torch.get_default_dtype())
    pairs = torch.tensor(parts(data), dtype=dtype.real)
    return Tensor(pairs.reshape(0, 2) if pairs.numel() == 0 else pairs).requires_grad_(requires_grad)


def operate(name, a, b):
    """An operator of a real tensor and a complex number."""
    if name not in ("add", "sub", "mul", "div", "eq", "ne"):
        raise refused(name, complex64)
    dtype = dtype_of(next(x for x in (a, b) if isinstance(x, torch.Tensor)).dtype)
    return getattr(as_complex(a, dtype), name)(as_complex(b, dtype))


def _cat(tensors, dim=0):
    tensors = _alike(tensors)
    return Tensor(torch.cat([tensor._pairs for tensor in tensors], tensors[0]._dim(dim)))


def _stack(tensors, dim=0):
    tensors = _alike(tensors)
    return Tensor(torch.stack([tensor._pairs for tensor in tensors], dim % (tensors[0].ndim + 1)))


def _alike(tensors):
    dtype = complex128 if any(tensor.dtype in (complex128, torch.float64) for tensor in tensors) else complex64
    return [as_complex(tensor, dtype).to(dtype) for tensor in tensors]


def _where(condition, input, other):
    return both(input, other, lambda a, b: Tensor(torch.where(condition.unsqueeze(-1), a._pairs, b._pairs)))


def _created(name):
    """A function that makes a tensor of a size: both parts of `zeros`; `ones` has imaginary parts 0."""

    def create(*size, dtype=None, device=None, requires_grad=False):
        on_cpu(device)
        size = (*sizes_of(size), 2)
        pairs = torch.zeros(size, dtype=dtype.real)
        if name == "ones":
            pairs[..., 0] = 1
        return Tensor(pairs).requires_grad_(requires_grad)

    return create


def _like(name):
    def create(input, *, dtype=None):
        return _created(name)(*input.shape, dtype=dtype or input.dtype)

    return create


def _outer(input, vec2):
    return input.unsqueeze(-1) * vec2.unsqueeze(0)


FUNCTIONS.update({
    "cat": _cat,
    "concat": _cat,
    "stack": _stack,
    "where": _where,
    "outer": _outer,
    "zeros": _created("zeros"),
    "ones": _created("ones"),
    "empty": _created("zeros"),
    "zeros_like": _like("zeros"),
    "ones_like": _like("ones"),
    "empty_like": _like("zeros"),
    "real": lambda input: input.real,
    "imag": lambda input: input.imag,
    "numel": Tensor.numel,
})
