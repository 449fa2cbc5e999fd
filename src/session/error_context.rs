//! What was in scope where a cell raised: the failed operation, the tensors and the names.
//! Reads frames and objects. The only Python code it runs is `dir()` of the object that lacks an attribute.

use rustpython_vm::{
    AsObject, PyObjectRef, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyDict},
    convert::ToPyObject,
    frame::FrameRef,
};

use super::messages::{class_without_attribute, unknown_keyword};
use super::namespace::{self, Variable, string_entries};
use super::nested;
use super::raised::message;
use crate::numpy;
use crate::ops::Failed;

/// What was in scope where a cell raised.
#[derive(Clone, Default)]
pub struct ErrorContext {
    /// The operation that raised, with its operands, if an operation raised.
    pub(crate) failed: Option<Failed>,
    /// The tensors in scope, by name: those of the function that raised first, then the session's, then those
    /// inside modules: `self.W_query.weight`.
    pub(crate) tensors: Vec<Variable>,
    /// All names in scope, the innermost scope first.
    pub(crate) names: Vec<String>,
    /// The attributes of the object that lacks the requested one.
    pub(crate) attributes: Vec<String>,
    /// The parameters of the function that was called with a keyword that it does not take.
    pub(crate) parameters: Vec<String>,
    /// The string keys of dicts in scope.
    pub(crate) keys: Vec<String>,
}

/// The most keys of one dict that are listed.
const MAX_LISTED: usize = 400;

impl ErrorContext {
    /// The context in which `exception` was raised. `is_cell` says whether a file name names a cell.
    pub(super) fn of(
        exception: &PyBaseExceptionRef,
        globals: &PyDict,
        is_cell: impl Fn(&str) -> bool,
        vm: &VirtualMachine,
    ) -> ErrorContext {
        let frame = exception.__traceback__().and_then(|traceback| {
            let frames: Vec<FrameRef> = traceback.iter().map(|entry| entry.frame.clone()).collect();
            frames.into_iter().rev().find(|frame| is_cell(frame.code.source_path().as_str()))
        });
        let locals = frame.and_then(|frame| {
            let locals: PyObjectRef = frame.locals(vm).ok()?.into();
            locals.downcast::<PyDict>().ok()
        });
        let mut scope = locals.map_or_else(Vec::new, |locals| namespace::entries(&locals));
        for (name, value) in namespace::entries(globals) {
            if scope.iter().all(|(known, _)| *known != name) {
                scope.push((name, value));
            }
        }
        let mut context = ErrorContext::default();
        // Variables come before members of modules: the shorter name is the clearer one.
        context.tensors.extend(scope.iter().filter_map(|(name, value)| {
            Some(Variable { name: name.clone(), value: numpy::tensor_value(value)? })
        }));
        context.tensors.extend(nested::in_modules(&scope));
        context.keys = keys(&scope);
        context.attributes = attributes(exception, &scope, vm);
        context.parameters = parameters(exception, &scope, vm).unwrap_or_default();
        context.names = scope.into_iter().map(|(name, _)| name).collect();
        context.names.extend(dir(vm.builtins.as_object().to_owned(), vm));
        context
    }
}

fn keys(scope: &[(String, PyObjectRef)]) -> Vec<String> {
    let mut keys = Vec::new();
    for (_, value) in scope {
        if let Some(dict) = value.downcast_ref::<PyDict>() {
            keys.extend(string_entries(dict).into_iter().map(|(key, _)| key).take(MAX_LISTED));
        }
    }
    keys
}

/// The attributes of the object that an AttributeError is about: the one it names, else the first of that class.
fn attributes(
    exception: &PyBaseExceptionRef,
    scope: &[(String, PyObjectRef)],
    vm: &VirtualMachine,
) -> Vec<String> {
    if !exception.fast_isinstance(vm.ctx.exceptions.attribute_error) {
        return Vec::new();
    }
    let named = exception.as_object().get_attr("obj", vm).ok().filter(|object| !vm.is_none(object));
    // RustPython does not always set `obj`: then the message names the class, `'Linear' object has no attribute`.
    let text = message(exception, vm);
    let of_class = || {
        let class = class_without_attribute(&text)?;
        scope.iter().find(|(_, value)| *value.class().name() == *class).map(|(_, value)| value.clone())
    };
    named.or_else(of_class).map_or_else(Vec::new, |object| dir(object, vm))
}

/// The parameters of the function that a TypeError about a keyword names; `None` if it is not in scope or in a module.
fn parameters(
    exception: &PyBaseExceptionRef,
    scope: &[(String, PyObjectRef)],
    vm: &VirtualMachine,
) -> Option<Vec<String>> {
    if !exception.fast_isinstance(vm.ctx.exceptions.type_error) {
        return None;
    }
    let text = message(exception, vm);
    let (qualified, _) = unknown_keyword(&text)?;
    let mut path = qualified.rsplit("<locals>.").next()?.split('.');
    let (first, rest) = (path.next()?, path.collect::<Vec<_>>());
    let modules = vm.sys_module.get_attr("modules", vm).ok()?.downcast::<PyDict>().ok()?;
    let in_scope = scope.iter().filter(|(name, _)| name == first).map(|(_, value)| value.clone());
    let in_modules =
        modules.into_iter().filter_map(|(_, module)| module.dict()?.get_item_opt(first, vm).ok().flatten());
    in_scope.chain(in_modules).find_map(|object| {
        let member = |object: PyObjectRef, name: &&str| object.get_attr(&vm.ctx.new_str(*name), vm).ok();
        let function = rest.iter().try_fold(object, member)?;
        let is_it = function.get_attr("__qualname__", vm).ok()?.str(vm).ok()?.as_wtf8() == qualified;
        let code = function.get_attr("__code__", vm).ok().filter(|_| is_it)?;
        let count = |name: &'static str| code.get_attr(name, vm).ok()?.try_into_value::<usize>(vm).ok();
        let names = code.get_attr("co_varnames", vm).ok()?.try_into_value::<Vec<String>>(vm).ok()?;
        let count = count("co_argcount")? + count("co_kwonlyargcount")?;
        Some(names.into_iter().take(count).filter(|name| name != "self").collect())
    })
}

/// The public names of `dir(object)`; none if its `__dir__` raises.
fn dir(object: PyObjectRef, vm: &VirtualMachine) -> Vec<String> {
    let Ok(listed) = vm.dir(Some(object)) else { return Vec::new() };
    let names = listed.to_pyobject(vm).try_into_value::<Vec<String>>(vm).unwrap_or_default();
    names.into_iter().filter(|name| !name.starts_with('_')).collect()
}
