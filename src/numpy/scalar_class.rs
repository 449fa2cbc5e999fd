//! The classes of scalars: how they are made, printed, compared and used as operands.

use rustpython_vm::builtins::{PyStr, PyTypeRef};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine, pyclass};

use super::context::{PyFloat64, PyScalar, context};
use super::digits;
use super::operators::Operators;
use super::scalar::{converted, number, of_number, python, tensor};
use crate::tensor::Arg;
use crate::torch::tensor_object;

/// The text of a scalar.
fn text(object: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    match number(object, vm) {
        Some((dtype, Arg::Float(value))) => Ok(vm.ctx.new_str(digits::scalar(value, dtype))),
        Some((_, number)) => python(&number, vm).repr(vm),
        None => Ok(vm.ctx.new_str("")),
    }
}

/// `numpy.float32(x)`: a scalar, or an array of what has dimensions.
fn made(class: &PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let numpy = context(vm)?;
    let Some(dtype) = super::dtypes::meant(&numpy, class.as_object(), vm) else {
        return Err(vm.new_type_error(format!("cannot create '{}' instances", class.name())));
    };
    // Text is read as Python's floats are.
    let object = match args.args.into_iter().next() {
        None => vm.ctx.new_int(0).into(),
        Some(text) if text.downcast_ref::<PyStr>().is_some() => {
            vm.ctx.types.float_type.as_object().call((text,), vm)?
        }
        Some(object) => object,
    };
    if let Some((_, number)) = number(&object, vm) {
        return of_number(&numpy, dtype, converted(&number, dtype), vm);
    }
    numpy.result(super::convert::tensor(&numpy, &object, Some(dtype), vm)?, vm)
}

/// What both classes have in common.
macro_rules! slots {
    ($class:ident) => {
        impl Operators for $class {}

        #[pyclass(with(Operators), flags(BASETYPE))]
        impl $class {
            #[pyslot]
            fn slot_new(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
                made(&class, args, vm)
            }

            #[pyslot]
            fn slot_repr(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
                text(zelf, vm)
            }

            #[pyslot]
            fn slot_hash(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyHash> {
                number(zelf, vm).map_or(Ok(0), |it| python(&it.1, vm).hash(vm))
            }

            /// The Python number: what torch takes.
            #[pygetset]
            fn _number(zelf: PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
                number(&zelf, vm).map_or_else(|| vm.ctx.none(), |it| python(&it.1, vm))
            }

            /// The tensor without dimensions, whose dtype torch takes.
            #[pymethod]
            fn _typed(zelf: PyObjectRef, vm: &VirtualMachine) -> PyResult {
                let (dtype, number) = number(&zelf, vm).ok_or_else(|| vm.new_type_error("not a number"))?;
                Ok(tensor_object(tensor(dtype, &number), &context(vm)?.state, vm))
            }

            /// As the Python number with the same value: a float32 has more digits then than `str` gives it.
            #[pymethod]
            fn __format__(zelf: PyObjectRef, spec: PyObjectRef, vm: &VirtualMachine) -> PyResult {
                Ok(vm.format(&$class::_number(zelf, vm), spec.str(vm)?)?.into())
            }
        }
    };
}

slots!(PyScalar);
slots!(PyFloat64);
