"""`numpy.pad`."""

import numpy

_ALLOWED = {
    "constant": ["constant_values"], "edge": [], "wrap": [], "reflect": [], "symmetric": [],
}


def _pairs(given, ndim, whole):
    pairs = numpy.broadcast_to(numpy.asarray(given), (ndim, 2)).tolist()
    if whole and any(one < 0 for pair in pairs for one in pair):
        raise ValueError("index can't contain negative values")
    return pairs


def padded(array, pad_width, mode, words):
    if numpy.asarray(pad_width).dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    if mode not in _ALLOWED:
        raise NotImplementedError(f"pad(mode={mode!r}) is not part of attn's numpy: it has {', '.join(_ALLOWED)}")
    wrong = set(words) - set(_ALLOWED[mode])
    if wrong:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {wrong}")
    widths = _pairs(pad_width, array.ndim, True)
    values = _pairs(words.get("constant_values", 0), array.ndim, False)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            array = _along(numpy.moveaxis(array, axis, 0), before, after, mode, values[axis])
            array = numpy.moveaxis(array, 0, axis)
    return array.copy()


def _along(a, before, after, mode, ends):
    n = len(a)
    shape = a.shape[1:]
    if mode == "constant":
        return numpy.concatenate([
            numpy.full((before,) + shape, ends[0], a.dtype), a, numpy.full((after,) + shape, ends[1], a.dtype)
        ])
    if n == 0:
        raise ValueError("can't extend empty axis 0 using modes other than 'constant' or 'empty'")
    places = numpy.arange(-before, n + after)
    if mode == "edge":
        return a[numpy.clip(places, 0, n - 1)]
    if mode == "wrap":
        return a[places % n]
    if mode == "symmetric":
        places = places % (2 * n)
        return a[numpy.where(places < n, places, 2 * n - 1 - places)]
    if n == 1:
        return a[places * 0]
    places = places % (2 * n - 2)
    return a[numpy.where(places < n, places, 2 * n - 2 - places)]
