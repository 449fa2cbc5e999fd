//! Marks a cell as running, and turns a panic in native code into an error of the cell.

use std::{any::Any, cell::Cell, sync::Once};

use super::{interrupt::Interrupter, raised::Raised};

/// Marks the session as running until it is dropped.
pub(super) struct Running<'a>(&'a Interrupter);

impl<'a> Running<'a> {
    /// Marks run number `run` as started.
    pub(super) fn begin(interrupter: &'a Interrupter, run: u64) -> Running<'a> {
        interrupter.begin(run);
        CELL_RUNS.with(|runs| runs.set(true));
        Running(interrupter)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        CELL_RUNS.with(|runs| runs.set(false));
        self.0.end();
    }
}

thread_local! {
    /// Whether this thread runs a cell. If it does, a panic is caught and reported as an error of the cell.
    static CELL_RUNS: Cell<bool> = const { Cell::new(false) };
}

/// Stops the panic hook from printing while a cell runs.
pub(super) fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let default = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !CELL_RUNS.with(Cell::get) {
                default(info);
            }
        }));
    });
}

/// What a caught panic becomes. A part of the interpreter that finds itself in use, or that asks for more memory than a
/// process can address, panics: the cell cannot go on, but that is all.
pub(super) fn error_of(panic: &(dyn Any + Send)) -> Raised {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    if text.starts_with("deadlock: ") {
        return Raised::new(
            "RuntimeError",
            "a method of an object used the same object, which the interpreter was just changing or going through; here that \
             ends the cell",
        );
    }
    if text == "capacity overflow" {
        return Raised::new("MemoryError", "this is larger than any memory");
    }
    Raised::new(
        "SystemError",
        format!("this is a defect of attn, not of your code; please report it with the cell ({text})"),
    )
}

/// The bytes of the stack on which Python runs. This reserves address space only: the system allocates a page when it is
/// first used.
pub(super) const STACK_SIZE: usize = 512 << 20;

/// Runs `work` on a thread whose stack is large enough for deep Python recursion, and returns its value.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("attn".into()).stack_size(STACK_SIZE);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => panic!("attn needs a thread of its own to run Python: {error}"),
        }
    })
}
