//! The count of what records keep alive.

use std::cell::Cell;

/// What the listed records are, and what they alone keep alive. Records and storages count it themselves.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// Records that are listed and not dropped.
    pub(super) living: Cell<usize>,
    /// Bytes of their operands that no Python object refers to, each storage counted once.
    pub(super) held: Cell<usize>,
}

impl Budget {
    /// Changes the bytes when a storage begins or ceases to count.
    pub(super) fn count(&self, bytes: usize, held: bool) {
        self.held.set(if held { self.held.get() + bytes } else { self.held.get().saturating_sub(bytes) });
    }
}
