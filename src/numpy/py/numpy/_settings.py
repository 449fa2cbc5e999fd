"""What dtypes can hold, settings, and printing."""

import numpy
import _numpy
from _numpy import ndarray, dtype as _dtype
from numpy._create import asarray

_abs = abs


# Dtypes.


def can_cast(from_, to, casting="safe"):
    from numpy import _kinds

    to = _dtype(to)
    is_number = isinstance(from_, (int, float, numpy.generic)) or isinstance(from_, ndarray) and from_.ndim == 0
    if type(to) is _dtype and is_number and not isinstance(from_, complex):
        return _numpy._can_cast(from_, to, casting)
    if isinstance(from_, complex):
        return _kinds.can_cast(_dtype("complex64"), to, casting)
    if is_number:
        from_ = min_scalar_type(from_)
    return _kinds.can_cast(from_.dtype if isinstance(from_, ndarray) else _dtype(from_), to, casting)


def common_dtype(values):
    """`numpy.result_type` where there are other dtypes than those of real arrays."""
    arrays, scalars = [], []
    for one in values:
        if isinstance(one, (int, float, complex, numpy.generic)):
            scalars.append(one)
        elif isinstance(one, ndarray):
            (arrays if one.ndim else scalars).append(one if not one.ndim else one.dtype)
        else:
            arrays.append(_dtype(one))
    if not arrays:
        arrays, scalars = [asarray(one).dtype for one in scalars], []
    made = arrays[0]
    for one in arrays[1:]:
        made = numpy.promote_types(made, one)
    for one in scalars:
        if isinstance(one, complex):
            made = numpy.promote_types(made, "complex64")
        elif made.kind not in "fc" and isinstance(one, float) or made.kind in "SU":
            made = numpy.promote_types(made, asarray(one).dtype)
    return made


_PARENTS = {"b": "bool_", "i": "signedinteger", "u": "unsignedinteger", "f": "floating"}


def _class(kind):
    if isinstance(kind, type) and issubclass(kind, numpy.generic):
        return kind
    if kind is float:
        return numpy.float64
    if isinstance(kind, (ndarray, numpy.generic)):
        return kind.dtype.type
    return _dtype(kind).type


def issubdtype(arg1, arg2):
    if isinstance(arg2, type) and not issubclass(arg2, numpy.generic):
        arg2 = {float: "float64", int: "int64", bool: "bool", complex: "complex128", str: "str", bytes: "bytes", object: "O"}.get(arg2, arg2)
    return issubclass(_class(arg1), _class(arg2))


def issubsctype(arg1, arg2):
    return issubclass(_class(arg1), _class(arg2))


def issctype(rep):
    return isinstance(rep, type) and issubclass(rep, numpy.generic) or isinstance(rep, _dtype)


class finfo:
    """The limits of a float dtype."""

    _BITS = {"float16": (16, 10, 5, 15), "float32": (32, 23, 8, 127), "float64": (64, 52, 11, 1023)}

    def __init__(self, dtype):
        dtype = _dtype(dtype if not isinstance(dtype, (ndarray, numpy.generic)) else dtype.dtype)
        if dtype.kind == "c":
            dtype = _dtype("float32" if dtype.itemsize == 8 else "float64")
        if dtype.kind != "f":
            raise ValueError(f"data type {dtype.type!r} not inexact")
        self.dtype = dtype
        bits, digits, exponent, bias = self._BITS[dtype.name]
        number = dtype.type
        self.bits, self.nmant, self.nexp, self.iexp = bits, digits, exponent, exponent
        self.maxexp, self.minexp = bias + 1, 1 - bias
        self.machep, self.negep = -digits, -digits - 1
        self.eps = number(2.0 ** -digits)
        self.epsneg = number(2.0 ** (-digits - 1))
        self.max = number((2.0 - 2.0 ** -digits) * 2.0 ** bias)
        self.min = number(-self.max)
        self.tiny = self.smallest_normal = number(2.0 ** (1 - bias))
        self.smallest_subnormal = number(2.0 ** (1 - bias) * 2.0 ** -digits)
        self.precision = int(digits * 0.30102999566398120)
        self.resolution = number(10.0 ** -self.precision)

    def __repr__(self):
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"


