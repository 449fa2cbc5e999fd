//! Builds the interpreter: its settings, its modules, its streams and the empty namespace.
//! Start-up time is spent here, so nothing is imported before a cell asks for it.

use std::{cell::RefCell, rc::Rc};

use rustpython_vm::{
    AsObject, Interpreter, PyObject, PyObjectRef, PyPayload, PyResult, Settings, VirtualMachine,
    gc_state::gc_state, scope::Scope, signal::UserSignalReceiver,
};

use super::{
    builtins, cpython, numbers,
    output::{Channel, OutStream, OutputBuffer},
    sandbox,
};
use crate::ops::State;
use crate::shims::plots;
use crate::shims::{FileAccess, LocalModules};
use crate::torch::FrameObserver;
use crate::{numpy, shims, torch};

/// The number of new objects after which the interpreter looks for reference cycles.
const GC_THRESHOLD: u32 = 50_000;

/// An interpreter without `site`, signal handlers, environment variables or files.
pub(super) fn interpreter(signals: UserSignalReceiver) -> Interpreter {
    let mut settings = Settings::default();
    settings.install_signal_handlers = false;
    settings.import_site = false;
    settings.user_site_directory = false;
    settings.write_bytecode = false;
    settings.ignore_environment = true;
    settings.isolated = true;
    settings.safe_path = true;
    settings.argv = vec![String::new()];
    // Sets of strings have the same order in every run.
    settings.hash_seed = Some(0);
    // One collection takes as long as starting the interpreter, and lessons leave few cycles: the default of 2,000
    // objects is far too low.
    gc_state().set_threshold(GC_THRESHOLD, None, None);
    let builder = Interpreter::builder(settings);
    let native = shims::native_modules(&builder.ctx);
    builder
        .add_native_modules(&native)
        .add_frozen_modules(shims::frozen_modules())
        .init_hook(shims::rename_native)
        .init_hook(move |vm| vm.set_user_signal_channel(signals))
        .build()
}

/// Installs the streams, builtins and modules. Returns the empty namespace of the cells, and what tells the tracer which
/// code calls operations.
pub(super) fn install(
    buffer: &Rc<RefCell<OutputBuffer>>,
    state: &Rc<State>,
    files: FileAccess,
    modules: LocalModules,
    vm: &VirtualMachine,
) -> PyResult<(Scope, Rc<FrameObserver>)> {
    for (name, channel) in [("stdout", Channel::Stdout), ("stderr", Channel::Stderr)] {
        let stream: PyObjectRef = OutStream::new(buffer, channel).into_ref(&vm.ctx).into();
        set(vm.sys_module.as_object(), name, stream.clone(), vm)?;
        set(vm.sys_module.as_object(), &format!("__{name}__"), stream, vm)?;
    }
    set(vm.sys_module.as_object(), "_cells", vm.ctx.new_dict().into(), vm)?;
    builtins::install(vm)?;
    cpython::install(vm);
    numbers::install(vm);
    let (package, file) = (modules.package.clone(), modules.file.clone());
    shims::install(files, modules, vm)?;
    let observer = torch::install(vm, state)?;
    numpy::install(vm, state)?;
    let globals = vm.ctx.new_dict();
    let main = vm.new_module("__main__", globals.clone(), None);
    vm.sys_module.get_attr("modules", vm)?.set_item("__main__", main.into(), vm)?;
    set(vm.sys_module.as_object(), "_calls", vm.ctx.new_dict().into(), vm)?;
    globals.set_item("__name__", vm.ctx.new_str("__main__").into(), vm)?;
    globals.set_item("__doc__", vm.ctx.none(), vm)?;
    globals.set_item("__builtins__", vm.builtins.clone().into(), vm)?;
    if !package.is_empty() {
        globals.set_item("__package__", vm.ctx.new_str(package).into(), vm)?;
    }
    // A notebook has no file of its own, and records a figure in words.
    let is_notebook = file.is_none();
    if let Some(file) = file {
        globals.set_item("__file__", vm.ctx.new_str(file.to_string_lossy()).into(), vm)?;
    }
    let scope = Scope::with_builtins(None, globals, vm);
    let plotted = buffer.clone();
    let shown = move |words: &str, figure| {
        let mut buffer = plotted.borrow_mut();
        if is_notebook {
            buffer.write(Channel::Stdout, &format!("{words}\n"));
        }
        buffer.plot(figure);
    };
    plots::install(shown, vm)?;
    sandbox::install(vm)?;
    Ok((scope, observer))
}

fn set(object: &PyObject, name: &str, value: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    object.set_attr(vm.ctx.intern_str(name), value, vm)
}
