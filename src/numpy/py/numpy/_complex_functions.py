"""Functions and methods of complex arrays, from those of their parts or of their elements' places."""

import math

import numpy
from _numpy import _axes, ndarray as _native
from numpy import _complex
from numpy._complex_parts import _array, _done, _paired, _parts
from numpy._complex_products import _bilinear, correlate, einsum, matmul, outer, vdot
from numpy._methods import _into

_all, _any, _min, _max, _sum = all, any, min, max, sum


# Reductions.


def _pairwise(rows):
    """The sum of rows of parts (n, 2), in the order in which NumPy adds contiguous complex numbers."""
    count = len(rows)
    if count > 64:
        half = count // 2
        half -= half % 4
        return _pairwise(rows[:half]) + _pairwise(rows[half:])
    if count < 4:
        made, whole = numpy.zeros(2, rows.dtype), 0
    else:
        whole = count - count % 4
        parts = rows[:4]
        for at in range(4, whole, 4):
            parts = parts + rows[at : at + 4]
        made = (parts[0] + parts[1]) + (parts[2] + parts[3])
    for at in range(whole, count):
        made = made + rows[at]
    return made


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = _array(a) if dtype is None else _array(a).astype(dtype)
    if where is not True:
        a = numpy.where(where, a, 0)
    axes = _axes(axis, a.ndim)
    if axis is None and a._is_row_major:
        pairs = _pairwise(a._pairs.reshape(-1, 2))
        pairs = pairs.reshape((1,) * a.ndim + (2,)) if keepdims else pairs
    elif axes == (a.ndim - 1,):
        rows = a._pairs.reshape((-1,) + a._pairs.shape[-2:])
        made = numpy.stack([_pairwise(row) for row in rows]) if len(rows) else rows[:, 0]
        pairs = made.reshape(a.shape[:-1] + ((1, 2) if keepdims else (2,)))
    else:
        pairs = a._pairs.sum(axes, keepdims=keepdims)
    made = _done(pairs)
    return _into(out, made if initial is None else made + initial)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = _array(a) if dtype is None else _array(a).astype(dtype)
    if where is not True:
        a = numpy.where(where, a, 1)
    axes = _axes(axis, a.ndim)
    moved = moveaxis(a, axes, tuple(range(len(axes))))
    rows = moved.reshape((-1,) + moved.shape[len(axes):])
    made = _complex.filled(rows.shape[1:], 1, a.dtype, "C")[()]
    for row in rows:
        made = made * row
    if keepdims:
        made = _array(made).reshape([1 if at in axes else size for at, size in enumerate(a.shape)])
    return _into(out, made if initial is None else made * initial)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    a = _array(a)
    count = math.prod(a.shape[at] for at in _axes(axis, a.ndim))
    if where is not True:
        count = numpy.broadcast_to(where, a.shape).astype("int64").sum(axis, keepdims=keepdims)
    return _into(out, numpy.divide(sum(a, axis, dtype, None, keepdims, where=where), count))


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    a = _array(a)
    axes = _axes(axis, a.ndim)
    rest = a - mean(a, axes, dtype, None, True, where=where)
    squares = (rest * rest.conj()).real
    count = math.prod(a.shape[at] for at in axes)
    if where is not True:
        squares = numpy.where(where, squares, 0)
        count = numpy.broadcast_to(where, a.shape).astype("int64").sum(axis, keepdims=keepdims)
    made = numpy.true_divide(squares.sum(axes, keepdims=keepdims), numpy.maximum(count - ddof, 0))
    return _into(out, made.astype(a._pairs.dtype)[()] if isinstance(made, _native) else made)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    return _into(out, numpy.sqrt(var(a, axis, dtype, None, ddof, keepdims, where=where)))


def _truth(name):
    def function(a, axis=None, out=None, keepdims=False, *, where=True):
        return getattr(numpy, name)(_array(a) != 0, axis, out, keepdims, where=where)

    return function


def cumsum(a, axis=None, dtype=None, out=None):
    a = _array(a)
    a, axis = (a.ravel(), 0) if axis is None else (a, _axes(axis, a.ndim)[0])
    return _into(out, _complex.ndarray(a._pairs.cumsum(axis)))


def cumprod(a, axis=None, dtype=None, out=None):
    a = _array(a)
    a, axis = (a.ravel(), 0) if axis is None else (a, _axes(axis, a.ndim)[0])
    rows, made = moveaxis(a, axis, 0), []
    for row in rows:
        made.append(made[-1] * row if made else row)
    return _into(out, moveaxis(_joined(made, 0, numpy.stack), 0, axis) if made else a)


