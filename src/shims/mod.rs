//! The native modules that lesson code imports besides `torch` itself, and the frozen Python ones.
//! Sees RustPython; no session, no terminal.

mod absent;
mod byte_pairs;
mod crc32;
mod file_access;
mod files;
mod local_modules;
mod math;
mod model_files;
pub(crate) mod outside;
mod pause;
mod pieces;
pub(crate) mod plots;
mod random;
mod regex;
mod sha2;
mod structs;
mod unicode;
pub mod wall;

pub use file_access::FileAccess;
pub use local_modules::LocalModules;
pub(crate) use model_files::MODEL;
pub use plots::{Mark, MarkKind, PlottedAxes, PlottedAxis, PlottedFigure, Scale};

pub(crate) use sha2::sha512;

use rustpython_vm::{
    Context, PyObjectRef, PyResult, VirtualMachine,
    builtins::PyModuleDef,
    common::rc::PyRc,
    frozen::{FrozenLib, FrozenModule},
};

/// The Python sources that `build.rs` froze: our own and the chosen part of the standard library.
static FROZEN: &FrozenLib = FrozenLib::from_ref(include_bytes!(concat!(env!("OUT_DIR"), "/frozen.lib")));

/// Every native module that an interpreter is given, in addition to the interpreter's own.
pub(crate) fn native_modules(ctx: &Context) -> Vec<&'static PyModuleDef> {
    vec![
        byte_pairs::module_def(ctx),
        crc32::module_def(ctx),
        math::module_def(ctx),
        pause::module_def(ctx),
        random::module_def(ctx),
        regex::module_def(ctx),
        sha2::module_def(ctx),
        structs::module_def(ctx),
        unicode::module_def(ctx),
    ]
}

/// Every Python module that an interpreter is given, by its dotted name.
pub(crate) fn frozen_modules() -> impl Iterator<Item = (&'static str, FrozenModule)> {
    FROZEN.decode()
}

/// To be called before the interpreter is initialised: its clock becomes `_clock`, under our `time`, and `marshal`, which
/// makes code of bytes, is not there.
pub(crate) fn rename_native(vm: &mut VirtualMachine) {
    if let Some(state) = PyRc::get_mut(&mut vm.state) {
        state.module_defs.remove("marshal");
        if let Some(clock) = state.module_defs.remove("time") {
            state.module_defs.insert("_clock", clock);
        }
    }
}

/// To be called once the interpreter is initialised.
pub(crate) fn install(files: FileAccess, modules: LocalModules, vm: &VirtualMachine) -> PyResult<()> {
    local_modules::install(modules, vm)?;
    absent::install(vm)?;
    files::install(files, vm)?;
    let search = vm.new_function("search", |name: PyObjectRef, vm: &VirtualMachine| -> PyResult {
        vm.import("encodings", 0)?.get_attr("search_function", vm)?.call((name,), vm)
    });
    vm.state.codec_registry.register(search.into(), vm)
}
