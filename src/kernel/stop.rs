//! How a stopped cell leaves native code.

use std::cell::Cell;

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
