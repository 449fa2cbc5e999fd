//! What to say when a name is not there: the nearest one that is.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{PyObject, PyResult, VirtualMachine};

use crate::ops::table::{self, ALIASES};
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

/// Whether PyTorch has this name in this place, and attn has not: asking for one is no misspelling.
fn is_absent(place: &str, name: &str) -> bool {
    let mut is_here = false;
    include_str!("absent.txt").split_whitespace().any(|word| match word.strip_suffix(':') {
        Some(other) => {
            is_here = other == place;
            false
        }
        None => is_here && word == name,
    })
}

/// The error for an attribute that a tensor does not have.
pub(crate) fn missing_attribute(object: &PyObject, name: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let known = vm.dir(Some(object.to_owned())).and_then(|names| names.to_pyobject(vm).try_into_value(vm));
    let known: Vec<String> = known.unwrap_or_default();
    let hint = suggestion(name, known.iter().map(String::as_str));
    let owner = format!("'{}' object", object.class().name());
    absent_or_unknown("torch.Tensor", &owner, name, &hint, vm)
}

/// The error for a name that a module does not have, which has the names given; `torch` has those of the table.
pub(crate) fn missing(place: &str, name: &str, names: &[String], vm: &VirtualMachine) -> PyBaseExceptionRef {
    let table = table::ops().filter(|op| op.is_in(table::FUNCTION)).map(|op| op.name);
    let table = table.chain(ALIASES.iter().map(|alias| alias.0)).filter(|_| place == "torch");
    let hint = match name.starts_with("__") {
        true => String::new(),
        false => suggestion(name, table.chain(names.iter().map(String::as_str))),
    };
    absent_or_unknown(place, &format!("module '{place}'"), name, &hint, vm)
}

/// A `NotImplementedError` that is an `AttributeError` too, for a name that attn does not have: `hasattr` and `getattr` with
/// a default take it for one that is not there. An `AttributeError` for all others.
fn absent_or_unknown(
    place: &str,
    owner: &str,
    name: &str,
    hint: &str,
    vm: &VirtualMachine,
) -> PyBaseExceptionRef {
    if !is_absent(place, name) {
        return vm.new_attribute_error(format!("{owner} has no attribute '{name}'{hint}"));
    }
    let made = || -> PyResult<PyBaseExceptionRef> {
        let names = vm.import("torch._names", 0)?.get_attr("_names", vm)?;
        let message = format!("{place}.{name} is not part of attn{hint}");
        names.get_attr("Absent", vm)?.call((message,), vm)?.try_into_value(vm)
    };
    made().unwrap_or_else(|error| error)
}
