"""numpy.testing: assertions about arrays."""

import numpy


def _mismatch(actual, desired, good, head, verbose=True, values=True):
    actual, desired = numpy.asarray(actual), numpy.asarray(desired)
    lines = ["", head, ""]
    if values:
        wrong = int((~good).sum()) if isinstance(good, numpy.ndarray) else int(not good)
        total = good.size if isinstance(good, numpy.ndarray) else 1
        percent = 100 * wrong / total
        lines.append(f"Mismatched elements: {wrong} / {total} ({percent:.3g}%)")
        with numpy.errstate(all="ignore"):
            apart = numpy.abs(numpy.asarray(actual, dtype="float64") - desired)
        lines.append(f"Max absolute difference: {numpy.asarray(apart).max()}")
        bad = numpy.broadcast_to(desired, numpy.shape(apart)) != 0
        relative = numpy.asarray(apart)[bad] / numpy.abs(numpy.broadcast_to(desired, numpy.shape(apart))[bad]) if numpy.ndim(apart) else (
            apart / numpy.abs(desired) if desired != 0 else numpy.inf
        )
        relative = numpy.asarray(relative)
        lines.append(f"Max relative difference: {relative.max() if relative.size else numpy.inf}")
    if verbose:
        for name, value in ((" x", actual), (" y", desired)):
            lines.append(f"{name}: {value!r}")
    return AssertionError("\n".join(lines))


def assert_allclose(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg="", verbose=True):
    _same_shape(actual, desired, f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}\n{err_msg}", verbose)
    good = numpy.isclose(actual, desired, rtol, atol, equal_nan)
    if not numpy.all(good):
        raise _mismatch(actual, desired, good, f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}\n{err_msg}".rstrip("\n"), verbose)


def _same_shape(x, y, head, verbose):
    a, b = numpy.asarray(x), numpy.asarray(y)
    if a.shape != b.shape and a.ndim and b.ndim:
        error = _mismatch(a, b, None, f"{head.rstrip()}\n(shapes {a.shape}, {b.shape} mismatch)".replace("\n\n", "\n"), verbose, False)
        raise error


def assert_array_equal(x, y, err_msg="", verbose=True, *, strict=False):
    _same_shape(x, y, f"Arrays are not equal\n{err_msg}", verbose)
    a, b = numpy.asarray(x), numpy.asarray(y)
    good = (a == b) | ((a != a) & (b != b))
    if not numpy.all(good):
        raise _mismatch(x, y, good, f"Arrays are not equal\n{err_msg}".rstrip("\n"), verbose)


def assert_array_almost_equal(x, y, decimal=6, err_msg="", verbose=True):
    head = f"Arrays are not almost equal to {decimal} decimals\n{err_msg}"
    _same_shape(x, y, head, verbose)
    good = numpy.abs(numpy.asarray(x) - numpy.asarray(y)) < 1.5 * 10.0 ** -decimal
    good = good | (numpy.asarray(x) == numpy.asarray(y)) | (numpy.isnan(x) & numpy.isnan(y))
    if not numpy.all(good):
        raise _mismatch(x, y, good, head.rstrip("\n"), verbose)


def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True):
    if isinstance(actual, (numpy.ndarray, list, tuple)):
        return assert_array_almost_equal(actual, desired, decimal, err_msg)
    if not abs(desired - actual) < 1.5 * 10.0 ** -decimal:
        raise AssertionError(
            f"\nArrays are not almost equal to {decimal} decimals\n ACTUAL: {actual!r}\n DESIRED: {desired!r}"
        )


def __getattr__(name):
    raise AttributeError(f"module 'numpy.testing' has no attribute '{name}' in attn")
