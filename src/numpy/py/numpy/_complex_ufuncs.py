"""Elementwise functions of complex numbers, from those of their parts.
Source: C99's complex functions, as NumPy uses them; its quotients are Smith's, its powers by small whole numbers products.
"""

import numpy
import _numpy
from _numpy import ndarray as _native, dtype as _dtype
from numpy import _complex

_NO_ARRAY = (int, float, complex, numpy.generic)


def _is_scalar(one):
    return isinstance(one, _NO_ARRAY) or isinstance(one, _native) and one.ndim == 0


def _real_kind(operands, dtype):
    """The dtype of the parts in which operands are computed: scalars beside arrays do not widen it."""
    if dtype is not None:
        return _complex.real_of(dtype)
    arrays = [one for one in operands if not _is_scalar(one)]
    for one in arrays or operands:
        kind = getattr(one, "dtype", None) or numpy.asarray(one).dtype
        if kind.kind == "c" and kind.itemsize == 16 or kind.kind in "iu" and kind.itemsize >= 4 or kind == "float64":
            return "float64"
    return "float32"


def compute(name, operands, dtype=None):
    """The array or scalar of a function of complex operands."""
    if name not in _FUNCTIONS:
        raise TypeError(
            f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any "
            "supported types according to the casting rule ''safe''"
        )
    operands = [one if isinstance(one, (_native, *_NO_ARRAY)) else numpy.asarray(one) for one in operands]
    real = _real_kind(operands, dtype)
    parts = []
    for one in operands:
        pairs = _complex.pairs_of(one).astype(real, copy=False)
        parts += [pairs[..., 0], pairs[..., 1]]
    with numpy.errstate(all="ignore"):
        made = _FUNCTIONS[name](*parts)
    if isinstance(made, tuple):
        re, im = numpy.broadcast_arrays(numpy.asarray(made[0], real), numpy.asarray(made[1], real))
        pairs = numpy.stack([re, im], axis=-1)
        if pairs.ndim == 1:
            return _complex.scalar(complex(*pairs.tolist()), real)
        return _complex.ndarray(pairs)
    return _numpy._result(numpy.asarray(made))


def _multiply(a, b, c, d):
    return a * c - b * d, a * d + b * c


def _divide(a, b, c, d):
    by_real = abs(c) >= abs(d)
    zero = by_real & (abs(c) == 0)
    big, small = numpy.where(by_real, c, d), numpy.where(by_real, d, c)
    ratio = small / big
    scale = 1.0 / (big + small * ratio)
    re = numpy.where(by_real, a + b * ratio, a * ratio + b) * scale
    im = numpy.where(by_real, b - a * ratio, b * ratio - a) * scale
    return numpy.where(zero, a / abs(c), re), numpy.where(zero, b / abs(c), im)


def _square(a, b):
    return a * a - b * b, a * b + b * a


def _reciprocal(a, b):
    by_real = abs(a) >= abs(b)
    big, small = numpy.where(by_real, a, b), numpy.where(by_real, b, a)
    ratio = small / big
    scale = big + small * ratio
    return numpy.where(by_real, 1 / scale, ratio / scale), numpy.where(by_real, -ratio / scale, -1 / scale)


def _exp(a, b):
    size = numpy.exp(a)
    return numpy.where(b == 0, size, size * numpy.cos(b)), numpy.where(b == 0, b, size * numpy.sin(b))


def _exp2(a, b):
    return _exp(a * 0.693147180559945309417232121458176568, b * 0.693147180559945309417232121458176568)


def _expm1(a, b):
    half = numpy.sin(b / 2)
    return numpy.expm1(a) * numpy.cos(b) - 2 * half * half, numpy.exp(a) * numpy.sin(b)


def _log(a, b):
    return numpy.log(numpy.hypot(a, b)), numpy.arctan2(b, a)


def _log_to(factor):
    def compute(a, b):
        re, im = _log(a, b)
        return re * factor, im * factor

    return compute


def _log1p(a, b):
    return numpy.log(numpy.hypot(a + 1, b)), numpy.arctan2(b, a + 1)


def _sqrt(a, b):
    size = numpy.hypot(a, b)
    positive = numpy.sqrt(0.5 * (size + abs(a)))
    other = abs(b) / numpy.where(positive == 0, 1.0, 2 * positive)
    re, im = numpy.where(a >= 0, positive, other), numpy.where(a >= 0, other, positive)
    return numpy.where(numpy.isinf(b), numpy.inf, re), numpy.copysign(im, b)


def _power(a, b, c, d):
    a, b, c, d = numpy.broadcast_arrays(a, b, c, d)
    shape, made = a.shape, []
    for one in zip(*[part.reshape(-1).tolist() for part in (a, b, c, d)]):
        made.append(_power_of(complex(one[0], one[1]), complex(one[2], one[3])))
    return (
        numpy.array([one.real for one in made], "float64").reshape(shape),
        numpy.array([one.imag for one in made], "float64").reshape(shape),
    )


