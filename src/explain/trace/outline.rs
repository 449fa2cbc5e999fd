//! The outline of a cell's operations: its entries and what they cost.

use std::time::Duration;

use super::cost::Cost;
use super::preview::Preview;

/// The operations of a cell, as a learner reads them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// What ran, in order.
    pub items: Vec<OutlineItem>,
    /// How many operations ran.
    pub operations: usize,
    /// How many of them the trace has.
    pub(crate) traced: usize,
    pub cost: Cost,
    /// Their total time, without the Python code around them.
    pub(crate) elapsed: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub enum OutlineItem {
    /// An operation, or a call of a library function.
    Operation(OperationRow),
    /// A call of a learner's function.
    Call(CallGroup),
    /// A block that ran several times in a row.
    Loop(LoopGroup),
}

/// An operation, or a call of a library function with the operations in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationRow {
    /// The cell that has its code.
    pub(crate) cell: String,
    pub(crate) line: usize,
    /// Its code, with the names its value is bound to: `keys = self.W_key(x)`.
    pub code: String,
    /// The same with `…` for parts that rows above show, if there are any.
    pub(crate) short_code: Option<String>,
    /// The library class or function that ran it: `Linear`.
    pub(crate) library: Option<String>,
    /// PyTorch's name of the operation; for a library call, of its last operation.
    pub(crate) op: String,
    /// Shapes as algebra: `(6,3) @ (3,2) -> (6,2)`.
    pub(crate) shapes: String,
    /// The shapes of the last pass, if a loop changes them.
    pub(crate) last_shapes: Option<String>,
    pub(crate) cost: Cost,
    /// Whether the result is a view of an operand.
    pub(crate) is_view: bool,
    /// Whether the result is the operand itself, as for dropout in evaluation mode.
    pub(crate) is_unchanged: bool,
    /// A small picture of the result.
    pub(crate) preview: Preview,
    /// The message of the error it raised.
    pub(crate) error: Option<String>,
    /// The number of operations: more than one for some library calls.
    pub(crate) operations: usize,
    /// The operations of a library call, if the outline is not folded.
    pub(crate) inner: Vec<OutlineItem>,
    pub(super) key: u64,
}

/// A call of a learner's function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallGroup {
    /// The cell that has the call.
    pub(crate) cell: String,
    pub(crate) line: usize,
    /// The call, with the names its value is bound to: `context_vecs = ca(batch)`.
    pub(crate) code: String,
    /// The function: `CausalAttention.forward`.
    pub(crate) function: String,
    /// The cell that defines the function.
    pub(crate) defined_in: String,
    pub items: Vec<OutlineItem>,
    pub(crate) operations: usize,
    pub(crate) cost: Cost,
    pub(super) key: u64,
}

/// A block that ran several times in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopGroup {
    /// The fewest and the most passes; they differ only in a loop inside of another.
    pub(crate) passes: (usize, usize),
    /// The items of the first pass.
    pub items: Vec<OutlineItem>,
    /// The number of operations of all passes.
    pub(crate) operations: usize,
    pub(crate) cost: Cost,
    pub(super) key: u64,
}

impl OutlineItem {
    /// What all items have: their key, their cost and the number of their operations.
    fn totals(&self) -> (u64, Cost, usize) {
        match self {
            OutlineItem::Operation(row) => (row.key, row.cost, row.operations),
            OutlineItem::Call(group) => (group.key, group.cost, group.operations),
            OutlineItem::Loop(group) => (group.key, group.cost, group.operations),
        }
    }

    /// Equal for items that stand at the same place in the source and run the same operations.
    pub(super) fn key(&self) -> u64 {
        self.totals().0
    }

    pub fn cost(&self) -> Cost {
        self.totals().1
    }

    pub fn operations(&self) -> usize {
        self.totals().2
    }
}
