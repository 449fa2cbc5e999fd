//! The answer to a what-if question: the changes, and the tensors that differ because of them.

use serde::Serialize;

use super::difference::{ChangedTensor, Reshaped};
use crate::session::Raised;

/// The effect of one or more changes.
#[derive(Clone, Default)]
pub struct WhatIf {
    /// The changes, in the order in which they were asked for.
    pub changes: Vec<AppliedChange>,
    /// The tensors whose elements differ, the largest difference first.
    pub differences: Vec<ChangedTensor>,
    /// The tensors whose shape differs.
    pub reshaped: Vec<Reshaped>,
    /// The tensors that are exactly equal.
    pub unchanged: Vec<String>,
    /// The equal tensors that were made before the cells that were asked for.
    pub unchanged_before: Vec<String>,
    /// What the one cell that was asked for printed with the change, if that differs.
    pub printed: Option<String>,
    /// The tensors that exist only without the change.
    pub missing: Vec<String>,
    /// The tensors that exist only with the change.
    pub added: Vec<String>,
    /// The cell that raised an exception because of the change, and the exception.
    pub raised: Option<(String, Raised)>,
    /// The cells after it, which did not run.
    pub not_run: Vec<String>,
    /// The cells that were asked for, if other cells ran only because these need them; else none.
    pub asked: Vec<String>,
    /// The effect in sentences.
    pub summary: Vec<String>,
}

/// One change, and where it took effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AppliedChange {
    /// What was changed: `inputs[1,0]`, `torch.manual_seed`.
    pub place: String,
    /// The place in words: `"journey", feature 0`.
    pub description: String,
    /// The value without the change, the first time.
    pub before: String,
    /// The value with the change.
    pub after: String,
    /// The cells in which the change took effect, in order.
    pub cells: Vec<String>,
    pub remarks: Vec<String>,
}

impl WhatIf {
    /// Whether a tensor was made in a cell that was asked for.
    pub(crate) fn is_asked(&self, tensor: &ChangedTensor) -> bool {
        self.asked.is_empty() || tensor.cell.as_ref().is_none_or(|cell| self.asked.contains(cell))
    }

    /// The unchanged tensors of the cells that were asked for; a module or dict in which nothing changed is one entry.
    pub(crate) fn unchanged_groups(&self) -> Vec<String> {
        let differing =
            self.differences.iter().map(|it| &it.name).chain(self.reshaped.iter().map(|it| &it.name));
        let others: Vec<&String> = differing.chain(&self.missing).collect();
        let mut groups: Vec<String> = Vec::new();
        for name in self.unchanged.iter().filter(|name| !self.unchanged_before.contains(name)) {
            let of = |name: &'_ str| name.find(['.', '[']).map(|at| name[..at].to_owned());
            let is_whole = |whole: &String| !others.iter().any(|it| of(it).as_ref() == Some(whole));
            let group =
                of(name).filter(is_whole).map_or_else(|| name.clone(), |whole| format!("all of {whole}"));
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }
}