def _power_of(base, exponent):
    import math

    if exponent == 0:
        return 1 + 0j
    if base == 0:
        return 0j if exponent.real > 0 and exponent.imag == 0 else complex(math.nan, math.nan)
    whole = int(exponent.real) if math.isfinite(exponent.real) else 1000
    if exponent.imag == 0 and whole == exponent.real and -100 < whole < 100:
        if whole in (1, 2, 3):
            square = _times(base, base)
            return base if whole == 1 else square if whole == 2 else _times(base, square)
        left, made, power = abs(whole), 1 + 0j, base
        while left:
            if left & 1:
                made = _times(made, power)
            left >>= 1
            if left:
                power = _times(power, power)
        if whole < 0:
            re, im = _divide(*[numpy.float64(one) for one in (1.0, 0.0, made.real, made.imag)])
            made = complex(re, im)
        return made
    size, turn = math.log(math.hypot(base.real, base.imag)), math.atan2(base.imag, base.real)
    re, im = exponent.real * size - exponent.imag * turn, exponent.real * turn + exponent.imag * size
    return complex(math.exp(re) * math.cos(im), math.exp(re) * math.sin(im))


def _times(x, y):
    return complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _sinh(a, b):
    return numpy.sinh(a) * numpy.cos(b), numpy.cosh(a) * numpy.sin(b)


def _cosh(a, b):
    return numpy.cosh(a) * numpy.cos(b), numpy.sinh(a) * numpy.sin(b)


def _sin(a, b):
    return numpy.sin(a) * numpy.cosh(b), numpy.cos(a) * numpy.sinh(b)


def _cos(a, b):
    return numpy.cos(a) * numpy.cosh(b), -numpy.sin(a) * numpy.sinh(b)


def _tanh(a, b):
    sine, cosine, sinh, cosh = numpy.sin(b), numpy.cos(b), numpy.sinh(a), numpy.cosh(a)
    below = numpy.where(abs(sinh) > abs(cosine) * numpy.finfo(a.dtype).eps, sinh * sinh + cosine * cosine, cosine * cosine)
    large = abs(a) > 350
    return (
        numpy.where(large, numpy.copysign(1.0, a), sinh * cosh / below),
        numpy.where(large, 4 * sine * cosine * numpy.exp(-2 * abs(a)), sine * cosine / below),
    )


def _tan(a, b):
    re, im = _tanh(-b, a)
    return im, -re


def _by_number(name):
    """A function of cmath, number by number."""

    def compute(a, b):
        import cmath

        made = [getattr(cmath, name)(complex(*one)) for one in zip(a.reshape(-1).tolist(), b.reshape(-1).tolist())]
        parts = [[one.real for one in made], [one.imag for one in made]]
        return tuple(numpy.array(part, "float64").reshape(a.shape) for part in parts)

    return compute


def _sign(a, b):
    return numpy.where(a != 0, numpy.sign(a), numpy.sign(b)), numpy.zeros_like(a)


def _less(a, b, c, d):
    return (a < c) | ((a == c) & (b < d))


def _less_equal(a, b, c, d):
    return (a < c) | ((a == c) & (b <= d))


def _chosen(choose):
    def compute(a, b, c, d):
        first = choose(a, b, c, d) | numpy.isnan(a) | numpy.isnan(b)
        return numpy.where(first, a, c), numpy.where(first, b, d)

    return compute


def _truth(combine):
    return lambda a, b, c, d: combine((a != 0) | (b != 0), (c != 0) | (d != 0))


def _either(test):
    return lambda a, b: test(a) | test(b)


_maximum = _chosen(lambda a, b, c, d: _less_equal(c, d, a, b))
_minimum = _chosen(_less_equal)

_FUNCTIONS = {
    "add": lambda a, b, c, d: (a + c, b + d),
    "subtract": lambda a, b, c, d: (a - c, b - d),
    "multiply": _multiply, "divide": _divide, "power": _power, "float_power": _power, "square": _square,
    "reciprocal": _reciprocal, "exp": _exp, "exp2": _exp2, "expm1": _expm1, "log": _log, "log1p": _log1p,
    "log2": _log_to(1.442695040888963407359924681001892137), "log10": _log_to(0.434294481903251827651128918916605082),
    "sqrt": _sqrt, "sin": _sin, "cos": _cos, "tan": _tan, "sinh": _sinh, "cosh": _cosh, "tanh": _tanh,
    "arcsin": _by_number("asin"), "arccos": _by_number("acos"), "arctan": _by_number("atan"),
    "arcsinh": _by_number("asinh"), "arccosh": _by_number("acosh"), "arctanh": _by_number("atanh"),
    "absolute": lambda a, b: numpy.hypot(a, b),
    "conjugate": lambda a, b: (a, -b), "negative": lambda a, b: (-a, -b), "positive": lambda a, b: (a, b),
    "sign": _sign, "rint": lambda a, b: (numpy.rint(a), numpy.rint(b)),
    "isnan": _either(numpy.isnan), "isinf": _either(numpy.isinf),
    "isfinite": lambda a, b: numpy.isfinite(a) & numpy.isfinite(b),
    "equal": lambda a, b, c, d: (a == c) & (b == d), "not_equal": lambda a, b, c, d: (a != c) | (b != d),
    "less": _less, "less_equal": _less_equal,
    "greater": lambda a, b, c, d: _less(c, d, a, b), "greater_equal": lambda a, b, c, d: _less_equal(c, d, a, b),
    "maximum": _maximum, "minimum": _minimum,
    "logical_not": lambda a, b: (a == 0) & (b == 0),
    "logical_and": _truth(numpy.logical_and), "logical_or": _truth(numpy.logical_or),
    "logical_xor": _truth(numpy.logical_xor),
}
