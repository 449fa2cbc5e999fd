//! A Python exception as a value: its type, its text and its traceback.

use std::fmt::{self, Display, Formatter};

use rustpython_vm::{
    AsObject, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyStrRef},
    compiler::CompileError,
};

use super::syntax_errors;
use crate::tensor::ErrorFact;
use crate::torch;

/// An exception that ended a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raised {
    /// The exception's type as a traceback shows it: `RuntimeError`, `json.decoder.JSONDecodeError`.
    pub kind: String,
    /// Its text, `str(exception)`.
    pub message: String,
    /// The line of the cell, 1-based: the line of the innermost frame that belongs to this cell.
    pub line: Option<usize>,
    /// The column in that line, from 1: of code that is not Python.
    pub(crate) column: Option<usize>,
    /// Whether [`Interrupter::interrupt`](super::Interrupter::interrupt) stopped the cell.
    pub interrupted: bool,
    /// What it is about, for errors of tensors and modules that say so.
    pub(crate) fact: Option<Box<ErrorFact>>,
    /// All frames that belong to cells, outermost first.
    pub frames: Vec<TracebackFrame>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracebackFrame {
    pub cell: String,
    /// The line in that cell, 1-based.
    pub line: usize,
    /// The name of the function; `<module>` for the cell itself.
    pub function: String,
}

impl Raised {
    /// An exception of this type and text, without a place.
    pub(crate) fn new(kind: impl Into<String>, message: impl Into<String>) -> Raised {
        Raised { kind: kind.into(), message: message.into(), ..Raised::default() }
    }

    /// Reads `exception`, which the cell `cell` raised. `is_cell` says whether a file name names a cell.
    pub(super) fn read(
        exception: &PyBaseExceptionRef,
        cell: &str,
        is_cell: impl Fn(&str) -> bool,
        vm: &VirtualMachine,
    ) -> Raised {
        let traceback = exception.__traceback__();
        let frames = traceback.iter().flat_map(|traceback| traceback.iter()).filter_map(|entry| {
            let code = &entry.frame.code;
            let (cell, function) = (code.source_path().as_str(), code.obj_name.as_str().to_owned());
            is_cell(cell).then(|| TracebackFrame {
                cell: cell.to_owned(),
                line: entry.lineno.get(),
                function,
            })
        });
        let frames: Vec<TracebackFrame> = frames.collect();
        let line = frames.iter().rev().find(|frame| frame.cell == cell).map(|frame| frame.line);
        let fact = torch::fact_of(exception, vm).map(Box::new);
        Raised { line, frames, fact, ..Raised::new(kind(exception, vm), message(exception, vm)) }
    }

    /// The error for source code that does not compile.
    pub(super) fn syntax(error: &CompileError, source: &str, vm: &VirtualMachine) -> Raised {
        let exception = vm.new_syntax_error(error, Some(source));
        syntax_errors::reword(&exception, vm);
        let attribute = |name: &'static str| exception.as_object().get_attr(name, vm).ok();
        let number = |name: &'static str| attribute(name)?.try_to_value::<usize>(vm).ok();
        let message = attribute("msg").and_then(|text| text.str(vm).ok());
        let message = message.map_or_else(|| error.to_string(), |text| text_of(&text));
        let (line, column) = (number("lineno"), number("offset"));
        let class = syntax_errors::class(source);
        let kind = class.map_or_else(|| kind(&exception, vm), str::to_owned);
        Raised { line, column, ..Raised::new(kind, message) }
    }

    /// The error for a cell that was stopped where the interpreter could not raise an exception.
    pub(super) fn stopped() -> Raised {
        Raised { interrupted: true, ..Raised::new("KeyboardInterrupt", "") }
    }
}

/// Its type and text, as the last line of a traceback.
impl Display for Raised {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.message.is_empty() {
            true => f.write_str(&self.kind),
            false => write!(f, "{}: {}", self.kind, self.message),
        }
    }
}

fn text_of(text: &PyStrRef) -> String {
    text.as_wtf8().to_string_lossy().into_owned()
}

fn kind(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    let class = exception.class();
    let attribute = |name: &'static str| {
        let value = class.as_object().get_attr(name, vm).and_then(|value| value.str(vm));
        value.map(|text| text_of(&text))
    };
    let name = attribute("__qualname__").unwrap_or_else(|_| class.name().to_owned());
    match attribute("__module__") {
        Ok(module) if module != "builtins" && module != "__main__" => format!("{module}.{name}"),
        _ => name,
    }
}

pub(super) fn message(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    match exception.as_object().str(vm) {
        Ok(text) => text_of(&text),
        Err(_) => "<exception str() failed>".to_owned(),
    }
}
