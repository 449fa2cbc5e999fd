//! Errors of syntax in the parser's words, or CPython's, for cells and for `compile`, `exec` and `eval`.

use ruff_python_parser::Mode;
use rustpython_vm::{
    AsObject, Py, PyObjectRef, VirtualMachine,
    builtins::{PyBaseException, PyStr, PyTuple},
};

use super::messages;
use crate::syntax::{Wording, wording};

/// The source that the interpreter keeps with an error of syntax.
fn source(exception: &Py<PyBaseException>, vm: &VirtualMachine) -> Option<String> {
    let kept = exception.as_object().get_attr("_metadata", vm).ok()?;
    let kept = kept.downcast_ref::<PyTuple>()?.as_slice().last()?.clone();
    Some(kept.downcast_ref::<PyStr>()?.to_str()?.to_owned())
}

fn found(source: &str) -> Option<Wording> {
    wording(source, Mode::Module)
}

/// Gives an error of the parser or compiler the text and the place that a learner reads. Others stay as they are.
pub(super) fn reword(exception: &Py<PyBaseException>, vm: &VirtualMachine) {
    if !exception.fast_isinstance(vm.ctx.exceptions.syntax_error) {
        return;
    }
    let Some(source) = source(exception, vm) else { return };
    let object = exception.as_object();
    let line_of = |number: usize| source.split('\n').nth(number.saturating_sub(1)).unwrap_or("").to_owned();
    let message = object.get_attr("msg", vm).and_then(|text| text.str(vm));
    let message = message.map(|text| text.as_wtf8().to_string_lossy().into_owned()).unwrap_or_default();
    let text = match found(&source) {
        // The class of an exception stays.
        Some(Wording { text, at, .. }) => {
            let line = source[..at].matches('\n').count() + 1;
            let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
            let column = source[start..at].chars().count() + 1;
            for (name, value) in [("lineno", line), ("offset", column)] {
                let set = object.set_attr(name, vm.ctx.new_int(value), vm);
                debug_assert!(set.is_ok(), "the attributes of an exception can be set");
            }
            let set = object.set_attr("text", vm.ctx.new_str(line_of(line) + "\n"), vm);
            debug_assert!(set.is_ok(), "the attributes of an exception can be set");
            text
        }
        None => {
            let line = object.get_attr("lineno", vm).and_then(|line| line.try_to_value::<usize>(vm));
            messages::compiler_message(&message, &line_of(line.unwrap_or(1)))
        }
    };
    if text == message {
        return;
    }
    let text = vm.ctx.new_str(text);
    let args = vm.ctx.new_tuple(vec![text.clone().into()]);
    for (name, value) in [("msg", text.into()), ("args", args.into())] {
        let set = object.set_attr(name, PyObjectRef::clone(&value), vm);
        debug_assert!(set.is_ok(), "the attributes of an exception can be set");
    }
}

/// The class of an error of syntax. `None` if the parser finds nothing wrong.
pub(super) fn class(source: &str) -> Option<&'static str> {
    Some(if found(source)?.is_indentation { "IndentationError" } else { "SyntaxError" })
}