class iinfo:
    """The limits of a whole-number dtype."""

    def __init__(self, type):
        self.dtype = _dtype(type if not isinstance(type, (ndarray, numpy.generic)) else type.dtype)
        self.kind = self.dtype.kind
        self.bits = self.dtype.itemsize * 8
        if self.kind not in "iu":
            raise ValueError(f"Invalid integer data type {self.kind!r}.")

    @property
    def min(self):
        return 0 if self.kind == "u" else -(1 << (self.bits - 1))

    @property
    def max(self):
        return (1 << self.bits) - 1 if self.kind == "u" else (1 << (self.bits - 1)) - 1

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def min_scalar_type(a):
    a = asarray(a)
    if a.ndim or a.dtype.kind == "b":
        return a.dtype
    value = a.item()
    if a.dtype.kind in "iu":
        for name in ("uint8", "int8", "int16", "int32", "int64"):
            info = iinfo(name)
            if info.min <= value <= info.max and (value >= 0 or name != "uint8"):
                if value > 255:
                    raise NotImplementedError("min_scalar_type would be an unsigned dtype that attn's numpy does not have")
                return _dtype(name)
    for name in ("float16", "float32"):
        if _abs(value) <= float(finfo(name).max) or value != value:
            return _dtype(name)
    return a.dtype


def common_type(*arrays):
    made = _dtype("float16")
    for array in arrays:
        kind = asarray(array).dtype
        made = numpy.promote_types(made, kind if kind.kind == "f" else "float64")
    return made.type


# Warnings: attn has none for divisions by zero and the like, so their settings change nothing that is printed.

_SETTINGS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    old = dict(_SETTINGS)
    for name, value in (("divide", divide), ("over", over), ("under", under), ("invalid", invalid)):
        value = value or all
        if value == "raise" or value == "call" or value == "log" or value == "print":
            raise NotImplementedError(f"seterr({name}={value!r}) is not part of attn's numpy: only 'ignore' and 'warn' are")
        if value is not None:
            _SETTINGS[name] = value
    return old


def geterr():
    return dict(_SETTINGS)


class errstate:
    def __init__(self, **kwargs):
        self._words = kwargs

    def __enter__(self):
        self._old = seterr(**self._words)

    def __exit__(self, *error):
        _SETTINGS.update(self._old)

    def __call__(self, function):
        def inside(*args, **words):
            with errstate(**self._words):
                return function(*args, **words)

        return inside


# Printing.


def _words(precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, sign, floatmode, formatter, legacy):
    if legacy not in (None, False):
        raise NotImplementedError("printing with legacy= is not part of attn's numpy")
    if floatmode not in (None, "fixed", "unique", "maxprec", "maxprec_equal"):
        raise ValueError("floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", or \"maxprec_equal\"")
    if sign not in (None, "-", "+", " "):
        raise ValueError("sign option must be one of ' ', '+', or '-'")
    words = {
        "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth, "suppress": suppress, "nanstr": nanstr,
        "infstr": infstr, "sign": sign, "floatmode": floatmode,
    }
    words = {word: value for word, value in words.items() if value is not None}
    if precision is not None:
        words["precision"] = precision
    elif floatmode == "fixed":
        pass
    return words


_CUSTOM = {"formatter": None, "repr": None, "str": None}


def _customize(**words):
    """Functions that write elements or whole arrays; `None` for NumPy's own way."""
    _CUSTOM.update(words)
    _numpy._custom_text(any(value is not None for value in _CUSTOM.values()))


def _writer(formatter, kind):
    """The function of `formatter` for elements of a kind, or `None`."""
    names = {
        "b": ["bool"], "i": ["int", "int_kind"], "u": ["int", "int_kind"], "f": ["float", "float_kind"],
        "c": ["complexfloat", "complex_kind"], "U": ["numpystr", "str_kind"], "O": ["object"],
    }[kind]
    found = formatter.get("all")
    for name in reversed(names):
        found = formatter.get(name) or found
    return found


def formatted(a, formatter, separator, prefix, suffix, words=None):
    """The elements of an array as a function writes them; `None` where there is none for its dtype."""
    write = _writer(formatter, a.dtype.kind)
    if write is None:
        return None
    texts = [write(one) for one in a.reshape(-1)]
    return _numpy._laid_out(numpy.arange(a.size).reshape(a.shape), texts, words or {}, separator, prefix, suffix)


def custom_repr(a):
    """`repr` of an array after `set_string_function` or `set_printoptions(formatter=)`."""
    if _CUSTOM["repr"] is not None:
        return _CUSTOM["repr"](a)
    made = formatted(a, _CUSTOM["formatter"], ", ", 6, 1) if _CUSTOM["formatter"] and a.size else None
    if made is None:
        return _numpy._repr(a, {})
    is_implied = a.dtype.name in ("bool", "int64", "float64")
    return f"array({made})" if is_implied else f"array({made}, dtype={a.dtype.name})"


