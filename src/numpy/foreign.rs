//! Operands that the native functions of real arrays do not compute with: complex numbers, and arrays of another class.
//! Source: NumPy's documentation of `numpy.class.__array_ufunc__`.

use rustpython_vm::builtins::{PyFloat, PyInt, PyStr};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::complex::{self, is_complex};
use super::context::{PyArray, PyScalar, pairs_of};
use super::rules::{Arithmetic, named};
use crate::torch::items;

/// The method by which a class takes part in elementwise functions.
const PROTOCOL: &str = "__array_ufunc__";

/// Whether the class of an object takes part by the protocol.
fn has_protocol(object: &PyObject, vm: &VirtualMachine) -> bool {
    object.class().get_attr(vm.ctx.intern_str(PROTOCOL)).is_some()
}

/// Whether the object is complex or takes part by the protocol.
pub(super) fn takes_part(object: &PyObject, vm: &VirtualMachine) -> bool {
    let is_native = object.downcast_ref::<PyArray>().is_some_and(|it| !it.is_complex)
        || object.downcast_ref::<PyScalar>().is_some()
        || object.downcast_ref::<PyFloat>().is_some()
        || object.downcast_ref::<PyInt>().is_some();
    !is_native && (is_complex(object) || has_protocol(object, vm))
}

/// Whether the object, or an item of nested lists, takes part.
pub(super) fn has_part(object: &PyObject, vm: &VirtualMachine) -> bool {
    takes_part(object, vm) || items(object).is_some_and(|inner| inner.iter().any(|it| has_part(it, vm)))
}

/// Whether the object, or an item of nested lists, is neither a number nor an array of numbers.
pub(super) fn has_label(object: &PyObject, vm: &VirtualMachine) -> bool {
    has_protocol(object, vm) && object.downcast_ref::<PyArray>().is_none()
        || object.downcast_ref::<PyStr>().is_some()
        || items(object).is_some_and(|inner| inner.iter().any(|it| has_label(it, vm)))
}

/// Calls an elementwise function, by its name.
pub(super) fn call(name: &str, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    match args.args.iter().any(|object| has_protocol(object, vm)) {
        true => {
            args.args.insert(0, vm.ctx.new_str(name).into());
            function("numpy._labels", "elementwise", vm)?.call(args, vm)
        }
        false => complex::call(name, args, vm),
    }
}

/// The same of operands alone.
pub(super) fn operate(name: &str, operands: &[&PyObject], vm: &VirtualMachine) -> PyResult {
    let (name, operands) = shorter(name, operands).unwrap_or((name, operands));
    let args = operands.iter().map(|&it| it.to_owned()).collect();
    call(name, positional(args), vm)
}

/// What `a ** b` of an array is for a few exponents, as in NumPy.
fn shorter<'a>(name: &str, operands: &'a [&'a PyObject]) -> Option<(&'static str, &'a [&'a PyObject])> {
    let [base, exponent] = operands else { return None };
    if named(name).arithmetic != Some(Arithmetic::Power) || pairs_of(base).is_none() {
        return None;
    }
    let exponent = match (exponent.downcast_ref::<PyFloat>(), exponent.downcast_ref::<PyInt>()) {
        (Some(float), _) => float.to_f64(),
        (None, Some(int)) => f64::from(i32::try_from(int.as_bigint()).ok()?),
        _ => return None,
    };
    let functions = [(1.0, "positive"), (2.0, "square"), (0.5, "sqrt"), (-1.0, "reciprocal")];
    let found = functions.iter().find(|row| row.0 == exponent)?;
    Some((found.1, &operands[..1]))
}

/// The same, into the first operand.
pub(super) fn operate_in_place(
    name: &str,
    target: &PyObject,
    other: &PyObject,
    vm: &VirtualMachine,
) -> PyResult {
    let target: PyObjectRef = target.to_owned();
    let mut args = positional(vec![target.clone(), other.to_owned()]);
    args.kwargs.insert("out".to_owned(), target);
    call(name, args, vm)
}

/// Calls a function of NumPy that is native, by its name, with other arguments than real arrays. `how` is the function
/// of the Python module that is asked.
pub(super) fn routine(how: &'static str, name: &str, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    args.args.insert(0, vm.ctx.new_str(name).into());
    function("numpy._foreign", how, vm)?.call(args, vm)
}

/// Arguments without keywords.
pub(super) fn positional(args: Vec<PyObjectRef>) -> FuncArgs {
    FuncArgs { args, kwargs: Default::default() }
}

/// The object of a dtype that arrays of numbers do not have, or NumPy's error.
pub(super) fn dtype(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    function("numpy._kinds", "kind_of", vm)?.call(args, vm)
}

/// A function of a module in Python.
fn function(home: &'static str, name: &'static str, vm: &VirtualMachine) -> PyResult {
    vm.import(home, 0)?;
    let modules = vm.sys_module.get_attr("modules", vm)?;
    modules.get_item(home, vm)?.get_attr(name, vm)
}
