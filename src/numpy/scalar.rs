//! NumPy's scalars. `float64` is a Python float; the others have a payload of their own.
//! The classes that a program sees (`numpy.int64`, `numpy.floating`) are made in Python over these two.

use std::rc::Rc;

use rustpython_vm::builtins::{PyFloat, PyInt, PyTypeRef};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::context::{Numpy, PyScalar};
use crate::tensor::{Arg, Category, DType, Tensor};

/// A scalar of this dtype.
pub(super) fn of_number(numpy: &Numpy, dtype: DType, number: Arg, vm: &VirtualMachine) -> PyResult {
    of_class(dtype, number, numpy.class(dtype, vm)?, vm)
}

/// A scalar of this class, which is that of the dtype.
pub(super) fn of_class(dtype: DType, number: Arg, class: PyTypeRef, vm: &VirtualMachine) -> PyResult {
    match (dtype, &number) {
        (DType::Float64, Arg::Float(value)) => {
            Ok(PyFloat::from(*value).into_ref_with_type(vm, class)?.into())
        }
        _ => Ok(PyScalar { dtype, number }.into_ref_with_type(vm, class)?.into()),
    }
}

/// The scalar of a tensor without dimensions.
pub(super) fn of_tensor(numpy: &Numpy, tensor: &Tensor, vm: &VirtualMachine) -> PyResult {
    of_number(numpy, tensor.dtype(), tensor.first(), vm)
}

/// The dtype and the number of a scalar or of a Python number; `None` for other objects.
pub(super) fn number(object: &PyObject, vm: &VirtualMachine) -> Option<(DType, Arg)> {
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Some((DType::Float64, Arg::Float(float.to_f64())));
    }
    if let Some(scalar) = object.downcast_ref::<PyScalar>() {
        return Some((scalar.dtype, scalar.number.clone()));
    }
    if object.class().is(vm.ctx.types.bool_type) {
        return Some((DType::Bool, Arg::Bool(object.is(&vm.ctx.true_value))));
    }
    let int = object.downcast_ref::<PyInt>()?;
    i64::try_from(int.as_bigint()).ok().map(|value| (DType::Int64, Arg::Int(value)))
}

/// The tensor without dimensions of a number.
pub(super) fn tensor(dtype: DType, number: &Arg) -> Tensor {
    match *number {
        Arg::Int(value) if dtype == DType::Int64 => Tensor::from_i64(vec![value], []),
        Arg::Int(value) => Tensor::scalar(dtype.wrap_i64(value) as f64, dtype),
        ref other => Tensor::scalar(other.number().unwrap_or(0.0), dtype),
    }
}

/// A Python number of a number.
pub(super) fn python(number: &Arg, vm: &VirtualMachine) -> PyObjectRef {
    match *number {
        Arg::Bool(value) => vm.ctx.new_bool(value).into(),
        Arg::Int(value) => vm.ctx.new_int(value).into(),
        ref other => vm.ctx.new_float(other.number().unwrap_or(f64::NAN)).into(),
    }
}

/// A number converted to a dtype.
pub(super) fn converted(number: &Arg, dtype: DType) -> Arg {
    match (dtype.category(), number) {
        (Category::Bool, number) => Arg::Bool(number.number().is_some_and(|it| it != 0.0)),
        (Category::Integer, Arg::Int(value)) => Arg::Int(dtype.wrap_i64(*value)),
        (Category::Integer, Arg::Bool(value)) => Arg::Int(i64::from(*value)),
        (Category::Integer, number) => Arg::Int(dtype.wrap_i64(number.number().unwrap_or(0.0) as i64)),
        (Category::Float, number) => {
            let value = number.number().unwrap_or(0.0);
            Arg::Float(if dtype == DType::Float64 { value } else { f64::from(dtype.round_f32(value as f32)) })
        }
    }
}

impl Numpy {
    /// The array of a tensor, or a scalar if it has no dimensions.
    pub(super) fn result(self: &Rc<Self>, tensor: Tensor, vm: &VirtualMachine) -> PyResult {
        match tensor.ndim() {
            0 => of_tensor(self, &tensor, vm),
            _ => Ok(self.array(tensor, vm)),
        }
    }
}
