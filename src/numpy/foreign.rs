//! Operands of another class, such as arrays of labels, and calls of the Python half.
//! Source: NumPy's documentation of `numpy.class.__array_ufunc__`.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyComplex, PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::context::{PyArray, PyScalar};
use crate::torch::items;

/// The method by which a class takes part in elementwise functions.
const PROTOCOL: &str = "__array_ufunc__";

/// Whether this is a complex number or an array of them.
pub(super) fn is_complex(object: &PyObject) -> bool {
    object.downcast_ref::<PyComplex>().is_some()
        || object.downcast_ref::<PyArray>().is_some_and(|it| it.is_complex)
}

/// Whether the class of an object takes part by the protocol: those of the interpreter do not.
fn has_protocol(object: &PyObject, vm: &VirtualMachine) -> bool {
    object.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE)
        && object.class().get_attr(vm.ctx.intern_str(PROTOCOL)).is_some()
}

/// Whether the object is of another class that takes part by the protocol: an array of labels.
pub(super) fn is_label(object: &PyObject, vm: &VirtualMachine) -> bool {
    let is_native = object.downcast_ref::<PyArray>().is_some()
        || object.downcast_ref::<PyScalar>().is_some()
        || object.downcast_ref::<PyFloat>().is_some()
        || object.downcast_ref::<PyInt>().is_some()
        || object.downcast_ref::<PyComplex>().is_some();
    !is_native && has_protocol(object, vm)
}

/// Whether the object is complex or takes part by the protocol.
pub(super) fn takes_part(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_complex(object) || is_label(object, vm)
}

/// Whether the object, or an item of nested lists, takes part.
pub(super) fn has_part(object: &PyObject, vm: &VirtualMachine) -> bool {
    let any = |inner: &[PyObjectRef]| inner.iter().any(|it| has_part(it, vm));
    match (object.downcast_ref::<PyTuple>(), object.downcast_ref::<PyList>()) {
        (Some(tuple), _) => any(tuple.as_slice()),
        (None, Some(list)) => any(&list.borrow_vec()),
        (None, None) => takes_part(object, vm),
    }
}

/// Whether the object, or an item of nested lists, is neither a number nor an array of numbers.
pub(super) fn has_label(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_label(object, vm)
        || object.downcast_ref::<PyStr>().is_some()
        || items(object).is_some_and(|inner| inner.iter().any(|it| has_label(it, vm)))
}

/// Calls a function of NumPy that is native, by its name, with text among its arguments. `how` is the function of the
/// Python module that is asked.
pub(super) fn routine(how: &'static str, name: &str, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    args.args.insert(0, vm.ctx.new_str(name).into());
    call("numpy._labels", how, args, vm)
}

/// The object of a dtype that arrays of numbers do not have, or NumPy's error.
pub(super) fn dtype(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    call("numpy._kinds", "kind_of", args, vm)
}

/// An exception of NumPy's own.
pub(super) fn error(
    class: &str,
    args: Vec<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult<PyBaseExceptionRef> {
    let error = call("numpy._exceptions", class, args, vm)?;
    error.downcast().map_err(|_| vm.new_type_error("an exception class makes exceptions"))
}

/// Calls a function of a module in Python.
pub(super) fn call(
    home: &'static str,
    name: &str,
    args: impl Into<FuncArgs>,
    vm: &VirtualMachine,
) -> PyResult {
    vm.import(home, 0)?;
    let modules = vm.sys_module.get_attr("modules", vm)?;
    modules.get_item(home, vm)?.get_attr(vm.ctx.intern_str(name), vm)?.call(args.into(), vm)
}
