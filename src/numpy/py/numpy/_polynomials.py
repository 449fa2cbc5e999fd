"""Polynomials by their coefficients, the highest power first."""

import numpy
from numpy._create import asarray

_max = max


def polyval(p, x):
    p = asarray(p)
    if isinstance(x, poly1d):
        y = 0
    else:
        x = asarray(x)
        y = numpy.zeros_like(x)
    for value in p:
        y = y * x + value
    return y


def _aligned(a1, a2):
    a1, a2 = numpy.atleast_1d(a1), numpy.atleast_1d(a2)
    gap = len(a2) - len(a1)
    a1 = numpy.concatenate((numpy.zeros(_max(gap, 0), a1.dtype), a1))
    return a1, numpy.concatenate((numpy.zeros(_max(-gap, 0), a2.dtype), a2))


def _as(made, *given):
    return poly1d(made) if any(isinstance(one, poly1d) for one in given) else made


def polyadd(a1, a2):
    one, two = _aligned(a1, a2)
    return _as(one + two, a1, a2)


def polysub(a1, a2):
    one, two = _aligned(a1, a2)
    return _as(one - two, a1, a2)


def polymul(a1, a2):
    return _as(numpy.convolve(poly1d(a1).coeffs, poly1d(a2).coeffs), a1, a2)


def polydiv(u, v):
    is_class = isinstance(u, poly1d) or isinstance(v, poly1d)
    u, v = numpy.atleast_1d(u) + 0.0, numpy.atleast_1d(v) + 0.0
    w = u[0] + v[0]
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    q = numpy.zeros(_max(m - n + 1, 1), w.dtype)
    r = u.astype(w.dtype)
    for k in range(0, m - n + 1):
        d = scale * r[k]
        q[k] = d
        r[k : k + n + 1] -= d * v
    while numpy.allclose(r[0], 0, rtol=1e-14) and r.shape[-1] > 1:
        r = r[1:]
    return (poly1d(q), poly1d(r)) if is_class else (q, r)


def polyder(p, m=1):
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    made = asarray(p)
    for _ in range(m):
        n = len(made) - 1
        made = made[:-1] * numpy.arange(n, 0, -1)
    return _as(made, p)


def polyint(p, m=1, k=None):
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = numpy.zeros(m, float) if k is None else numpy.atleast_1d(k)
    if len(k) == 1 and m > 1:
        k = k[0] * numpy.ones(m, float)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    made = asarray(p)
    for at in range(m):
        made = numpy.concatenate((numpy.true_divide(made, numpy.arange(len(made), 0, -1)), [k[at]]))
    return _as(made, p)


def poly(seq_of_zeros):
    """The coefficients of the polynomial with these zeros, or of a matrix's characteristic polynomial."""
    zeros = numpy.atleast_1d(seq_of_zeros)
    if len(zeros.shape) == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0] != 0:
        zeros = numpy.linalg.eigvals(zeros)
    elif len(zeros.shape) != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if len(zeros) == 0:
        return 1.0
    kind = zeros.dtype if zeros.dtype.kind in "fc" else numpy.dtype("float64")
    a = numpy.ones((1,), dtype=kind)
    for zero in zeros:
        a = numpy.convolve(a, numpy.array([1, -zero], dtype=kind), mode="full")
    if a.dtype.kind == "c":
        roots_ = asarray(zeros)
        if numpy.all(numpy.sort(roots_) == numpy.sort(roots_.conjugate())):
            a = a.real.copy()
    return a


