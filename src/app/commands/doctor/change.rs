//! A change of the lines of a cell.

use serde::{Deserialize, Serialize};

/// A change of the lines of a cell that was tried.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Change {
    /// The index of the cell.
    pub(super) cell: usize,
    /// The index of its first line that changes.
    pub(super) first: usize,
    pub(super) removed: Vec<String>,
    pub(super) added: Vec<String>,
    /// The code of the mistake, and its line in the file.
    pub(super) what: String,
    /// How many mistakes it fixes.
    pub(super) fixes: usize,
}

impl Change {
    pub(super) fn between(cell: usize, before: &str, after: &str, what: String) -> Change {
        let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let tail =
            old[first..].iter().rev().zip(new[first..].iter().rev()).take_while(|(a, b)| a == b).count();
        let text =
            |lines: &[&str]| lines[first..lines.len() - tail].iter().map(|it| it.to_string()).collect();
        Change { cell, first, removed: text(&old), added: text(&new), what, fixes: 1 }
    }

    /// The changed lines of a cell that begins at line `first`: `-` before the old ones, `+` before the new ones.
    pub(super) fn diff(&self, first: usize) -> String {
        let at = self.first + first;
        let mut text = format!("@@ -{at},{} +{at},{} @@\n", self.removed.len(), self.added.len());
        self.removed.iter().for_each(|line| text.push_str(&format!("-{line}\n")));
        self.added.iter().for_each(|line| text.push_str(&format!("+{line}\n")));
        text
    }

    /// Whether two changes are one.
    pub(super) fn is(&self, other: &Change) -> bool {
        (self.cell, self.first, &self.removed, &self.added)
            == (other.cell, other.first, &other.removed, &other.added)
    }

    /// Whether two changes touch the same lines.
    pub(super) fn overlaps(&self, other: &Change) -> bool {
        let end = |it: &Change| it.first + it.removed.len().max(1);
        self.cell == other.cell && self.first < end(other) && other.first < end(self)
    }
}
