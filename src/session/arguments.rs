//! Calls of the interpreter's own functions with arguments that they do not take raise TypeError with the name of the
//! function. The interpreter's words have none, and count the object: where a function is called is the only place that knows.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyStr, PyType},
    function::FuncArgs,
};

use super::guards::{KEPT, replace_slot};

type Call = fn(&PyObject, FuncArgs, &VirtualMachine) -> PyResult;
type VectorCall = fn(&PyObject, Vec<PyObjectRef>, usize, Option<&[PyObjectRef]>, &VirtualMachine) -> PyResult;

/// The originals: of functions, of methods and of types.
static CALL: [OnceLock<Call>; 3] = [const { OnceLock::new() }; 3];
static VECTORCALL: [OnceLock<VectorCall>; 3] = [const { OnceLock::new() }; 3];

/// A method counts the object that it belongs to.
const METHOD: usize = 1;

/// Replaces how functions, methods and types of this thread are called.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let classes = [types.builtin_function_or_method_type, types.method_descriptor_type, types.type_type];
    for (at, class) in classes.into_iter().enumerate() {
        replace_slot!(class.slots.call, CALL[at], [call::<0>, call::<1>, call::<2>][at]);
        let new: [VectorCall; 3] = [vectorcall::<0>, vectorcall::<1>, vectorcall::<2>];
        replace_slot!(class.slots.vectorcall, VECTORCALL[at], new[at]);
    }
}

fn call<const TYPE: usize>(function: &PyObject, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let called = CALL[TYPE].get().expect(KEPT)(function, args, vm);
    called.map_err(|error| worded(function, error, TYPE == METHOD, vm))
}

fn vectorcall<const TYPE: usize>(
    function: &PyObject,
    args: Vec<PyObjectRef>,
    count: usize,
    names: Option<&[PyObjectRef]>,
    vm: &VirtualMachine,
) -> PyResult {
    let called = VECTORCALL[TYPE].get().expect(KEPT)(function, args, count, names, vm);
    called.map_err(|error| worded(function, error, TYPE == METHOD, vm))
}

/// An error that a native function just raised, with a text that names the function if it is about its arguments.
#[cold]
fn worded(
    function: &PyObject,
    error: PyBaseExceptionRef,
    counts_object: bool,
    vm: &VirtualMachine,
) -> PyBaseExceptionRef {
    let errors = &vm.ctx.exceptions;
    let is_about_arguments = error.class().is(errors.type_error) || error.class().is(errors.value_error);
    // With a traceback, it was raised in Python.
    if is_about_arguments
        && error.__traceback__().is_none()
        && let Some(text) = text(function, &error, counts_object, vm)
    {
        let args = vm.ctx.new_tuple(vec![vm.ctx.new_str(text).into()]);
        let set = error.as_object().set_attr("args", args, vm);
        debug_assert!(set.is_ok(), "the arguments of an exception can be set");
    }
    error
}

fn text(
    function: &PyObject,
    error: &PyBaseExceptionRef,
    counts_object: bool,
    vm: &VirtualMachine,
) -> Option<String> {
    let args = error.args();
    let [told] = args.as_slice() else { return None };
    let told = told.downcast_ref::<PyStr>()?.to_str()?;
    let name = |name: &'static str| function.get_attr(name, vm).ok()?.try_into_value::<String>(vm).ok();
    if let Some(keyword) = told.strip_prefix("Unexpected keyword argument ") {
        return Some(format!("'{keyword}' is an invalid keyword argument for {}()", name("__name__")?));
    }
    if told.ends_with(" is not in list") && name("__qualname__")? == "list.remove" {
        return Some("list.remove(x): x not in list".to_owned());
    }
    if let Some(given) = told.strip_prefix("Expected type 'int' but ") {
        let class = given.strip_suffix(" found.")?;
        return Some(format!("{class} object cannot be interpreted as an integer"));
    }
    let (bound, counts) = told.strip_prefix("expected at ")?.split_once(' ')?;
    let (limit, given) = counts.split_once(" arguments, got ")?;
    let is_bound = || {
        let object = function.get_attr("__self__", vm).ok()?;
        Some(!vm.is_none(&object) && !object.class().is(vm.ctx.types.module_type))
    };
    let is_type = function.downcast_ref::<PyType>().is_some();
    let own = usize::from(counts_object || (!is_type && is_bound() == Some(true)));
    let [limit, given] = [limit, given].map(|count| count.parse::<usize>().ok()?.checked_sub(own));
    let (limit, given) = limit.zip(given)?;
    let arguments = if limit == 1 { "argument" } else { "arguments" };
    Some(format!("{} expected at {bound} {limit} {arguments}, got {given}", name("__name__")?))
}
