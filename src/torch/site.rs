//! Which line of the learner's code is running.

use rustpython_vm::VirtualMachine;

use crate::tensor::Site;

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
            let line = frame.current_location().line.get();
            return Some(Site { cell: path, line });
        }
        frame = frame.f_back(vm)?;
    }
}
