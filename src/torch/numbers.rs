//! Python numbers, and lists of them, as arguments.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyFloat, PyInt, PyList, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

use super::py_tensor::tensor_of;
use crate::tensor::{Arg, Tensor};

/// A Python number as an argument; none for other objects.
pub(crate) fn number(object: &PyObject, vm: &VirtualMachine) -> Option<Arg> {
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Some(Arg::Float(float.to_f64()));
    }
    if object.class().is(vm.ctx.types.bool_type) {
        return Some(Arg::Bool(object.is(&vm.ctx.true_value)));
    }
    let Some(int) = object.downcast_ref::<PyInt>() else {
        // NumPy's scalars are no Python numbers, and say which they are.
        let name = vm.ctx.intern_str("_number");
        object.class().get_attr(name)?;
        return number(&*object.get_attr(name, vm).ok()?, vm);
    };
    let big = int.as_bigint();
    Some(
        i64::try_from(big)
            .map_or_else(|_| Arg::Float(big.to_string().parse().unwrap_or(f64::INFINITY)), Arg::Int),
    )
}

/// Whether an object is an int that no `int64` has.
pub(crate) fn is_too_large(object: &PyObject) -> bool {
    object.downcast_ref::<PyInt>().is_some_and(|int| i64::try_from(int.as_bigint()).is_err())
}

/// PyTorch's error for a number that no `int64` has; none for all others.
pub(crate) fn too_large(object: &PyObject, vm: &VirtualMachine) -> Option<PyBaseExceptionRef> {
    let error = || vm.new_runtime_error("value cannot be converted to type int64_t without overflow");
    is_too_large(object).then(error)
}

/// The one element of a tensor as an argument; none where it has more.
pub(crate) fn element(tensor: &Tensor) -> Option<Arg> {
    (tensor.numel() == 1).then(|| tensor.first())
}

/// A Python int; bools and integer tensors of one element count.
pub(crate) fn int(object: &PyObject, vm: &VirtualMachine) -> Option<i64> {
    match number(object, vm) {
        Some(Arg::Int(value)) => Some(value),
        Some(Arg::Bool(value)) => Some(i64::from(value)),
        Some(_) => None,
        None => {
            let tensor = tensor_of(object)?;
            (!tensor.dtype().is_float()).then(|| tensor.item_int().ok())?
        }
    }
}

/// The items of a list or tuple.
pub(crate) fn items(object: &PyObject) -> Option<Vec<PyObjectRef>> {
    if let Some(list) = object.downcast_ref::<PyList>() {
        return Some(list.borrow_vec().to_vec());
    }
    object.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice().to_vec())
}

/// The ints of a list or tuple; none where an item is no int.
pub(crate) fn ints(object: &PyObject, vm: &VirtualMachine) -> Option<Vec<i64>> {
    items(object)?.iter().map(|item| int(item, vm)).collect()
}
