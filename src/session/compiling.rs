//! Long sources are compiled on a thread of their own, so that a press of Ctrl-C does not wait for the compiler.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use ruff_python_ast::Mod;
use ruff_python_parser::Mode as ParseMode;
use rustpython_compiler_core::{SourceFileBuilder, bytecode::CodeObject};
use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyStr},
    compiler::{CompileError, CompileOpts, Mode, codegen::compile::compile_top},
    function::FuncArgs,
};

use super::{blocks, running};
use crate::kernel::stop;
use crate::syntax::parse;

/// Bytes of source that are compiled faster than anyone presses a key.
const LONG: usize = 1 << 16;
/// The time between two checks for interrupts.
const INTERVAL: Duration = Duration::from_millis(5);

/// Why there is no code.
pub(super) enum NotCompiled {
    /// The source is not Python.
    Error(CompileError),
    /// The cell was interrupted.
    Stopped(PyBaseExceptionRef),
}

impl NotCompiled {
    /// The exception that Python raises.
    pub(super) fn exception(self, source: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
        match self {
            NotCompiled::Error(error) => vm.new_syntax_error(&error, Some(source)),
            NotCompiled::Stopped(exception) => exception,
        }
    }
}

/// Runs the compiler, or a part of it, which reads `size` bytes. An interrupted cell does not wait for it: the thread
/// then ends on its own. Errors: the cell was interrupted.
pub(super) fn stoppable<T: Send + 'static>(
    size: usize,
    work: impl FnOnce() -> T + Send + 'static,
    vm: &VirtualMachine,
) -> PyResult<T> {
    if size < LONG {
        return Ok(work());
    }
    let (sender, receiver) = channel::<Result<T, Box<dyn Any + Send>>>();
    let compiles = move || {
        running::silently(|| {
            // The receiver is gone if the cell was stopped.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        });
    };
    let builder = Builder::new().name("attn compiler".into()).stack_size(running::STACK_SIZE);
    builder.spawn(compiles).expect("the system has room for a thread");
    loop {
        match receiver.recv_timeout(INTERVAL) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => {
                stop::from_native(|| vm.check_signals())?;
            }
            Err(RecvTimeoutError::Disconnected) => unreachable!("a panic of the compiler is sent"),
        }
    }
}

fn is_expression(mode: Mode) -> bool {
    matches!(mode, Mode::Eval)
}

fn code(source: &str, mode: Mode, name: &str, opts: CompileOpts) -> Result<CodeObject, CompileError> {
    let file = SourceFileBuilder::new(name, source).finish();
    let parse_mode = if is_expression(mode) { ParseMode::Expression } else { ParseMode::Module };
    let parsed =
        parse(source, parse_mode).map_err(|error| CompileError::from_ruff_parse_error(error, &file))?;
    let mut syntax = parsed.into_syntax();
    if let Mod::Module(module) = &mut syntax {
        blocks::reach_ends(module);
    }
    compile_top(syntax, file, mode, opts).map_err(CompileError::from)
}

/// The code object for a long source that `exec`, `eval` or `compile` was called with. `None` if the source is short, or
/// the call has other arguments: then the interpreter compiles it.
pub(super) fn long_source(
    function: &str,
    args: &FuncArgs,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let text = |at: usize| args.args.get(at)?.downcast_ref::<PyStr>()?.to_str();
    let Some(source) = text(0).filter(|source| source.len() >= LONG && !source.contains('\0')) else {
        return Ok(None);
    };
    let (mode, name) = match function {
        "exec" => (Mode::Exec, "<string>"),
        "eval" => (Mode::Eval, "<string>"),
        _ => match (text(1), text(2), args.args.len(), args.kwargs.is_empty()) {
            (Some(name), Some("exec"), 3, true) => (Mode::Exec, name),
            (Some(name), Some("eval"), 3, true) => (Mode::Eval, name),
            _ => return Ok(None),
        },
    };
    let source = if is_expression(mode) { source.trim_start() } else { source }.to_owned();
    let (name, opts, given) = (name.to_owned(), vm.compile_opts(), source.clone());
    let compiled = stoppable(source.len(), move || code(&given, mode, &name, opts), vm)?;
    let code = compiled.map_err(|error| vm.new_syntax_error(&error, Some(&source)))?;
    Ok(Some(vm.ctx.new_code(code).as_object().to_owned()))
}
