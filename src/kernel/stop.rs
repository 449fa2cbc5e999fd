//! How a stopped cell leaves native code, and how a kernel refuses a result that memory has no room for.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// Whether native code asks if it is to stop, within an instruction of the interpreter.
    static IN_NATIVE: Cell<bool> = const { Cell::new(false) };
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

/// What a kernel unwinds with instead of an allocation of this many bytes: one that fails would end the program.
struct TooLarge(u128);

/// Leaves the kernel: its result would take this many bytes.
pub(crate) fn too_large(bytes: u128) -> ! {
    resume_unwind(Box::new(TooLarge(bytes)))
}

/// Runs `work`. Errors: the bytes of the result that a kernel refused.
pub(crate) fn within_memory<T>(work: impl FnOnce() -> T) -> Result<T, u128> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|left| match left.downcast::<TooLarge>() {
        Ok(refused) => refused.0,
        Err(panic) => resume_unwind(panic),
    })
}
