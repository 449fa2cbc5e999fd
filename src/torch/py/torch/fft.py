"""torch.fft: discrete Fourier transforms, by NumPy's. The gradient of a transform is the one with the other sign."""

import math

import torch
from torch._complex import Tensor as _ComplexTensor

_DTYPES = {
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
}


class FftC2C(torch.autograd.Function):
    """The transform of pairs (.., n, .., 2) of real and imaginary parts along one dimension, times `scale`."""

    @staticmethod
    def forward(ctx, pairs, dim, sign, scale):
        import numpy
        from numpy import fft

        ctx.made = dim, sign, scale
        rows = pairs.detach().double().movedim(dim, -2).contiguous().numpy()
        re, im = fft._transform(rows[..., 0], rows[..., 1], sign)
        made = torch.from_numpy(numpy.stack([re, im], axis=-1) * scale)
        return made.movedim(-2, dim).to(pairs.dtype).contiguous()

    @staticmethod
    def backward(ctx, grad):
        dim, sign, scale = ctx.made
        return FftC2C.apply(grad, dim, -sign, scale), None, None, None


class FftR2C(FftC2C):
    """The same of numbers whose imaginary part is 0."""


def _is_complex(input):
    return type(input) is _ComplexTensor


def _checked(name, input):
    if not isinstance(input, torch.Tensor):
        kind = type(input).__name__
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}")
    if input.dtype in _DTYPES:
        raise RuntimeError(f"Unsupported dtype {_DTYPES[input.dtype]}")
    if not _is_complex(input) and not input.dtype.is_floating_point:
        input = input.to(torch.get_default_dtype())
    return input


def _axis(input, dim):
    if input.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if not -input.ndim <= dim < input.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but got {dim})"
        )
    return dim % input.ndim


