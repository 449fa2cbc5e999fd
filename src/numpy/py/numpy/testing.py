"""numpy.testing: assertions about arrays, whose errors show both."""

import numpy


def _check(good, x, y, head):
    x, y = numpy.asarray(x), numpy.asarray(y)
    if x.ndim and y.ndim and x.shape != y.shape:
        raise AssertionError(f"\n{head}\n(shapes {x.shape}, {y.shape} mismatch)\n x: {x!r}\n y: {y!r}")
    good = good(x, y)
    if not numpy.all(good):
        wrong = f"Mismatched elements: {numpy.size(good) - numpy.count_nonzero(good)} / {numpy.size(good)}"
        raise AssertionError(f"\n{head}\n\n{wrong}\n x: {x!r}\n y: {y!r}")


def assert_allclose(actual, desired, rtol=1e-07, atol=0, equal_nan=True):
    head = f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}\n"
    _check(lambda x, y: numpy.isclose(x, y, rtol, atol, equal_nan), actual, desired, head)


def assert_array_equal(x, y):
    _check(lambda x, y: (x == y) | (x != x) & (y != y), x, y, "Arrays are not equal\n")
