"""numpy.fft: discrete Fourier transforms.
Source: Temperton, Self-sorting mixed-radix fast Fourier transforms, with the factors and the order of pocketfft.
"""

import math

import numpy
from _numpy import _axes
from numpy import _complex
from numpy._create import asarray

__all__ = (
    "fft ifft rfft irfft hfft ihfft fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn fftfreq rfftfreq fftshift ifftshift"
).split()

_abs = abs


def _factors(n):
    """4 as often as it divides, then 2 in front, then odd factors."""
    found = []
    while n % 4 == 0:
        found.append(4)
        n //= 4
    if n % 2 == 0:
        n //= 2
        found.append(2)
        found[0], found[-1] = found[-1], found[0]
    divisor = 3
    while divisor * divisor <= n:
        while n % divisor == 0:
            found.append(divisor)
            n //= divisor
        divisor += 2
    return found + [n] * (n > 1)


def _twiddles(n):
    """cos and sin of 2 pi k / n, exact where they are 0, 1 or one half of the root of 2."""
    cos, sin = [], []
    for k in range(n):
        eighths = 8 * k
        octant, rest = divmod(eighths, n)
        angle = 2.0 * math.pi * (rest if octant % 2 == 0 else n - rest) / (8.0 * n)
        c, s = math.cos(angle), math.sin(angle)
        c, s = [(c, s), (s, c), (-s, c), (-c, s), (-c, -s), (-s, -c), (s, -c), (c, -s)][octant]
        cos.append(c)
        sin.append(s)
    return numpy.array(cos), numpy.array(sin)


def _transform(re, im, sign):
    """The transform of rows (.., n), not scaled. `sign` is that of the exponent."""
    n = re.shape[-1]
    if n == 1:
        return re, im
    lead = re.shape[:-1]
    cos, sin = _twiddles(n)
    sin = sin * sign
    done = 1
    for radix in _factors(n):
        rest = n // (done * radix)
        x, y = re.reshape(lead + (done, radix, rest)), im.reshape(lead + (done, radix, rest))
        parts = [(x[..., at, :], y[..., at, :]) for at in range(radix)]
        made = _butterfly(parts, radix, sign)
        real, imag = [], []
        for j, (a, b) in enumerate(made):
            if j and rest > 1:
                at = numpy.arange(rest) * (j * done)
                c, s = cos[at], sin[at]
                a, b = a * c - b * s, a * s + b * c
            real.append(a)
            imag.append(b)
        re = numpy.stack(real, axis=-3).reshape(lead + (n,))
        im = numpy.stack(imag, axis=-3).reshape(lead + (n,))
        done *= radix
    return re, im


