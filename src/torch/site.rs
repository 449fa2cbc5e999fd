//! Which line of the learner's code is running.

use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::{PyDict, PyStrInterned};
use rustpython_vm::frame::{Frame, FrameRef};

use crate::tensor::{Site, SourcePosition, SourceRange};

/// Whether code of this file is library Python, and not a learner's.
pub(crate) fn is_library(path: &str) -> bool {
    path.starts_with("<attn>") || path.starts_with("<frozen")
}

/// The learner's line that is running: the innermost frame that is not library Python.
pub(crate) fn site(vm: &VirtualMachine) -> Option<Site> {
    let mut frame = vm.current_frame()?;
    loop {
        let path = frame.code.source_path().as_str();
        // The frozen modules, `torch` among them, are not the learner's code.
        if !is_library(path) {
            let span = span(&frame);
            return Some(Site { cell: path, line: span.start.line, span, call: call_number(frame, vm) });
        }
        frame = frame.f_back(vm)?;
    }
}

/// Which call of its function a frame belongs to, counted by the function's name among the calls that compute tensors; 0
/// outside of functions. The outer calls that have no number yet get theirs first. A frame keeps its number where Python
/// keeps the function that traces it, which nothing here can set.
fn call_number(frame: FrameRef, vm: &VirtualMachine) -> usize {
    let (mut number, mut new) = (0, Vec::new());
    let mut next = Some(frame);
    while let Some(frame) = next {
        next = frame.f_back(vm);
        // A comprehension and a lambda belong to the function around them.
        if is_library(frame.code.source_path().as_str()) || frame.code.obj_name.as_str().starts_with('<') {
            continue;
        }
        let known = frame.trace.lock().clone().try_into_value(vm);
        match known {
            Ok(known) if new.is_empty() => return known,
            Ok(_) => break,
            Err(_) => new.push(frame),
        }
    }
    while let Some(frame) = new.pop() {
        number = next_number(frame.code.qualname, vm).unwrap_or_default();
        *frame.trace.lock() = vm.ctx.new_int(number).into();
    }
    number
}

/// Counts a call of this function; the session's counts are in `sys._calls`.
fn next_number(function: &'static PyStrInterned, vm: &VirtualMachine) -> Option<usize> {
    let counts = vm.sys_module.get_attr("_calls", vm).ok()?.downcast::<PyDict>().ok()?;
    let before = counts.get_item_opt(function, vm).ok().flatten();
    let number = before.and_then(|count| count.try_into_value::<usize>(vm).ok()).unwrap_or_default() + 1;
    counts.set_item(function, vm.ctx.new_int(number).into(), vm).ok()?;
    Some(number)
}

/// The expression that is running in a frame.
pub(crate) fn span(frame: &Frame) -> SourceRange {
    let at = (frame.lasti() as usize).saturating_sub(1);
    frame.code.locations.get(at).map_or_else(SourceRange::default, |(start, end)| SourceRange {
        start: SourcePosition { line: start.line.get(), column: start.character_offset.get() },
        end: SourcePosition { line: end.line.get(), column: end.character_offset.get() },
    })
}
