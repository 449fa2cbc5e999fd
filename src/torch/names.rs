//! What to say when a name is not there: the nearest one that is.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::{PyObject, PyResult, VirtualMachine};

use crate::ops::table::{self, ALIASES, METHOD};
use crate::ops::{is_misspelling, nearest};

/// ` (did you mean a, b?)` as the end of a sentence, or nothing.
pub(crate) fn suggestion<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    match nearest(wanted, names.filter(|name| !name.starts_with('_') && is_misspelling(wanted, name)), 3)
        .as_slice()
    {
        [] => String::new(),
        found => format!(" (did you mean {}?)", found.join(", ")),
    }
}

/// Attributes of PyTorch's tensors that attn does not have: asking for one is no misspelling.
fn is_torch_attribute(name: &str) -> bool {
    include_str!("absent_methods.txt").split_whitespace().any(|known| known == name)
}

/// The error for an attribute that a tensor does not have.
pub(crate) fn missing_attribute(object: &PyObject, name: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let mut known: Vec<String> = Vec::new();
    for op in table::ops().filter(|op| op.is_in(METHOD)) {
        known.push(op.name.to_owned());
    }
    known.extend(ALIASES.iter().map(|alias| alias.0.to_owned()));
    if let Ok(attributes) = vm.dir(Some(object.to_owned())) {
        known.extend(
            attributes
                .borrow_vec()
                .iter()
                .filter_map(|it| it.downcast_ref::<PyStr>().map(|text| text.to_string_lossy().into_owned())),
        );
    }
    let hint = suggestion(name, known.iter().map(String::as_str));
    if is_torch_attribute(name) {
        return not_part_of_attn(vm, format!("torch.Tensor.{name} is not part of attn{hint}"));
    }
    let class = object.class().name().to_string();
    vm.new_attribute_error(format!("'{class}' object has no attribute '{name}'{hint}"))
}

/// The error for a name that the module `torch` does not have.
pub(crate) fn missing_function(name: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let known = table::ops().filter(|op| op.is_in(table::FUNCTION)).map(|op| op.name);
    let hint = suggestion(name, known.chain(ALIASES.iter().map(|alias| alias.0)));
    if include_str!("absent_functions.txt").split_whitespace().any(|known| known == name) {
        return not_part_of_attn(vm, format!("torch.{name} is not part of attn{hint}"));
    }
    vm.new_attribute_error(format!("module 'torch' has no attribute '{name}'{hint}"))
}

/// A `NotImplementedError` that is an `AttributeError` too: `hasattr` and `getattr` with a default
/// take a name that attn does not have for one that is not there.
fn not_part_of_attn(vm: &VirtualMachine, message: String) -> PyBaseExceptionRef {
    let made = || -> PyResult<PyBaseExceptionRef> {
        let names = vm.import("torch._names", 0)?.get_attr("_names", vm)?;
        names.get_attr("Absent", vm)?.call((message,), vm)?.try_into_value(vm)
    };
    made().unwrap_or_else(|error| error)
}
