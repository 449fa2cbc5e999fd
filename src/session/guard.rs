//! What stands around a running cell: the mark that one runs, and the net for panics.
//! A panic in native code is attn's own defect and is told as one, in the cell.

use std::{any::Any, cell::Cell, sync::Once};

use super::interrupt::Interrupter;

/// Marks the session as running, and as idle again however the run ends.
pub(super) struct Running<'a>(&'a Interrupter);

impl<'a> Running<'a> {
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
    /// Whether this thread runs a cell: then a panic is caught and told as an error of the cell.
    static CELL_RUNS: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the default panic message off the terminal while a cell runs.
pub(super) fn quiet_panics() {
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

/// What a caught panic says to the learner.
pub(super) fn defect(panic: &(dyn Any + Send)) -> String {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    format!("this is a defect of attn, not of your code; please report it with the cell ({said})")
}

/// Runs `work` on a thread whose stack is large enough for deep Python recursion, and gives its value.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // Address space only: a page is taken when it is first used.
    const STACK: usize = 512 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("attn".into()).stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => panic!("attn needs a thread of its own to run Python: {error}"),
        }
    })
}
