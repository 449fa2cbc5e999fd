//! Operands that are Python: complex numbers, arrays of them and arrays of text; and calls of the Python half.
//! Source: NumPy's documentation of `numpy.class.__array_ufunc__`.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyComplex, PyFloat, PyInt, PyStr};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::context::{PyArray, PyScalar};

/// Whether the object is a complex number, or of another class that takes part by the protocol.
pub(super) fn is_foreign(object: &PyObject, vm: &VirtualMachine) -> bool {
    let is_native = object.downcast_ref::<PyArray>().is_some()
        || object.downcast_ref::<PyScalar>().is_some()
        || object.downcast_ref::<PyFloat>().is_some()
        || object.downcast_ref::<PyInt>().is_some();
    // Classes of the interpreter have no protocol.
    let may_have_protocol = object.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE);
    let has_protocol = || object.class().get_attr(vm.ctx.intern_str("__array_ufunc__")).is_some();
    !is_native && (object.downcast_ref::<PyComplex>().is_some() || may_have_protocol && has_protocol())
}

/// Calls a function of NumPy that is native, by its name, with text or complex numbers among its arguments. `how` is the
/// function of the Python module that is asked.
pub(super) fn routine(how: &'static str, name: &str, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    args.args.splice(0..0, [how, name].map(|text| vm.ctx.new_str(text).into()));
    call("numpy._kinds", "routine", args, vm)
}

/// `numpy.dtype(object)`
pub(super) fn dtype(object: &PyObject, vm: &VirtualMachine) -> PyResult {
    call("numpy._kinds", "dtype", vec![object.to_owned()], vm)
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

/// An attribute of an object's class, or one that the function `attribute` of a module in Python has.
pub(super) fn attribute(
    object: &PyObject,
    name: &Py<PyStr>,
    home: &'static str,
    vm: &VirtualMachine,
) -> PyResult {
    match object.generic_getattr_opt(name, None, vm)? {
        Some(value) => Ok(value),
        None => call(home, "attribute", vec![object.to_owned(), name.to_owned().into()], vm),
    }
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
