//! The native half of the `numpy` module: arrays over the same storages, layouts and operations as tensors.
//! The Python half is `py/numpy/`. Nothing is made before a cell imports `numpy`.
//!
//! | file | what it has |
//! |---|---|
//! | [`context`] | what belongs to one session: its state, the classes of scalars, the print options |
//! | [`array`] | `numpy.ndarray` |
//! | [`scalar`], [`scalar_class`] | `numpy.float64` and the other scalars |
//! | [`dtypes`] | `numpy.dtype`, and NumPy's promotion |
//! | [`convert`] | Python objects to arrays |
//! | [`ufunc`], [`elementwise`], [`rules`] | elementwise functions: their calls, what they compute, their dtypes |
//! | [`reduce`] | sums in NumPy's order |
//! | [`routine`], [`signature`], [`table`] | functions and methods: a row for each, read by one binding |
//! | [`complex`], [`complex_class`] | arrays of complex numbers |
//! | [`foreign`] | arrays of labels, which are Python, and calls of the Python half |
//! | [`index`] | `x[...]` and `x[...] = y` |
//! | [`mirror`] | views that are read backwards |
//! | [`text`], [`digits`] | how arrays and numbers print |
//! | [`module`] | the functions of `_numpy` |

mod array;
mod axes;
mod complex;
mod complex_class;
mod context;
mod convert;
mod digits;
mod dtypes;
mod elementwise;
mod foreign;
mod index;
mod mirror;
mod module;
mod operators;
mod random;
mod reduce;
mod routine;
mod rules;
mod scalar;
mod scalar_class;
mod signature;
mod table;
mod text;
mod ufunc;

use rustpython_vm::PyObject;

use crate::tensor::Tensor;
use crate::torch;

pub(crate) use module::install;

/// The tensor of a Python object, or that of an array: for those who show variables.
pub(crate) fn tensor_value(object: &PyObject) -> Option<Tensor> {
    context::array_of(object).or_else(|| torch::tensor_of(object))
}
