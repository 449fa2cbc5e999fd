//! Errors of tensors as Python exceptions.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{PyResult, VirtualMachine};

use crate::tensor::{Error, ErrorKind};

/// The Python exception of a tensor error.
pub(crate) fn raise(error: Error, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let exceptions = &vm.ctx.exceptions;
    let class = match error.kind {
        ErrorKind::Runtime => exceptions.runtime_error,
        ErrorKind::Index => exceptions.index_error,
        ErrorKind::Value => exceptions.value_error,
        ErrorKind::Type => exceptions.type_error,
        ErrorKind::NotImplemented => exceptions.not_implemented_error,
    };
    vm.new_exception_msg(class.to_owned(), error.message.into())
}

/// Converts the result of a tensor operation to one of Python.
pub(crate) trait OrRaise<T> {
    /// The value, or its error as a Python exception.
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T> {
        self.map_err(|error| raise(error, vm))
    }
}
