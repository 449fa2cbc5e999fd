"""numpy, as far as attention needs it: arrays over the same memory and operations as torch's tensors.

Arrays, elementwise functions, indexing and printing are native; what is built from them stands in this folder in plain
Python, to be read. A module is loaded when a name of it is first used.
"""

import _numpy_start

_numpy_start.load()

from _numpy import ndarray, promote_types, result_type, ufunc
import _numpy
from numpy import _kinds
from numpy._kinds import dtype

from numpy._scalars import *

__version__ = "1.26.4"

pi = 3.141592653589793
e = 2.718281828459045
inf = Inf = 1e400
NINF = -inf
nan = NaN = NAN = inf - inf
newaxis = None

globals().update(_numpy._functions)
globals().update(_numpy._routines)
abs = absolute
true_divide = divide
mod = remainder
bitwise_not = invert
conj = conjugate
degrees = rad2deg
radians = deg2rad

# Families of names that are left out, with the words that say so.
_ABSENT = {
    "masked arrays": "ma",
    "polynomials": "polynomial poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots vander",
    "Fourier transforms": "fft",
    "window functions": "bartlett blackman hamming hanning kaiser",
    "plans of contractions": "einsum_path",
    "matrices (use arrays)": "matrix mat asmatrix bmat",
    "files that are memory": "memmap",
    "arrays of records": "recarray rec record",
    "NumPy's own inner modules": "lib core",
}
# Names that are left out, and what to use.
_INSTEAD = {
    "loadtxt": "load()", "genfromtxt": "load()", "savetxt": "save()", "rot90": "flip() and transpose()",
    "kron": "outer() and reshape()", "divmod": "the builtin divmod()", "intersect1d": "isin()", "can_cast": "promote_types()",
    "setdiff1d": "isin(.., invert=True)", "union1d": "unique(concatenate(..))", "array_repr": "repr()", "gradient": "diff()",
    "digitize": "searchsorted()", "ix_": "a[rows][:, columns]", "s_": "slice()", "diag_indices": "arange()", "geterr": "seterr()",
    "r_": "concatenate()", "c_": "column_stack()", "ogrid": "meshgrid(.., sparse=True)", "nditer": "ndindex()",
    "frombuffer": "array(list(buffer))",
    "nansum": "sum() of a[~isnan(a)]", "nanmean": "mean() of a[~isnan(a)]", "nanstd": "std() of a[~isnan(a)]",
    "nanmax": "max() of a[~isnan(a)]", "nanmin": "min() of a[~isnan(a)]", "ptp": "max() and min()", "delete": "a mask: a[keep]",
    "iinfo": "torch.iinfo()", "left_shift": "a * 2**n", "right_shift": "a // 2**n",
    "insert": "concatenate()", "array_str": "array2string()", "may_share_memory": "a.base", "shares_memory": "a.base", "isscalar": "ndim()",
    "iscomplexobj": "dtype.kind", "isrealobj": "dtype.kind",
    "vdot": "dot() and conj()", "asfortranarray": "ascontiguousarray()", "partition": "sort()",
}

_LATER = {
    "_shape": (
        "flip fliplr flipud broadcast_arrays broadcast_shapes pad append shape ndim size moveaxis roll atleast_1d atleast_2d "
        "vstack hstack column_stack ascontiguousarray logspace meshgrid"
    ),
    "_statistics": "median average percentile quantile count_nonzero",
    "_numeric": "allclose isclose array_equal nan_to_num interp angle real imag vectorize tensordot",
    "_settings": (
        "issubdtype finfo errstate seterr get_printoptions set_printoptions printoptions array2string"
    ),
    "_indices": (
        "tri fill_diagonal put_along_axis tril_indices triu_indices tril_indices_from triu_indices_from indices mgrid unravel_index ndindex ndenumerate"
    ),
    "_exceptions": "AxisError",
    "_kinds": "str_ unicode_",
    "_files": "save load savez savez_compressed",
    "_methods": "trace",
    "_counts": "cov corrcoef histogram bincount diff convolve unique",
}

_HOME = {name: module for module, names in _LATER.items() for name in names.split()}


def __getattr__(name):
    home = _HOME.get(name)
    if home is not None:
        import importlib

        module = importlib.import_module("numpy." + home)
        try:
            value = getattr(module, name)
        except AttributeError:
            raise _missing(name) from None
        globals()[name] = value
        return value
    if name in ("linalg", "random", "testing", "exceptions", "typing"):
        import importlib

        return importlib.import_module("numpy." + name)
    raise _missing(name)


def _missing(name):
    for what, names in _ABSENT.items():
        if name in names.split():
            return AttributeError(f"module 'numpy' has no attribute '{name}' in attn: {what} are not part of its numpy")
    if name in _INSTEAD:
        return AttributeError(f"module 'numpy' has no attribute '{name}' in attn: use {_INSTEAD[name]}")
    if name in _kinds._ABSENT or name == "string_":
        return AttributeError(
            f"module 'numpy' has no attribute '{name}' in attn: its arrays have the dtypes bool, int8 to int64, uint8, "
            "float16, float32, float64, complex64 and complex128"
        )
    if name in ("float", "int", "bool", "object", "str", "complex", "long", "unicode"):
        return AttributeError(
            f"module 'numpy' has no attribute '{name}'.\n`np.{name}` was a deprecated alias for the builtin `{name}`. "
            f"To avoid this error in existing code, use `{name}` by itself."
        )
    import difflib

    known = [known for known in [*globals(), *_HOME] if not known.startswith("_")]
    near = difflib.get_close_matches(name, known, 1)
    hint = f" Did you mean: '{near[0]}'?" if near else ""
    return AttributeError(f"module 'numpy' has no attribute '{name}' in attn.{hint}")


def __dir__():
    return sorted([*[name for name in globals() if not name.startswith("_")], *_HOME, "linalg", "random", "testing"])
