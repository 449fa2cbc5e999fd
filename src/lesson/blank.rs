//! A blank in a cell: one expression of its code that the learner writes.

/// What a cell shows in the place of its hidden code.
pub(crate) const BLANK: &str = "____";

/// The part of a cell that the learner writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Blank {
    /// The code that is hidden; it occurs once in the cell.
    pub(crate) hidden: String,
    /// An expression: what the cell computes.
    pub(crate) gives: String,
}

impl Blank {
    /// The cell with the blank in it.
    pub(crate) fn in_cell(&self, code: &str) -> String {
        code.replacen(&self.hidden, BLANK, 1)
    }

    /// The cell with this in the blank. The whole line may have been typed.
    pub(crate) fn filled(&self, code: &str, said: &str) -> String {
        let (before, after) = code.split_once(&self.hidden).unwrap_or((code, ""));
        format!("{before}{}{after}", self.written(code, said))
    }

    /// The line of the blank as the cell shows it.
    pub(crate) fn open_line(&self, code: &str) -> String {
        self.line(code, BLANK)
    }

    /// The line of the blank with this in it.
    pub(super) fn line(&self, code: &str, said: &str) -> String {
        let (before, after) = code.split_once(&self.hidden).unwrap_or((code, ""));
        let before = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let after =
            after.split('\n').next().unwrap_or_default().split("  #").next().unwrap_or_default().trim_end();
        format!("{before}{}{after}", self.written(code, said))
    }

    /// What was typed for the blank: of a whole line, or of all that is right of its `=` or `return`, the part that the cell hides.
    pub(super) fn written(&self, code: &str, said: &str) -> String {
        let said = said.trim().trim_matches('`').trim();
        let (before, after) = code.split_once(&self.hidden).unwrap_or((code, ""));
        let before = before.rsplit('\n').next().unwrap_or_default();
        let right = before.split_once(" = ").or(before.split_once("return ")).map_or("", |(_, right)| right);
        let after =
            packed(after.split('\n').next().unwrap_or_default().split('#').next().unwrap_or_default());
        let places = || said.char_indices().map(|(at, _)| at).chain([said.len()]);
        let end = places().rev().find(|at| packed(&said[*at..]) == after);
        let start = [before, right].map(packed).into_iter().filter(|it| !it.is_empty());
        let mut start = start.filter_map(|before| places().find(|at| packed(&said[..*at]) == before));
        match start.next().zip(end) {
            Some((start, end)) if start < end => said[start..end].to_owned(),
            _ => said.to_owned(),
        }
    }

    /// Whether a line gives what is hidden a name: `scores = ____`.
    pub(super) fn is_value_of_a_name(&self, code: &str) -> bool {
        self.open_line(code).ends_with(&format!(" = {BLANK}"))
    }

    /// Whether this is the hidden code, but for spaces.
    pub(super) fn is_hidden(&self, code: &str, said: &str) -> bool {
        packed(&self.written(code, said)) == packed(&self.hidden)
    }
}

/// Code without its spaces.
pub(super) fn packed(code: &str) -> String {
    code.split_whitespace().collect()
}
