//! Errors of tensors as Python exceptions. What an error is about goes with the exception, as an attribute.

use rustpython_vm::builtins::{PyBaseException, PyBaseExceptionRef};
use rustpython_vm::function::PosArgs;
use rustpython_vm::{
    AsObject, Py, PyObjectRef, PyPayload, PyRef, PyResult, TryFromObject, VirtualMachine, pyclass,
};

use super::numbers::items;
use crate::kernel::stop;
use crate::tensor::{Error, ErrorFact, ErrorKind};

/// The attribute of an exception that has its fact.
const ATTRIBUTE: &str = "_torch_fact";

/// What an exception is about.
#[pyclass(module = "torch._C", name = "_ErrorFact")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyErrorFact {
    fact: ErrorFact,
}

#[pyclass]
impl PyErrorFact {}

/// The Python exception of a tensor error.
pub(crate) fn raise(error: Error, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let exceptions = &vm.ctx.exceptions;
    let class = match error.kind {
        ErrorKind::Stopped => match stop::from_native(|| vm.check_signals()) {
            Err(exception) => return exception,
            Ok(()) => exceptions.keyboard_interrupt,
        },
        ErrorKind::Runtime => exceptions.runtime_error,
        ErrorKind::Index => exceptions.index_error,
        ErrorKind::Value => exceptions.value_error,
        ErrorKind::Type => exceptions.type_error,
        ErrorKind::NotImplemented => exceptions.not_implemented_error,
    };
    let exception = vm.new_exception_msg(class.to_owned(), error.message.into());
    if let Some(fact) = error.fact {
        attach(&exception, fact, vm);
    }
    exception
}

pub(super) fn attach(exception: &Py<PyBaseException>, fact: ErrorFact, vm: &VirtualMachine) {
    let set = exception.as_object().set_attr(ATTRIBUTE, PyErrorFact { fact }.into_pyobject(vm), vm);
    set.expect("an exception takes attributes");
}

/// What an exception is about, if it is an error of tensors or modules that says so.
pub(crate) fn fact_of(exception: &Py<PyBaseException>, vm: &VirtualMachine) -> Option<ErrorFact> {
    let fact = exception.as_object().get_attr(ATTRIBUTE, vm).ok()?;
    fact.downcast_ref::<PyErrorFact>().map(|it| it.fact.clone())
}

/// `_torch._about(exception, fact, ...)`: the exception with what it is about, for errors that are raised in Python.
pub(crate) fn about(
    exception: PyRef<PyBaseException>,
    fact: String,
    values: PosArgs,
    vm: &VirtualMachine,
) -> PyResult<PyRef<PyBaseException>> {
    let mut values = values.into_iter();
    let mut value = || values.next().unwrap_or_else(|| vm.ctx.none());
    let keys = |list: PyObjectRef| -> PyResult<Box<[String]>> {
        items(&list).unwrap_or_default().iter().map(|key| Ok(key.str(vm)?.to_string())).collect()
    };
    let size = |number: PyObjectRef| usize::try_from_object(vm, number);
    let fact = match fact.as_str() {
        "uneven heads" => ErrorFact::UnevenHeads { width: size(value())?, heads: size(value())? },
        "no forward" => ErrorFact::NoForward,
        "not initialised" => ErrorFact::NotInitialised,
        "state dict keys" => ErrorFact::StateDictKeys { missing: keys(value())?, unexpected: keys(value())? },
        other => return Err(vm.new_value_error(format!("no such fact: {other}"))),
    };
    attach(&exception, fact, vm);
    Ok(exception)
}

/// Converts the result of a tensor operation to one of Python.
pub(crate) trait OrRaise<T> {
    /// The value, or its error as a Python exception.
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T>;
}

impl<T, E: Into<Error>> OrRaise<T> for Result<T, E> {
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T> {
        self.map_err(|error| raise(error.into(), vm))
    }
}