# Order: by real parts, equal ones by imaginary parts.


def argsort(a, axis=-1, kind=None, order=None):
    a = _array(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return numpy.lexsort((a.imag, a.real), axis=_axes(axis, a.ndim)[0])


def sort(a, axis=-1, kind=None, order=None):
    a = _array(a)
    if axis is None:
        a, axis = a.ravel(), 0
    (axis,) = _axes(axis, a.ndim)
    places = argsort(a, axis)
    return _parts(lambda part: numpy.take_along_axis(part, places, axis), a)


def _extreme(pick):
    def place(a, axis=None, out=None, *, keepdims=False):
        a = _array(a)
        if a.size == 0:
            raise ValueError(f"attempt to get arg{pick} of an empty sequence")
        whole = axis is None
        rows = a.ravel() if whole else a
        (at,) = _axes(0 if whole else axis, rows.ndim)
        order = argsort(rows, at)
        if pick == "min":
            made = numpy.take(order, 0, axis=at)
        else:
            # Of equal ones the first.
            last = numpy.expand_dims(numpy.take(order, -1, axis=at), at)
            top = _parts(lambda part: numpy.take_along_axis(part, last, at), rows)
            made = numpy.argmax(rows == top, axis=at)
        if keepdims:
            made = numpy.reshape(made, (1,) * a.ndim) if whole else numpy.expand_dims(made, at)
        return _into(out, made)

    def value(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        a = _array(a)
        axes = _axes(axis, a.ndim)
        moved = moveaxis(a, axes, tuple(range(len(axes))))
        rows = moved.reshape((-1,) + moved.shape[len(axes):])
        if not len(rows):
            raise ValueError(f"zero-size array to reduction operation {pick}imum which has no identity")
        made = rows[0]
        for row in rows[1:]:
            made = getattr(numpy, pick + "imum")(made, row)
        if keepdims:
            made = _array(made).reshape([1 if at in axes else size for at, size in enumerate(a.shape)])
        return _into(out, made)

    return place, value


argmax, max = _extreme("max")
argmin, min = _extreme("min")


# What moves elements.


def moveaxis(a, source, destination):
    a = _array(a)
    sizes = numpy.arange(a.ndim)
    source, destination = (_axes(tuple(one) if hasattr(one, "__len__") else one, a.ndim) for one in (source, destination))
    order = [at for at in sizes.tolist() if at not in source]
    for to, at in sorted(zip(destination, source)):
        order.insert(to, at)
    return a.transpose(order) if a.ndim else a


def expand_dims(a, axis):
    a = _array(a)
    return a.reshape(numpy.expand_dims(numpy.empty(a.shape, "bool"), axis).shape)


def broadcast_to(array, shape, subok=False):
    a = _array(array)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return a._view(numpy.broadcast_to(a._pairs, (*shape, 2)))


def broadcast_arrays(*args, subok=False):
    arrays = [numpy.asarray(one) for one in args]
    shape = numpy.broadcast_shapes(*[one.shape for one in arrays])
    return [numpy.broadcast_to(one, shape) for one in arrays]


def _joined(arrays, axis=0, function=None, dtype=None, casting="same_kind"):
    arrays = [_array(one) for one in arrays]
    real = "float64" if _any(one.dtype == "complex128" for one in arrays) else "float32"
    function = function or numpy.concatenate
    parts = [function([getattr(one, part).astype(real) for one in arrays], axis=axis) for part in ("real", "imag")]
    made = _paired(*parts)
    return made if dtype is None else made.astype(dtype, casting=casting)


def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return _into(out, _joined(arrays, axis, numpy.concatenate, dtype, casting))


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return _into(out, _joined(arrays, axis, numpy.stack, dtype, casting))


def where(condition, x=None, y=None):
    if x is None and y is None:
        return numpy.nonzero(_array(condition) != 0)
    if type(condition) is _complex.ndarray:
        condition = condition != 0
    real = "float32" if "float64" not in _reals(x, y) else "float64"
    parts = [_complex.pairs_of(one).astype(real) for one in (x, y)]
    return _done(numpy.where(numpy.asarray(condition)[..., None], *parts))


def _reals(*operands):
    from numpy._complex_ufuncs import _real_kind

    return _real_kind(operands, None)


def full(shape, fill_value, dtype=None, order="C", *, like=None):
    return _complex.filled(shape, fill_value, dtype or numpy.asarray(fill_value).dtype, order)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    a = numpy.asarray(a)
    kind = dtype or a.dtype
    made = numpy.zeros(a.shape if shape is None else shape, kind)
    made[...] = fill_value
    return made


def zeros_like(a, dtype=None, order="K", subok=True, shape=None):
    return full_like(a, 0, dtype, order, subok, shape)


def ones_like(a, dtype=None, order="K", subok=True, shape=None):
    return full_like(a, 1, dtype, order, subok, shape)


# Numbers.


def angle(z, deg=False):
    z = _array(z)
    made = numpy.arctan2(z.imag, z.real)
    made = made * (180 / numpy.pi) if deg else made
    return made[()] if isinstance(made, _native) else made


def _part(name):
    def function(val):
        if isinstance(val, complex):
            return getattr(_complex.complex128(val) if type(val) is complex else val, name)
        return getattr(_array(val), name)

    return function


def isreal(x):
    return (_array(x).imag == 0)[()]


def iscomplex(x):
    return (_array(x).imag != 0)[()]


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    made = _parts(lambda part: numpy.nan_to_num(part, True, nan, posinf, neginf), _array(x))
    if not copy and type(x) is _complex.ndarray:
        x[...] = made
        return x
    return made


def round(a, decimals=0, out=None):
    return _into(out, _parts(lambda part: numpy.round(part, decimals), _array(a)))


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    x, y = numpy.asarray(a), numpy.asarray(b)
    finite = numpy.isfinite(x) & numpy.isfinite(y)
    near = numpy.less_equal(abs(x - y), atol + rtol * abs(y))
    made = numpy.where(finite, near, x == y)
    if equal_nan:
        made = made | (numpy.isnan(x) & numpy.isnan(y))
    return made[()]


def nonzero(a):
    return numpy.nonzero(_array(a) != 0)


def count_nonzero(a, axis=None, *, keepdims=False):
    return numpy.count_nonzero(_array(a) != 0, axis, keepdims=keepdims)


def interp(x, xp, fp, left=None, right=None, period=None):
    ends = [[None if one is None else getattr(_array(one)[()], part) for one in (left, right)] for part in ("real", "imag")]
    fp = _array(fp)
    return _paired(
        numpy.interp(x, xp, fp.real, *ends[0], period=period), numpy.interp(x, xp, fp.imag, *ends[1], period=period)
    )


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    from numpy import _settings

    return _complex.shown(arr, _settings._words(precision, None, None, max_line_width, suppress_small, *[None] * 6))


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    return array2string(a, max_line_width, precision, suppress_small) if a.ndim else str(a)


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", style=None,
                 formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="", *, legacy=None):
    from numpy import _settings

    if formatter:
        return _settings.formatted(a, formatter, separator, len(prefix), len(suffix))
    words = _settings._words(precision, threshold, edgeitems, max_line_width, suppress_small, None, None, sign, floatmode, None, legacy)
    return _complex.text(_array(a), words, separator, len(prefix), len(suffix))


def unique(ar, *args, **words):
    if _any(args) or _any(words.values()):
        raise NotImplementedError("unique() of complex numbers with further arguments is not part of attn's numpy")
    a = sort(_array(ar).ravel())
    keep = numpy.concatenate([[True], (a[1:] != a[:-1])]) if a.size else numpy.zeros(0, "bool")
    return a[keep]


def common_type(*arrays):
    kinds = [numpy.asarray(one).dtype for one in arrays]
    wide = _any(one.itemsize == 16 or one.kind != "c" and one.name not in ("float16", "float32") for one in kinds)
    return numpy.complex128 if wide else numpy.complex64


def put(a, ind, v, mode="raise"):
    numpy.put(a.real, ind, _array(v).real, mode)
    numpy.put(a.imag, ind, _array(v).imag, mode)


def copyto(dst, src, casting="same_kind", where=True):
    if type(dst) is not _complex.ndarray:
        from numpy import _kinds

        kind = _array(src).dtype
        if not _kinds.can_cast(kind, dst.dtype, casting):
            raise TypeError(f"Cannot cast array data from {kind!r} to {dst.dtype!r} according to the rule '{casting}'")
    dst[...] = src if where is True else numpy.where(where, src, dst)


_OWN = {
    name: globals()[name]
    for name in (
        "sum prod mean var std cumsum cumprod argsort sort argmax argmin max min moveaxis expand_dims broadcast_to "
        "broadcast_arrays concatenate stack where full full_like zeros_like ones_like matmul vdot outer correlate einsum "
        "angle isreal iscomplex nan_to_num round isclose nonzero count_nonzero interp array_repr array_str array2string "
        "unique common_type put copyto"
    ).split()
}
_OWN.update({
    "amax": max, "amin": min, "around": round, "round_": round, "product": prod, "any": _truth("any"), "all": _truth("all"),
    "real": _part("real"), "imag": _part("imag"), "empty_like": zeros_like, "dot": _bilinear("dot"),
    "inner": _bilinear("inner"), "tensordot": _bilinear("tensordot"), "kron": _bilinear("kron"),
    "convolve": _bilinear("convolve"), "cross": _bilinear("cross"),
    "argwhere": lambda a: numpy.argwhere(_array(a) != 0),
    "flatnonzero": lambda a: numpy.flatnonzero(_array(a) != 0),
    "ndim": lambda a: _array(a).ndim, "shape": lambda a: _array(a).shape,
    "size": lambda a, axis=None: _array(a).size if axis is None else _array(a).shape[axis],
    "copy": lambda a, order="K", subok=False: _complex.array(a),
    "asarray_chkfinite": lambda a, dtype=None, order=None: _array(a),
    "ravel": lambda a, order="C": _array(a).ravel(order),
    "reshape": lambda a, newshape, order="C": _array(a).reshape(newshape, order=order),
    "transpose": lambda a, axes=None: _array(a).transpose(axes),
    "swapaxes": lambda a, axis1, axis2: _array(a).swapaxes(axis1, axis2),
    "squeeze": lambda a, axis=None: _array(a).squeeze(axis),
    "diagonal": lambda a, offset=0, axis1=0, axis2=1: _array(a).diagonal(offset, axis1, axis2),
})

# Each part by itself: the first argument is the array.
_BY_PARTS = frozenset(
    "roll flip fliplr flipud rot90 repeat tile resize take take_along_axis compress extract delete tril triu trace diag "
    "diagflat diff ediff1d gradient trapz split array_split hsplit vsplit dsplit nansum ascontiguousarray "
    "asfortranarray".split()
)

# Made of others that take complex numbers.
_COMPOSED = frozenset(
    "vstack hstack dstack column_stack row_stack atleast_1d atleast_2d atleast_3d rollaxis allclose array_equal "
    "array_equiv isrealobj iscomplexobj polyval polyadd polymul vander select apply_along_axis apply_over_axes average "
    "linspace logspace geomspace meshgrid isscalar iterable fill_diagonal append cov corrcoef piecewise may_share_memory shares_memory "
    "can_cast issubdtype issubsctype issctype finfo result_type promote_types poly roots polysub polyder polyint polydiv ptp clip vectorize "
    "tensorsolve tensorinv ix_ real_if_close block pad".split()
)


def _make_aware(names):
    """Lets the functions of a module call each other with complex numbers."""
    home = names["__name__"].rpartition(".")[2]
    if home not in _MADE_AWARE:
        _MADE_AWARE.add(home)
        for name in [name for name, at in numpy._HOME.items() if at == home]:
            names[name] = getattr(numpy, name)


_MADE_AWARE = set()


def call(name, plain, args, words):
    """A function of numpy of arguments among which there are complex numbers."""
    if name in _OWN:
        return _OWN[name](*args, **words)
    if name.startswith("linalg."):
        from numpy import _complex_linear

        return _complex_linear.call(name[len("linalg."):], plain, args, words)
    if name in _COMPOSED:
        if hasattr(plain, "__globals__"):
            _make_aware(plain.__globals__)
        return plain(*args, **words)
    if name in _BY_PARTS:
        first = _array(args[0])
        return _parts(lambda part: plain(part, *args[1:], **words), first)
    raise NotImplementedError(f"{name}() of complex numbers is not part of attn's numpy")


METHODS = {
    name: _OWN[name]
    for name in "sum prod mean var std cumsum cumprod argsort argmax argmin max min any all round dot nonzero put".split()
}
METHODS.update({
    name: (lambda name: lambda a, *args, **words: getattr(numpy, name)(a, *args, **words))(name)
    for name in "repeat take compress trace ptp clip".split()
})
METHODS["sort"] = lambda a, axis=-1, kind=None, order=None: a.__setitem__(Ellipsis, sort(a, axis))