def roots(p):
    p = numpy.atleast_1d(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = numpy.nonzero(numpy.ravel(p))[0]
    if len(places) == 0:
        return numpy.array([])
    trailing = len(p) - int(places[-1]) - 1
    p = p[int(places[0]) : int(places[-1]) + 1]
    if p.dtype.kind not in "fc":
        p = p.astype(float)
    if len(p) > 1:
        companion = numpy.diag(numpy.ones((len(p) - 2,), p.dtype), -1)
        companion[0, :] = -p[1:] / p[0]
        found = numpy.linalg.eigvals(companion)
    else:
        found = numpy.array([])
    return numpy.concatenate((found, numpy.zeros(trailing, found.dtype)))


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    order = int(deg) + 1
    x, y = asarray(x) + 0.0, asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    rcond = len(x) * numpy.finfo(x.dtype).eps if rcond is None else rcond
    lhs, rhs = numpy.vander(x, order), y
    if w is not None:
        w = asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        lhs = lhs * w[:, None]
        rhs = rhs * w[:, None] if rhs.ndim == 2 else rhs * w
    scale = numpy.sqrt((lhs * lhs).sum(axis=0))
    c, residuals, rank, s = numpy.linalg.lstsq(lhs / scale, rhs, rcond)
    c = (c.T / scale).T
    if rank != order and not full:
        import warnings

        warnings.warn("Polyfit may be poorly conditioned", numpy.RankWarning, stacklevel=2)
    if full:
        return c, residuals, rank, s, rcond
    if cov:
        base = numpy.linalg.inv(numpy.dot(lhs.T, lhs) / numpy.outer(scale, scale)) / numpy.outer(scale, scale)
        if cov == "unscaled":
            fact = 1
        else:
            if len(x) <= order:
                raise ValueError("the number of data points must exceed order to scale the covariance matrix")
            fact = residuals / (len(x) - order)
        return c, base * fact if y.ndim == 1 else base[:, :, None] * fact
    return c


def _raised(text, wrap=70):
    """`2 x**3` with the powers on a line of their own above."""
    import re

    n, line1, line2, output = 0, "", "", " "
    for found in re.finditer(r"\*\*([0-9]*)", text):
        power, part = found[1], text[n : found.start()]
        n = found.end()
        above, below = " " * (len(part) - 1) + power, part + " " * (len(power) - 1)
        if len(line2) + len(below) > wrap or len(line1) + len(above) > wrap:
            output += line1 + "\n" + line2 + "\n "
            line1, line2 = above, below
        else:
            line1, line2 = line1 + above, line2 + below
    return output + line1 + "\n" + line2 + text[n:]


class poly1d:
    """A polynomial of one variable, to call, to print and to compute with."""

    __module__ = "numpy"
    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            self._variable, self._coeffs = variable or c_or_r._variable, c_or_r._coeffs
            return
        if r:
            c_or_r = poly(c_or_r)
        c = numpy.atleast_1d(c_or_r)
        if c.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        c = numpy.trim_zeros(c, trim="f")
        self._coeffs = c if len(c) else numpy.array([0], dtype=c.dtype)
        self._variable = variable or "x"

    @property
    def coeffs(self):
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs
    order = o = property(lambda self: len(self._coeffs) - 1)
    variable = property(lambda self: self._variable)
    roots = r = property(lambda self: roots(self._coeffs))

    def __array__(self, dtype=None):
        return self._coeffs if dtype is None else self._coeffs.astype(dtype)

    def __repr__(self):
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self._coeffs)

    def __str__(self):
        text, name = "0", self._variable
        coeffs = self._coeffs[numpy.logical_or.accumulate(self._coeffs != 0)]
        last = len(coeffs) - 1

        def shown(q):
            made = "%.4g" % q
            return made[:-5] if made.endswith(".0000") else made

        for k, value in enumerate(coeffs):
            if value.dtype.kind != "c":
                number = shown(value)
            elif value.imag == 0:
                number = shown(value.real)
            elif value.real == 0:
                number = shown(value.imag) + "j"
            else:
                number = f"({shown(value.real)} + {shown(value.imag)}j)"
            power = last - k
            if power == 0:
                part = number if number != "0" or k == 0 else ""
            elif number == "0":
                part = ""
            else:
                base = name if power == 1 else f"{name}**{power}"
                part = base if number == "b" else f"{number} {base}"
            if k > 0:
                if part:
                    text = f"{text} - {part[1:]}" if part.startswith("-") else f"{text} + {part}"
            else:
                text = part
        return _raised(text)

    def __call__(self, val):
        return polyval(self._coeffs, val)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __mul__(self, other):
        if numpy.isscalar(other):
            return poly1d(self._coeffs * other)
        return poly1d(polymul(self._coeffs, poly1d(other)._coeffs))

    __rmul__ = __mul__

    def __add__(self, other):
        return poly1d(polyadd(self._coeffs, poly1d(other)._coeffs))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(polysub(self._coeffs, poly1d(other)._coeffs))

    def __rsub__(self, other):
        return poly1d(polysub(poly1d(other)._coeffs, self._coeffs))

    def __pow__(self, val):
        if not numpy.isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        made = [1]
        for _ in range(val):
            made = polymul(self._coeffs, made)
        return poly1d(made)

    def __truediv__(self, other):
        if numpy.isscalar(other):
            return poly1d(self._coeffs / other)
        return polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        if numpy.isscalar(other):
            return poly1d(other / self._coeffs)
        return polydiv(poly1d(other), self)

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other._coeffs.shape and bool((self._coeffs == other._coeffs).all())

    def __ne__(self, other):
        return NotImplemented if not isinstance(other, poly1d) else not self == other

    def __getitem__(self, val):
        at = self.order - val
        return self._coeffs.dtype.type(0) if val > self.order or val < 0 else self._coeffs[at]

    def __setitem__(self, key, val):
        at = self.order - key
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            self._coeffs = numpy.concatenate((numpy.zeros(key - self.order, self._coeffs.dtype), self._coeffs))
            at = 0
        self._coeffs[at] = val

    def integ(self, m=1, k=0):
        return poly1d(polyint(self._coeffs, m=m, k=k))

    def deriv(self, m=1):
        return poly1d(polyder(self._coeffs, m=m))