def _scale(n, norm, is_inverse):
    if norm not in (None, "backward", "ortho", "forward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    return 1.0 / n if (norm == "forward") != is_inverse else 1.0


def _points(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def _sized(parts, n, dim):
    """A real tensor with n elements along a dimension: cut, or with zeros behind."""
    size = parts.shape[dim]
    if n < size:
        return parts.narrow(dim, 0, n)
    if n > size:
        shape = (*parts.shape[:dim], n - size, *parts.shape[dim + 1 :])
        return torch.cat([parts, parts.new_zeros(shape)], dim)
    return parts


def _half(input, n, dim, norm, is_inverse=False):
    """The pairs of the first half of the transform of a real tensor, with the middle."""
    parts = _sized(input, n, dim)
    pairs = torch.stack([parts, torch.zeros_like(parts)], -1)
    made = FftR2C.apply(pairs, dim, -1, _scale(n, norm, is_inverse)).narrow(dim, 0, n // 2 + 1)
    # The first, and of an even length the middle one, are real.
    real = torch.ones(n // 2 + 1, 2, dtype=made.dtype)
    real[0, 1] = 0
    if n % 2 == 0:
        real[n // 2, 1] = 0
    return made * real.reshape(-1, *[1] * (made.ndim - dim - 2), 2)


def _mirrored(pairs, n, dim):
    """The whole of n points from its first half: the others are the first ones again, conjugated."""
    count = (n - 1) // 2
    if not count:
        return pairs
    rest = pairs.narrow(dim, 1, count).flip(dim) * torch.tensor([1.0, -1.0], dtype=pairs.dtype)
    return torch.cat([pairs, rest], dim)


def _along(name, input, n, dim, norm, is_inverse):
    input = _checked(name, input)
    dim = _axis(input, dim)
    n = _points(input.shape[dim] if n is None else n)
    if not _is_complex(input):
        made = _ComplexTensor(_mirrored(_half(input, n, dim, norm, is_inverse), n, dim), "FftR2CBackward0")
        return made.conj() if is_inverse else made
    pairs = _sized(input._pairs, n, dim)
    sign = 1 if is_inverse else -1
    return _ComplexTensor(FftC2C.apply(pairs, dim, sign, _scale(n, norm, is_inverse)), "FftC2CBackward0")


def fft(input, n=None, dim=-1, norm=None, *, out=None):
    return _given(_along("fft_fft", input, n, dim, norm, False), out)


def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    return _given(_along("fft_ifft", input, n, dim, norm, True), out)


def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    input = _checked("fft_rfft", input)
    if _is_complex(input):
        raise RuntimeError(f"rfft expects a real input tensor, but got {input.dtype.cpp_name}")
    dim = _axis(input, dim)
    n = _points(input.shape[dim] if n is None else n)
    return _given(_ComplexTensor(_half(input, n, dim, norm), "FftR2CBackward0"), out)


def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    input = _checked("fft_irfft", input)
    dim = _axis(input, dim)
    n = _points(2 * (input.shape[dim] - 1) if n is None else n)
    pairs = input._pairs if _is_complex(input) else torch.stack([input, torch.zeros_like(input)], -1)
    pairs = _mirrored(_sized(pairs, n // 2 + 1, dim), n, dim)
    # What is not real in the first, and of an even length in the middle one, has no part in what is real.
    return _given(FftC2C.apply(pairs, dim, 1, _scale(n, norm, True)).select(-1, 0), out)


def _given(made, out):
    if out is not None:
        raise NotImplementedError("torch.fft(out=...) is not part of attn")
    return made


def _several(name, input, s, dim, norm, is_inverse):
    input = _checked(name, input)
    if s is not None and dim is not None and len(s) != len(dim):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if dim is None:
        count = input.ndim if s is None else len(s)
        if count > input.ndim:
            raise RuntimeError(f"Got shape with {count} values but input tensor only has {input.ndim} dimensions.")
        dim = range(input.ndim - count, input.ndim)
    dims = [_axis(input, one) for one in dim]
    if len(set(dims)) < len(dims):
        raise RuntimeError("FFT dims must be unique")
    sizes = [input.shape[one] for one in dims] if s is None else list(s)
    for at, size in zip(reversed(dims), reversed(sizes)):
        input = _along(name, input, input.shape[at] if size == -1 else size, at, norm, is_inverse)
    return input


def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return _given(_several("fft_fft2", input, s, dim, norm, False), out)


def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return _given(_several("fft_ifft2", input, s, dim, norm, True), out)


def fftn(input, s=None, dim=None, norm=None, *, out=None):
    return _given(_several("fft_fftn", input, s, dim, norm, False), out)


def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    return _given(_several("fft_ifftn", input, s, dim, norm, True), out)


def _frequencies(name, places, n, d, dtype, words):
    if dtype is not None and not dtype.is_floating_point:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    return torch.tensor(places, dtype=dtype or torch.get_default_dtype(), **words).mul_(1.0 / (n * d) if n else 1.0)


def fftfreq(n, d=1.0, *, out=None, dtype=None, device=None, requires_grad=False):
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    places = [*range((n - 1) // 2 + 1), *range(-(n // 2), 0)] if n else []
    made = _frequencies("fftfreq", places, n, d, dtype, {"device": device})
    return _given(made.requires_grad_(requires_grad), out)


def rfftfreq(n, d=1.0, *, out=None, dtype=None, device=None, requires_grad=False):
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n // 2 + 1}: [{n // 2 + 1}]")
    made = _frequencies("rfftfreq", list(range(n // 2 + 1)), n, d, dtype, {"device": device})
    return _given(made.requires_grad_(requires_grad), out)


def _shifted(input, dim, way):
    dims = list(range(input.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    sizes = [input.shape[one] for one in dims]
    steps = [size // 2 if way > 0 else (size + 1) // 2 for size in sizes]
    if _is_complex(input):
        return _ComplexTensor(input._pairs.roll(steps, [_axis(input, one) for one in dims]))
    return input.roll(steps, dims)


def fftshift(input, dim=None):
    return _shifted(input, dim, 1)


def ifftshift(input, dim=None):
    return _shifted(input, dim, -1)


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []


def __getattr__(name):
    from torch._names import missing

    raise missing("torch.fft", name, globals())
