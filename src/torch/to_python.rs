//! Values that operations return as Python objects.

use std::rc::Rc;

use rustpython_vm::builtins::PyDict;
use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::classes::PyDType;
use super::py_tensor::PyTensor;
use super::raise::OrRaise;
use crate::ops::state::State;
use crate::ops::value::Value;
use crate::tensor::{Category, Tensor, allow_objects};

/// The Python object of a tensor: the one that was passed in, if the operation returned it.
fn tensor_object(
    tensor: Tensor,
    state: &Rc<State>,
    given: &[PyObjectRef],
    vm: &VirtualMachine,
) -> PyObjectRef {
    for object in given {
        if object.downcast_ref::<PyTensor>().is_some_and(|it| it.tensor().is(&tensor)) {
            return object.clone();
        }
    }
    PyTensor::new(tensor, state.clone()).into_pyobject(vm)
}

/// The class of a named tuple that was made before.
fn named_class(name: &'static str, vm: &VirtualMachine) -> Option<PyObjectRef> {
    let modules = vm.sys_module.get_attr("modules", vm).ok()?;
    let module = modules.downcast_ref::<PyDict>()?.get_item_opt("torch.return_types", vm).ok()??;
    let types = module.get_attr("_types", vm).ok()?;
    types.downcast_ref::<PyDict>()?.get_item_opt(name, vm).ok()?
}

/// The Python object of a value.
pub(crate) fn object(
    value: Value,
    state: &Rc<State>,
    given: &[PyObjectRef],
    vm: &VirtualMachine,
) -> PyResult {
    let wrap = |tensor: Tensor| tensor_object(tensor, state, given, vm);
    Ok(match value {
        Value::Tensor(tensor) => wrap(tensor),
        Value::Tensors(tensors) => vm.ctx.new_tuple(tensors.into_iter().map(wrap).collect()).into(),
        Value::Named(name, fields) => {
            let (names, tensors): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
            let tensors = vm.ctx.new_tuple(tensors.into_iter().map(wrap).collect());
            if let Some(class) = named_class(name, vm) {
                return class.call((tensors,), vm);
            }
            let names = names.into_iter().map(|name| vm.ctx.new_str(name).into()).collect();
            let module = vm.import("torch.return_types", 0)?;
            let make = module.get_attr("return_types", vm)?.get_attr("_make", vm)?;
            make.call((vm.ctx.new_str(name), vm.ctx.new_tuple(names), tensors), vm)?
        }
        Value::Bool(value) => vm.ctx.new_bool(value).into(),
        Value::Int(value) => vm.ctx.new_int(value).into(),
        Value::DType(dtype) => PyDType::object(dtype, vm),
    })
}

/// A Python number of a tensor's one element. As `Tensor.item`.
pub(crate) fn item_object(tensor: &Tensor, vm: &VirtualMachine) -> PyResult {
    Ok(match tensor.dtype().category() {
        Category::Float => vm.ctx.new_float(tensor.item().or_raise(vm)?).into(),
        Category::Integer => vm.ctx.new_int(tensor.item_int().or_raise(vm)?).into(),
        Category::Bool => vm.ctx.new_bool(tensor.item_int().or_raise(vm)? != 0).into(),
    })
}

/// Raises MemoryError if the elements of nested lists of this shape would not fit.
pub(crate) fn check_list(shape: &[usize], vm: &VirtualMachine) -> PyResult<()> {
    allow_objects(shape)
        .map_err(|_| vm.new_memory_error("a list of these elements takes more than a cell may take here"))
}
