//! A Python exception as a value: its type, its text, and the line of the cell it came from.
//! Reads exceptions; never prints them.

use rustpython_vm::{
    AsObject, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyStrRef},
    compiler::CompileError,
};

/// What a cell raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The exception's type as a traceback shows it: `RuntimeError`, `json.decoder.JSONDecodeError`.
    pub kind: String,
    /// Its text, `str(exception)`.
    pub message: String,
    /// The line of the cell, 1-based: the innermost frame that belongs to this cell.
    pub line: Option<usize>,
    /// Whether the cell was stopped from outside.
    pub interrupted: bool,
    /// All frames that belong to cells, outermost first.
    pub places: Vec<Place>,
}

/// One frame of a traceback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The cell, by the name it was run under.
    pub cell: String,
    /// 1-based line in that cell.
    pub line: usize,
    /// The function's name, `<module>` for the cell itself.
    pub function: String,
}

impl Raised {
    /// Reads `exception`, raised while the cell `cell` ran; `is_cell` tells cells' names from files'.
    pub(super) fn read(
        exception: &PyBaseExceptionRef,
        cell: &str,
        is_cell: impl Fn(&str) -> bool,
        vm: &VirtualMachine,
    ) -> Raised {
        let mut places = Vec::new();
        if let Some(traceback) = exception.__traceback__() {
            for entry in traceback.iter() {
                let file = entry.frame.code.source_path().as_str();
                if is_cell(file) {
                    places.push(Place {
                        cell: file.to_owned(),
                        line: entry.lineno.get(),
                        function: entry.frame.code.obj_name.as_str().to_owned(),
                    });
                }
            }
        }
        let line = places.iter().rev().find(|place| place.cell == cell).map(|place| place.line);
        Raised {
            kind: kind(exception, vm),
            message: message(exception, vm),
            line,
            interrupted: false,
            places,
        }
    }

    /// The error of source that does not compile.
    pub(super) fn syntax(error: &CompileError, source: &str, vm: &VirtualMachine) -> Raised {
        let exception = vm.new_syntax_error(error, Some(source));
        let message = exception
            .as_object()
            .get_attr("msg", vm)
            .and_then(|text| text.str(vm))
            .map(|text| text.to_string_lossy_owned())
            .unwrap_or_else(|_| error.to_string());
        let line = error.location().map(|location| location.line.get());
        let message = in_pythons_words(message, error, source, line);
        Raised { kind: kind(&exception, vm), message, line, interrupted: false, places: vec![] }
    }

    /// A cell that was stopped where the interpreter could not raise an exception.
    pub(super) fn stopped() -> Raised {
        Raised {
            kind: "KeyboardInterrupt".into(),
            message: String::new(),
            line: None,
            interrupted: true,
            places: vec![],
        }
    }

    /// A defect of attn itself: what was caught when native code panicked.
    pub(super) fn defect(message: String) -> Raised {
        Raised { kind: "SystemError".into(), message, line: None, interrupted: false, places: vec![] }
    }
}

/// The interpreter's parser words a few errors in its own way; learners know CPython's.
fn in_pythons_words(message: String, error: &CompileError, source: &str, line: Option<usize>) -> String {
    let at = line.unwrap_or(1);
    let text = source.lines().nth(at - 1).unwrap_or_default().trim();
    let said = error.to_string();
    if text.starts_with("print ") && message == "invalid syntax" {
        return "Missing parentheses in call to 'print'. Did you mean print(...)?".to_owned();
    }
    if message == "invalid syntax" && said.starts_with("Expected `:`") {
        return "expected ':'".to_owned();
    }
    match message.as_str() {
        "unexpected indentation" => "unexpected indent".to_owned(),
        "unterminated string" => format!("unterminated string literal (detected at line {at})"),
        _ if message.starts_with("expected an indented block") => {
            let earlier = source.lines().take(at.saturating_sub(1)).collect::<Vec<_>>();
            let block = earlier.iter().rposition(|line| !line.trim().is_empty());
            let after = block.map_or(String::new(), |block| format!(" on line {}", block + 1));
            format!("{}{after}", message.replace('`', "'"))
        }
        _ => message,
    }
}

trait LossyText {
    fn to_string_lossy_owned(&self) -> String;
}

impl LossyText for PyStrRef {
    fn to_string_lossy_owned(&self) -> String {
        self.as_wtf8().to_string_lossy().into_owned()
    }
}

fn kind(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    let class = exception.class();
    let name = class
        .as_object()
        .get_attr("__qualname__", vm)
        .and_then(|name| name.str(vm))
        .map_or_else(|_| class.name().to_owned(), |name| name.to_string_lossy_owned());
    let module = class
        .as_object()
        .get_attr("__module__", vm)
        .and_then(|module| module.str(vm))
        .map(|module| module.to_string_lossy_owned());
    match module {
        Ok(module) if module != "builtins" && module != "__main__" => format!("{module}.{name}"),
        _ => name,
    }
}

fn message(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    match exception.as_object().str(vm) {
        Ok(text) => text.to_string_lossy_owned(),
        Err(_) => "<exception str() failed>".to_owned(),
    }
}
