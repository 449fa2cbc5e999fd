//! Errors of syntax in the parser's words, or CPython's, for cells and for `compile`, `exec` and `eval`.

use ruff_python_parser::Mode;
use rustpython_vm::{
    AsObject, Py, PyObjectRef, VirtualMachine,
    builtins::{PyBaseException, PyStr, PyTuple},
};

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
    // The compiler's own errors keep their words. The class of an exception stays.
    let Some(Wording { text, at, .. }) = found(&source) else { return };
    let line = source[..at].matches('\n').count();
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let column = source[start..at].chars().count() + 1;
    let line_text = source.split('\n').nth(line).unwrap_or("").to_owned() + "\n";
    let text = vm.ctx.new_str(text);
    let args = vm.ctx.new_tuple(vec![text.clone().into()]);
    let attributes: [(_, PyObjectRef); 5] = [
        ("lineno", vm.ctx.new_int(line + 1).into()),
        ("offset", vm.ctx.new_int(column).into()),
        ("text", vm.ctx.new_str(line_text).into()),
        ("msg", text.into()),
        ("args", args.into()),
    ];
    for (name, value) in attributes {
        let set = object.set_attr(name, value, vm);
        debug_assert!(set.is_ok(), "the attributes of an exception can be set");
    }
}

/// The class of an error of syntax. `None` if the parser finds nothing wrong.
pub(super) fn class(source: &str) -> Option<&'static str> {
    Some(if found(source)?.is_indentation { "IndentationError" } else { "SyntaxError" })
}
