//! Objects that are no tensors of attn and take part in operations all the same: those whose class has
//! `__torch_function__`, and Python's complex numbers.
//! Source: "Extending torch with a Tensor-like type" in PyTorch's documentation.

use rustpython_vm::builtins::PyComplex;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::numbers::items;

/// The method by which a class takes part in operations.
const PROTOCOL: &str = "__torch_function__";

/// Whether the object takes part in operations without being a tensor: a complex tensor, or one of a class of a cell.
pub(crate) fn takes_part(object: &PyObject, vm: &VirtualMachine) -> bool {
    object.class().get_attr(vm.ctx.intern_str(PROTOCOL)).is_some()
}

/// What `__torch_function__` of an argument makes of a call of `function`; `None` where no argument has one.
pub(super) fn overridden(function: &PyObject, args: &FuncArgs, vm: &VirtualMachine) -> Option<PyResult> {
    let nested = || args.args.iter().filter_map(|arg| items(arg)).flatten();
    let object = args
        .args
        .iter()
        .chain(args.kwargs.values())
        .cloned()
        .chain(nested())
        .find(|object| takes_part(object, vm))?;
    let words = vm.ctx.new_dict();
    for (word, value) in &args.kwargs {
        if let Err(error) = words.set_item(word.as_str(), value.clone(), vm) {
            return Some(Err(error));
        }
    }
    let types = vm.ctx.new_tuple(vec![object.class().to_owned().into()]);
    let call = object.class().as_object().get_attr(vm.ctx.intern_str(PROTOCOL), vm);
    Some(call.and_then(|call| {
        call.call((function.to_owned(), types, vm.ctx.new_tuple(args.args.clone()), words), vm)
    }))
}

/// Whether this is one of Python's complex numbers.
pub(super) fn is_complex(object: &PyObject) -> bool {
    object.downcast_ref::<PyComplex>().is_some()
}

/// Whether there is a complex number in nested lists, or a complex tensor or dtype among these.
pub(super) fn has_complex(objects: &[PyObjectRef], vm: &VirtualMachine) -> bool {
    objects.iter().any(|object| {
        is_complex(object)
            || takes_part(object, vm)
            || items(object).is_some_and(|inner| has_complex(&inner, vm))
    })
}

/// An operator of a tensor and a complex number, by the name of its operation.
pub(super) fn operate(name: &str, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    complex_function("operate", vm)?.call((vm.ctx.new_str(name), a.to_owned(), b.to_owned()), vm)
}

/// `torch.tensor` where there are complex numbers.
pub(super) fn complex_tensor(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    complex_function("tensor", vm)?.call(args, vm)
}

/// A function of the module that computes with complex numbers, in Python.
fn complex_function(name: &'static str, vm: &VirtualMachine) -> PyResult {
    vm.import("torch._complex", 0)?.get_attr("_complex", vm)?.get_attr(name, vm)
}
