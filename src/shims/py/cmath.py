"""Functions of complex numbers.
Source: Kahan, Branch Cuts for Complex Elementary Functions, as CPython's cmath.
"""

import math

pi, e, tau, inf, nan = math.pi, math.e, math.tau, math.inf, math.nan
infj, nanj = complex(0.0, math.inf), complex(0.0, math.nan)


def phase(z, /):
    z = complex(z)
    return math.atan2(z.imag, z.real)


def polar(z, /):
    return abs(complex(z)), phase(z)


def rect(r, phi, /):
    return complex(r * math.cos(phi), r * math.sin(phi)) if phi else complex(r, r * phi)


def isfinite(z, /):
    z = complex(z)
    return math.isfinite(z.real) and math.isfinite(z.imag)


def isinf(z, /):
    z = complex(z)
    return math.isinf(z.real) or math.isinf(z.imag)


def isnan(z, /):
    z = complex(z)
    return math.isnan(z.real) or math.isnan(z.imag)


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if rel_tol < 0 or abs_tol < 0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if isinf(a) or isinf(b):
        return False
    gap = abs(a - b)
    return gap <= abs(rel_tol * b) or gap <= abs(rel_tol * a) or gap <= abs_tol


def sqrt(z, /):
    z = complex(z)
    a, b = z.real, z.imag
    if a == 0.0 and b == 0.0:
        return complex(0.0, b)
    if math.isinf(b):
        return complex(math.inf, b)
    x, y = abs(a) / 8.0, abs(b)
    s = 2.0 * math.sqrt(x + math.hypot(x, y / 8.0))
    d = y / (2.0 * s)
    if a >= 0.0:
        return complex(s, math.copysign(d, b))
    return complex(d, math.copysign(s, b))


def exp(z, /):
    z = complex(z)
    size = math.exp(z.real)
    return complex(size * math.cos(z.imag), size * math.sin(z.imag))


def log(z, base=None, /):
    z = complex(z)
    if z == 0:
        raise ValueError("math domain error")
    x, y = abs(z.real), abs(z.imag)
    size = math.hypot(x, y)
    if 0.71 <= size <= 1.73:
        most, least = max(x, y), min(x, y)
        real = math.log1p((most - 1.0) * (most + 1.0) + least * least) / 2.0
    else:
        real = math.log(size)
    made = complex(real, math.atan2(z.imag, z.real))
    return made if base is None else made / log(base)


def log10(z, /):
    made = log(z)
    return complex(made.real / math.log(10.0), made.imag / math.log(10.0))


def cosh(z, /):
    z = complex(z)
    return complex(math.cos(z.imag) * math.cosh(z.real), math.sin(z.imag) * math.sinh(z.real))


def sinh(z, /):
    z = complex(z)
    return complex(math.cos(z.imag) * math.sinh(z.real), math.sin(z.imag) * math.cosh(z.real))


def tanh(z, /):
    z = complex(z)
    a, b = z.real, z.imag
    if abs(a) > 350:
        return complex(math.copysign(1.0, a), 4.0 * math.sin(b) * math.cos(b) * math.exp(-2.0 * abs(a)))
    tx, ty, cx = math.tanh(a), math.tan(b), 1.0 / math.cosh(a)
    txty = tx * ty
    below = 1.0 + txty * txty
    return complex(tx * (1.0 + ty * ty) / below, ((ty / below) * cx) * cx)


def _turned(function, z):
    """i times the function of z / i."""
    made = function(complex(-z.imag, z.real))
    return complex(made.imag, -made.real)


def cos(z, /):
    z = complex(z)
    return cosh(complex(-z.imag, z.real))


def sin(z, /):
    return _turned(sinh, complex(z))


def tan(z, /):
    return _turned(tanh, complex(z))


def acos(z, /):
    z = complex(z)
    one, two = sqrt(complex(1.0 - z.real, -z.imag)), sqrt(complex(1.0 + z.real, z.imag))
    return complex(2.0 * math.atan2(one.real, two.real), math.asinh(two.real * one.imag - two.imag * one.real))


def acosh(z, /):
    z = complex(z)
    one, two = sqrt(complex(z.real - 1.0, z.imag)), sqrt(complex(z.real + 1.0, z.imag))
    return complex(math.asinh(one.real * two.real + one.imag * two.imag), 2.0 * math.atan2(one.imag, two.real))


def asinh(z, /):
    z = complex(z)
    one, two = sqrt(complex(1.0 + z.imag, -z.real)), sqrt(complex(1.0 - z.imag, z.real))
    return complex(
        math.asinh(one.real * two.imag - two.real * one.imag), math.atan2(z.imag, one.real * two.real - one.imag * two.imag)
    )


def asin(z, /):
    return _turned(asinh, complex(z))


def atanh(z, /):
    z = complex(z)
    a, b = z.real, z.imag
    if a < 0.0 or a == 0.0 and math.copysign(1.0, a) < 0.0:
        made = atanh(complex(-a, -b))
        return complex(-made.real, -made.imag)
    size = abs(b)
    if a == 1.0 and size == 0.0:
        raise ValueError("math domain error")
    real = math.log1p(4.0 * a / ((1.0 - a) * (1.0 - a) + size * size)) / 4.0
    return complex(real, math.atan2(2.0 * b, (1.0 - a) * (1.0 + a) - size * size) / 2.0)


def atan(z, /):
    return _turned(atanh, complex(z))
