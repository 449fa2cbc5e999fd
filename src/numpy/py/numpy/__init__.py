"""numpy, as far as attention needs it: arrays over the same memory and operations as torch's tensors.

Arrays, elementwise functions, indexing and printing are native; what is built from them stands in this folder in plain
Python, to be read. A module is loaded when a name of it is first used.
"""

import _numpy_start

_numpy_start.load()

from _numpy import ndarray, promote_types, result_type, ufunc
import _numpy
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

_LATER = {
    "_shape": (
        "flip fliplr flipud broadcast_arrays broadcast_shapes resize pad append shape ndim size moveaxis roll atleast_1d atleast_2d "
        "vstack hstack column_stack array_split split ascontiguousarray logspace meshgrid"
    ),
    "_statistics": "median average percentile quantile count_nonzero",
    "_numeric": "allclose isclose isneginf array_equal nan_to_num interp angle real imag vectorize tensordot",
    "_settings": "issubdtype finfo errstate seterr get_printoptions set_printoptions printoptions array2string",
    "_indices": (
        "tri fill_diagonal take_along_axis put_along_axis flatnonzero tril_indices triu_indices tril_indices_from "
        "triu_indices_from indices mgrid ogrid unravel_index ndindex ndenumerate nditer"
    ),
    "_exceptions": "AxisError",
    "_kinds": "str_",
    "_files": "save load savez savez_compressed fromfile memmap",
    "_methods": "trace searchsorted",
    "_counts": "cov corrcoef histogram bincount diff convolve unique isin setdiff1d",
}

_HOME = {name: module for module, names in _LATER.items() for name in names.split()}


def __getattr__(name):
    from importlib import import_module

    if name in ("linalg", "random", "testing", "exceptions", "typing"):
        return import_module("numpy." + name)
    if name in _HOME:
        globals()[name] = value = getattr(import_module("numpy." + _HOME[name]), name)
        return value
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy' has no attribute '{name}'")
    raise import_module("numpy._absent").missing("numpy", name, __dir__())


def __dir__():
    return sorted([*[name for name in globals() if not name.startswith("_")], *_HOME, "linalg", "random", "testing"])