def _butterfly(parts, radix, sign):
    if radix == 2:
        (a, b), (c, d) = parts
        return [(a + c, b + d), (a - c, b - d)]
    if radix == 4:
        (a, b), (c, d), (e, f), (g, h) = parts
        t1, u1, t2, u2 = a - e, b - f, a + e, b + f
        t3, u3, t4, u4 = c + g, d + h, c - g, d - h
        # t4 turned by a quarter.
        t4, u4 = (-u4, t4) if sign > 0 else (u4, -t4)
        return [(t2 + t3, u2 + u3), (t1 + t4, u1 + u4), (t2 - t3, u2 - u3), (t1 - t4, u1 - u4)]
    cos, sin = _twiddles(radix)
    a, b = parts[0]
    sums, gaps = [], []
    for at in range(1, (radix + 1) // 2):
        (c, d), (e, f) = parts[at], parts[radix - at]
        sums.append((c + e, d + f))
        gaps.append((c - e, d - f))
    first = (a, b)
    for c, d in sums:
        first = (first[0] + c, first[1] + d)
    made = [first] + [None] * (radix - 1)
    for j in range(1, (radix + 1) // 2):
        re, im, over, under = a, b, 0.0, 0.0
        for at, ((c, d), (e, f)) in enumerate(zip(sums, gaps), 1):
            k = at * j % radix
            re, im = re + c * cos[k], im + d * cos[k]
            turn = sin[k] * sign
            over, under = over - f * turn, under + e * turn
        made[j] = (re + over, im + under)
        made[radix - j] = (re - over, im - under)
    return made


def _sized(a, n, axis):
    """The array with n elements along an axis: cut, or with zeros behind."""
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    size = a.shape[axis]
    if n < size:
        return a[tuple(slice(0, n) if at == axis else slice(None) for at in range(a.ndim))]
    if n > size:
        shape = tuple(n - size if at == axis else one for at, one in enumerate(a.shape))
        return numpy.concatenate([a, numpy.zeros(shape, a.dtype)], axis=axis)
    return a


def _scale(n, norm, is_inverse):
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    return 1.0 / n if (norm == "forward") != is_inverse else 1.0


def _along(a, n, axis, norm, is_inverse):
    a = asarray(a)
    (axis,) = _axes(axis, a.ndim)
    a = _sized(a, a.shape[axis] if n is None else int(n), axis)
    moved = numpy.moveaxis(a, axis, -1)
    re, im = moved.real.astype("float64"), moved.imag.astype("float64")
    re, im = _transform(re, im, 1 if is_inverse else -1)
    scale = _scale(re.shape[-1], norm, is_inverse)
    if scale != 1.0:
        re, im = re * scale, im * scale
    return numpy.moveaxis(_complex.ndarray(numpy.stack([re, im], axis=-1)), -1, axis)


def fft(a, n=None, axis=-1, norm=None):
    return _along(a, n, axis, norm, False)


def ifft(a, n=None, axis=-1, norm=None):
    return _along(a, n, axis, norm, True)


def _half(a, axis, count):
    return a[tuple(slice(0, count) if at == axis else slice(None) for at in range(a.ndim))].copy()


def rfft(a, n=None, axis=-1, norm=None):
    a = asarray(a)
    if a.dtype.kind == "c":
        raise TypeError("Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'")
    (axis,) = _axes(axis, a.ndim)
    whole = fft(a, n, axis, norm)
    n = whole.shape[axis]
    made = _half(whole, axis, n // 2 + 1)
    # The first, and of an even length the middle one, are real.
    ends = numpy.moveaxis(made.imag, axis, -1)
    ends[..., 0] = 0.0
    if n % 2 == 0:
        ends[..., n // 2] = 0.0
    return made


def irfft(a, n=None, axis=-1, norm=None):
    a = asarray(a)
    (axis,) = _axes(axis, a.ndim)
    n = 2 * (a.shape[axis] - 1) if n is None else int(n)
    a = numpy.moveaxis(_sized(a, n // 2 + 1, axis), axis, -1)
    a = a if a.dtype.kind == "c" else a.astype(complex)
    whole = numpy.zeros(a.shape[:-1] + (n,), complex)
    whole[..., : a.shape[-1]] = a
    # The first, and of an even length the middle one, count as real; the others again, conjugated.
    whole.imag[..., 0] = 0.0
    if n % 2 == 0:
        whole.imag[..., n // 2] = 0.0
    if n > 2:
        whole[..., n // 2 + 1 :] = a[..., 1 : (n + 1) // 2][..., ::-1].conj()
    return numpy.moveaxis(ifft(whole, n, -1, norm).real.copy(), -1, axis)


_SWAPPED = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}


def hfft(a, n=None, axis=-1, norm=None):
    a = asarray(a)
    n = (a.shape[axis] - 1) * 2 if n is None else n
    return irfft(numpy.conjugate(a), n, axis, norm=_SWAPPED[norm])


def ihfft(a, n=None, axis=-1, norm=None):
    return numpy.conjugate(rfft(a, n, axis, norm=_SWAPPED[norm]))


def _cook(a, s, axes, is_inverse_real=False):
    a = asarray(a)
    if s is None:
        s = list(a.shape) if axes is None else [a.shape[at] for at in axes]
        if is_inverse_real:
            s[-1] = (a.shape[-1 if axes is None else axes[-1]] - 1) * 2
    axes = list(range(-len(s), 0)) if axes is None else list(axes)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return a, list(s), axes


def fftn(a, s=None, axes=None, norm=None):
    a, s, axes = _cook(a, s, axes)
    for at in reversed(range(len(axes))):
        a = fft(a, s[at], axes[at], norm)
    return a


def ifftn(a, s=None, axes=None, norm=None):
    a, s, axes = _cook(a, s, axes)
    for at in reversed(range(len(axes))):
        a = ifft(a, s[at], axes[at], norm)
    return a


def fft2(a, s=None, axes=(-2, -1), norm=None):
    return fftn(a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return ifftn(a, s, axes, norm)


def rfftn(a, s=None, axes=None, norm=None):
    a, s, axes = _cook(a, s, axes)
    a = rfft(a, s[-1], axes[-1], norm)
    for at in range(len(axes) - 1):
        a = fft(a, s[at], axes[at], norm)
    return a


def irfftn(a, s=None, axes=None, norm=None):
    a, s, axes = _cook(a, s, axes, True)
    for at in range(len(axes) - 1):
        a = ifft(a, s[at], axes[at], norm)
    return irfft(a, s[-1], axes[-1], norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return rfftn(a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return irfftn(a, s, axes, norm)


def fftfreq(n, d=1.0):
    if not isinstance(n, (int, numpy.integer)):
        raise ValueError("n should be an integer")
    places = numpy.concatenate([numpy.arange(0, (n - 1) // 2 + 1), numpy.arange(-(n // 2), 0)])
    return places * (1.0 / (n * d))


def rfftfreq(n, d=1.0):
    if not isinstance(n, (int, numpy.integer)):
        raise ValueError("n should be an integer")
    return numpy.arange(0, n // 2 + 1) * (1.0 / (n * d))


def _shifts(x, axes, sign):
    x = asarray(x)
    axes = tuple(range(x.ndim)) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
    return numpy.roll(x, tuple(sign * x.shape[at] // 2 if sign > 0 else -(x.shape[at] // 2) for at in axes), axes)


def fftshift(x, axes=None):
    return _shifts(x, axes, 1)


def ifftshift(x, axes=None):
    return _shifts(x, axes, -1)


def __getattr__(name):
    raise AttributeError(f"module 'numpy.fft' has no attribute '{name}' in attn")
