"""`numpy.pad`."""

import numpy

_ALLOWED = {
    "constant": ["constant_values"], "edge": [], "empty": [], "wrap": [], "linear_ramp": ["end_values"],
    "maximum": ["stat_length"], "mean": ["stat_length"], "median": ["stat_length"], "minimum": ["stat_length"],
    "reflect": ["reflect_type"], "symmetric": ["reflect_type"],
}


def _pairs(given, ndim, whole):
    pairs = numpy.broadcast_to(numpy.asarray(given), (ndim, 2)).tolist()
    if whole and any(one < 0 for pair in pairs for one in pair):
        raise ValueError("index can't contain negative values")
    return pairs


def padded(array, pad_width, mode, words):
    if numpy.asarray(pad_width).dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    if callable(mode):
        return _by_function(array, _pairs(pad_width, array.ndim, True), mode, words)
    if mode not in _ALLOWED:
        raise ValueError(f"mode '{mode}' is not supported")
    wrong = set(words) - set(_ALLOWED[mode])
    if wrong:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {wrong}")
    widths = _pairs(pad_width, array.ndim, True)
    values = _pairs(words.get("constant_values", words.get("end_values", 0)), array.ndim, False)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            array = _along(numpy.moveaxis(array, axis, 0), before, after, mode, words, values[axis])
            array = numpy.moveaxis(array, 0, axis)
    return array.copy()


def _by_function(array, widths, function, words):
    """Zeros around, and then what the function makes of each line along each axis."""
    made = numpy.zeros([size + sum(width) for size, width in zip(array.shape, widths)], array.dtype)
    made[tuple(slice(before, before + size) for size, (before, _) in zip(array.shape, widths))] = array
    for axis in range(made.ndim):
        lines = numpy.moveaxis(made, axis, -1)
        for at in numpy.ndindex(lines.shape[:-1]):
            function(lines[at], tuple(widths[axis]), axis, words)
    return made


def _odd(a, before, after, has_edge):
    """The array mirrored in the points at its ends, again and again."""
    while before or after:
        n, skip = len(a), 0 if has_edge else 1
        left, right = min(before, n - skip), min(after, n - skip)
        first, last = a[skip : left + skip][::-1], a[n - skip - right : n - skip][::-1]
        a = numpy.concatenate([2 * a[:1] - first, a, 2 * a[-1:] - last])
        before, after = before - left, after - right
    return a


def _along(a, before, after, mode, words, ends):
    n = len(a)
    shape = a.shape[1:]
    if mode in ("constant", "empty"):
        return numpy.concatenate([
            numpy.full((before,) + shape, ends[0], a.dtype), a, numpy.full((after,) + shape, ends[1], a.dtype)
        ])
    if n == 0:
        raise ValueError(f"can't extend empty axis 0 using modes other than 'constant' or 'empty'")
    if mode == "linear_ramp":
        first = numpy.linspace(numpy.full(shape, ends[0]), a[0], before, endpoint=False)
        last = numpy.linspace(numpy.full(shape, ends[1]), a[-1], after, endpoint=False)[::-1]
        if a.dtype.kind in "iu":
            first, last = numpy.trunc(first), numpy.trunc(last)
        return numpy.concatenate([first.astype(a.dtype), a, last.astype(a.dtype)])
    if mode in ("maximum", "mean", "median", "minimum"):
        length = words.get("stat_length")
        length = (n, n) if length is None else _pairs(length, 1, True)[0]
        function = getattr(numpy, {"maximum": "amax", "minimum": "amin"}.get(mode, mode))

        def value(part):
            made = function(part, axis=0, keepdims=True)
            return (numpy.rint(made) if a.dtype.kind in "iu" else made).astype(a.dtype)

        first, last = value(a[: length[0]]), value(a[max(n - length[1], 0):])
        return numpy.concatenate([numpy.repeat(first, before, 0), a, numpy.repeat(last, after, 0)])
    places = numpy.arange(-before, n + after)
    if mode == "edge":
        return a[numpy.clip(places, 0, n - 1)]
    if mode == "wrap":
        return a[places % n]
    if words.get("reflect_type", "even") == "odd" and (n > 1 or mode == "symmetric"):
        return _odd(a, before, after, mode == "symmetric")
    if mode == "symmetric":
        places = places % (2 * n)
        return a[numpy.where(places < n, places, 2 * n - 1 - places)]
    if n == 1:
        return a[places * 0]
    places = places % (2 * n - 2)
    return a[numpy.where(places < n, places, 2 * n - 2 - places)]
