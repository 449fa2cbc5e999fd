//! Functions that become methods where they are read from an object.

use rustpython_vm::builtins::PyBoundMethod;
use rustpython_vm::{PyObjectRef, PyPayload, VirtualMachine};

/// What a function is where it is read: the method of an object, or itself, where there is no object or it `is_function`.
pub(crate) fn read(
    function: PyObjectRef,
    object: Option<PyObjectRef>,
    is_function: bool,
    vm: &VirtualMachine,
) -> PyObjectRef {
    match object {
        Some(object) if !is_function && !vm.is_none(&object) => {
            PyBoundMethod::new(object, function).into_pyobject(vm)
        }
        _ => function,
    }
}
