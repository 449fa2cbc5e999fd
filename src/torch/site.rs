//! Which line of the learner's code is running.

use rustpython_vm::VirtualMachine;
use rustpython_vm::frame::Frame;

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
            return Some(Site { cell: path, line: span.start.line, span });
        }
        frame = frame.f_back(vm)?;
    }
}

/// The expression that is running in a frame.
pub(crate) fn span(frame: &Frame) -> SourceRange {
    let at = (frame.lasti() as usize).saturating_sub(1);
    frame.code.locations.get(at).map_or_else(SourceRange::default, |(start, end)| SourceRange {
        start: SourcePosition { line: start.line.get(), column: start.character_offset.get() },
        end: SourcePosition { line: end.line.get(), column: end.character_offset.get() },
    })
}
