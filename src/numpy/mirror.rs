//! Views that are read backwards. A layout has no negative strides, so `a[::-1]` has elements of its own, and each
//! side is brought up to date after the other was written.

use crate::tensor::{Result, Storage, Tensor, ops};

/// Two tensors with the same elements, the second of them in the opposite order along some axes.
#[derive(Debug)]
struct Mirror {
    forwards: Tensor,
    backwards: Tensor,
    axes: Vec<usize>,
    /// The versions of both storages when they last agreed.
    agreed: (u64, u64),
}

/// The elements of `source` in the opposite order, written into `target`. What was written before is forgotten: the
/// history of those elements is in the other storage.
fn copy(source: &Tensor, target: &Tensor, axes: &[usize]) -> Result<()> {
    ops::write(target, &ops::shape::flip(source, axes)?)?;
    target.storage().forget_writes();
    Ok(())
}

impl Mirror {
    fn versions(&self) -> (u64, u64) {
        (self.forwards.storage().version(), self.backwards.storage().version())
    }

    /// Copies what was written on one side to the other. Returns whether anything was.
    fn update(&mut self) -> bool {
        let now = self.versions();
        if now == self.agreed {
            return false;
        }
        let done = match now.1 == self.agreed.1 {
            true => copy(&self.forwards, &self.backwards, &self.axes),
            false => copy(&self.backwards, &self.forwards, &self.axes),
        };
        debug_assert!(done.is_ok(), "both sides have the same shape and dtype");
        self.agreed = self.versions();
        true
    }

    /// Whether Python objects refer to both sides.
    fn is_needed(&self) -> bool {
        let is_used = |tensor: &Tensor| tensor.storage().is_bound();
        is_used(&self.forwards) && is_used(&self.backwards)
    }
}

/// The mirrors of a session.
#[derive(Debug, Default)]
pub(super) struct Mirrors {
    all: Vec<Mirror>,
    /// How often any storage had been written when all mirrors agreed.
    agreed: u64,
}

impl Mirrors {
    /// Keeps `backwards`, a copy in the opposite order, up to date with `forwards`.
    pub(super) fn add(&mut self, forwards: &Tensor, backwards: &Tensor, axes: Vec<usize>) {
        let agreed = (forwards.storage().version(), backwards.storage().version());
        self.all.push(Mirror { forwards: forwards.clone(), backwards: backwards.clone(), axes, agreed });
    }

    /// Brings all sides up to date, and drops mirrors that nobody can see.
    pub(super) fn update(&mut self) {
        if self.all.is_empty() || self.agreed == Storage::writes() {
            return;
        }
        // One side may be a side of another mirror.
        while self.all.iter_mut().any(Mirror::update) {}
        self.all.retain(Mirror::is_needed);
        self.agreed = Storage::writes();
    }
}
