//! How a stopped cell leaves native code, and how a kernel refuses a result that memory has no room for.
//!
//! A kernel calls [`check`] once for each block of work. If the cell is to stop, [`check`] unwinds to [`leavable`], on
//! every thread that shares the work.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Whether native code asks if it is to stop, within an instruction of the interpreter.
    static IN_NATIVE: Cell<bool> = const { Cell::new(false) };
    /// Whether the cell whose work this thread does is to stop.
    static STOPS: RefCell<Arc<AtomicBool>> = RefCell::default();
    /// Whether this thread does work of [`leavable`].
    static CAN_LEAVE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a check for signals that native code makes, not the interpreter between two instructions.
pub(crate) fn from_native<T>(check: impl FnOnce() -> T) -> T {
    let outer = IN_NATIVE.replace(true);
    let checked = check();
    IN_NATIVE.set(outer);
    checked
}

/// Whether native code makes the current check for signals.
pub(crate) fn is_from_native() -> bool {
    IN_NATIVE.get()
}

/// The flag that stops the cells of this thread.
pub(crate) fn flag() -> Arc<AtomicBool> {
    STOPS.with_borrow(Arc::clone)
}

/// Leaves the kernel if the cell is to stop. It costs about a nanosecond.
pub(crate) fn check() {
    if CAN_LEAVE.get() && STOPS.with_borrow(|stops| stops.load(Ordering::Relaxed)) {
        resume_unwind(Box::new(Left::Stopped));
    }
}

/// What the work of this thread is stopped by, for a thread that does a part of it.
pub(crate) struct Watch {
    stops: Arc<AtomicBool>,
    can_leave: bool,
}

impl Watch {
    /// The watch of this thread.
    pub(crate) fn of_this_thread() -> Watch {
        Watch { stops: flag(), can_leave: CAN_LEAVE.get() }
    }

    /// Does `work` on another thread; [`check`] sees there what it sees on the first.
    pub(crate) fn during(&self, work: impl FnOnce()) {
        let before =
            Watch { stops: STOPS.replace(self.stops.clone()), can_leave: CAN_LEAVE.replace(self.can_leave) };
        let done = catch_unwind(AssertUnwindSafe(work));
        STOPS.set(before.stops);
        CAN_LEAVE.set(before.can_leave);
        if let Err(left) = done {
            resume_unwind(left);
        }
    }
}

/// Why a kernel did not finish.
pub(crate) enum Left {
    /// Its result would take this many bytes: an allocation that fails would end the program.
    TooLarge(u128),
    /// The cell is to stop.
    Stopped,
}

/// Leaves the kernel: its result would take this many bytes.
pub(crate) fn too_large(bytes: u128) -> ! {
    resume_unwind(Box::new(Left::TooLarge(bytes)))
}

/// Runs `work`. Errors: why a kernel left it.
pub(crate) fn leavable<T>(work: impl FnOnce() -> T) -> Result<T, Left> {
    let before = CAN_LEAVE.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAN_LEAVE.set(before);
    done.map_err(|left| match left.downcast::<Left>() {
        Ok(left) => *left,
        Err(panic) => resume_unwind(panic),
    })
}
