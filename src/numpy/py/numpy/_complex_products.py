"""Products of complex arrays, from products of their parts."""

import numpy
from numpy._complex_parts import _array, _paired
from numpy._methods import _into


def matmul(x1, x2, out=None):
    x, y = numpy.asarray(x1), numpy.asarray(x2)
    parts = [(one.real, one.imag) for one in (x, y)]
    (a, b), (c, d) = parts
    return _into(out, _paired(numpy.matmul(a, c) - numpy.matmul(b, d), numpy.matmul(a, d) + numpy.matmul(b, c)))


def _bilinear(name):
    """A product that is linear in each of two arrays."""

    def function(a, b, *args, **words):
        out = words.pop("out", None)
        x, y, plain = numpy.asarray(a), numpy.asarray(b), getattr(numpy, name)
        re = plain(x.real, y.real, *args, **words) - plain(x.imag, y.imag, *args, **words)
        im = plain(x.real, y.imag, *args, **words) + plain(x.imag, y.real, *args, **words)
        return _into(out, _paired(re, im))

    return function


def vdot(a, b):
    return matmul(_array(a).conj().ravel(), numpy.asarray(b).ravel())


def outer(a, b, out=None):
    return numpy.multiply(numpy.asarray(a).ravel()[:, None], numpy.asarray(b).ravel()[None, :], out)


def correlate(a, v, mode="valid"):
    a, v = _array(a), _array(v)
    return _bilinear("correlate")(a, v.conj(), mode)


def einsum(subscripts, *operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    arrays = [numpy.asarray(one) for one in operands]
    re = im = 0
    for choice in range(2 ** len(arrays)):
        turns = [choice >> at & 1 for at in range(len(arrays))]
        if any(turn and one.dtype.kind != "c" for turn, one in zip(turns, arrays)):
            continue
        made = numpy.einsum(subscripts, *[one.imag if turn else one.real for turn, one in zip(turns, arrays)])
        turn = sum(turns) % 4
        re, im = (re + made, im) if turn == 0 else (re, im + made) if turn == 1 else (re - made, im) if turn == 2 else (re, im - made)
    return _into(out, _paired(*numpy.broadcast_arrays(re, im)))