def custom_str(a):
    if _CUSTOM["str"] is not None:
        return _CUSTOM["str"](a)
    made = formatted(a, _CUSTOM["formatter"], " ", 0, 0) if _CUSTOM["formatter"] and a.ndim else None
    return _numpy._text(a, {}, " ", 0, 0) if made is None else made


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None,
                     infstr=None, formatter=None, sign=None, floatmode=None, *, legacy=None):
    _numpy._set_options(
        _words(precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, sign, floatmode, formatter, legacy)
    )
    # As in NumPy, a call that names no formatter ends the one before.
    _customize(formatter=formatter)


def get_printoptions():
    options = _numpy._get_options()
    options["formatter"] = _CUSTOM["formatter"]
    return options


class printoptions:
    """Print options within a `with`."""

    def __init__(self, *args, **kwargs):
        self._args, self._words = args, kwargs

    def __enter__(self):
        self._old = get_printoptions()
        set_printoptions(*self._args, **self._words)
        return get_printoptions()

    def __exit__(self, *error):
        old = self._old
        _customize(formatter=old.pop("formatter"))
        del old["legacy"]
        _numpy._set_options(old)


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", style=None,
                 formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="", *, legacy=None):
    words = _words(precision, threshold, edgeitems, max_line_width, suppress_small, None, None, sign, floatmode, formatter, legacy)
    a = asarray(a)
    made = formatted(a, formatter, separator, len(prefix), len(suffix), words) if formatter and a.size else None
    return _numpy._text(a, words, separator, len(prefix), len(suffix)) if made is None else made


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    words = _words(precision, None, None, max_line_width, suppress_small, None, None, None, None, None, None)
    return _numpy._repr(asarray(arr), words)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    words = _words(precision, None, None, max_line_width, suppress_small, None, None, None, None, None, None)
    a = asarray(a)
    return str(a) if a.ndim == 0 else _numpy._text(a, words, " ", 0, 0)


def set_string_function(f, repr=True):
    _customize(**{"repr" if repr else "str": f})


def format_float_positional(x, precision=None, unique=True, fractional=True, trim="k", sign=False, pad_left=None,
                            pad_right=None, min_digits=None):
    if not fractional:
        raise NotImplementedError("format_float_positional(fractional=False) is not part of attn's numpy")
    text = _numpy._float_text(_number(x), precision, bool(unique), trim, bool(sign), min_digits or 0)
    whole, point, rest = text.partition(".")
    if pad_left is not None:
        whole = whole.rjust(pad_left)
    if pad_right is not None:
        rest = rest.ljust(pad_right)
    return whole + point + rest


def format_float_scientific(x, precision=None, unique=True, trim="k", sign=False, pad_left=None, exp_digits=None,
                            min_digits=None):
    text = _numpy._float_text(_number(x), precision, bool(unique), trim, bool(sign), min_digits or 0, exp_digits or 2)
    whole, point, rest = text.partition(".")
    return whole.rjust(pad_left or 0) + point + rest


def _number(x):
    return x if isinstance(x, numpy.generic) else numpy.float64(x)


def base_repr(number, base=2, padding=0):
    if base > 36:
        raise ValueError("Bases greater than 36 not handled in base_repr.")
    if base < 2:
        raise ValueError("Bases less than 2 not handled in base_repr.")
    digits, left = [], _abs(int(number))
    while left:
        digits.append("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[left % base])
        left //= base
    digits = (["-"] if number < 0 else []) + ["0"] * padding + (digits[::-1] or (["0"] if not padding else []))
    return "".join(digits)


def binary_repr(num, width=None):
    num = int(num)
    if num >= 0:
        text = bin(num)[2:]
        return text if width is None else text.zfill(width)
    if width is None:
        return "-" + bin(-num)[2:]
    return bin((1 << width) + num)[2:].zfill(width)


def show_config(mode="stdout"):
    raise NotImplementedError("show_config() is not part of attn's numpy")


# Windows.


def hanning(M):
    if M < 1:
        return numpy.array([])
    n = numpy.arange(1 - M, M, 2)
    return numpy.ones(1) if M == 1 else 0.5 + 0.5 * numpy.cos(numpy.pi * n / (M - 1))


def hamming(M):
    if M < 1:
        return numpy.array([])
    n = numpy.arange(1 - M, M, 2)
    return numpy.ones(1) if M == 1 else 0.54 + 0.46 * numpy.cos(numpy.pi * n / (M - 1))


def blackman(M):
    if M < 1:
        return numpy.array([])
    n = numpy.arange(1 - M, M, 2)
    if M == 1:
        return numpy.ones(1)
    return 0.42 + 0.5 * numpy.cos(numpy.pi * n / (M - 1)) + 0.08 * numpy.cos(2.0 * numpy.pi * n / (M - 1))


def bartlett(M):
    if M < 1:
        return numpy.array([])
    n = numpy.arange(1 - M, M, 2)
    return numpy.ones(1) if M == 1 else numpy.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))
