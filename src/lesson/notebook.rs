//! A notebook as data: code cells with their recorded outputs.

use std::path::PathBuf;

use crate::session::Outcome;

/// The code cells of a notebook, a script or a Markdown file, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notebook {
    pub(crate) path: PathBuf,
    /// Its heading, or the file's name if it has none.
    pub title: String,
    pub cells: Vec<NotebookCell>,
    /// Markdown after the last of them.
    pub ending: String,
    /// Remarks for the user: unusual fields, another language.
    pub remarks: Vec<String>,
}

/// Adds a piece of Markdown after another, with an empty line between them.
pub(super) fn add_prose(all: &mut String, piece: &str) {
    if piece.trim().is_empty() {
        return;
    }
    if !all.is_empty() {
        all.push_str("\n\n");
    }
    all.push_str(piece.trim_end());
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotebookCell {
    /// Its index among the code cells, from 0.
    pub index: usize,
    /// Markdown before it, after the code cell before.
    pub prose: String,
    pub source: String,
    /// The stored output; `None` if none is stored.
    pub recorded: Option<RecordedOutput>,
    /// The line of its first line in a script or Markdown file; 1 in an `.ipynb` file.
    pub line: usize,
    /// Jupyter's tags.
    pub tags: Vec<String>,
}

/// The tag of a cell that raises an exception on purpose. Jupyter goes on after it.
pub(crate) const RAISES: &str = "raises-exception";
/// The nbval package's tag of a cell whose output varies, as times do, and is not compared.
pub(crate) const VARIES: &str = "nbval-ignore-output";

impl NotebookCell {
    /// Whether it raises an exception on purpose.
    pub(crate) fn raises(&self) -> bool {
        self.tags.iter().any(|tag| tag == RAISES)
    }

    /// Whether its output varies and is not compared.
    pub(crate) fn varies(&self) -> bool {
        self.tags.iter().any(|tag| tag == VARIES || tag == "varies")
    }
}

/// The output of a cell, as a notebook stores it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedOutput {
    /// What it printed.
    pub stdout: String,
    /// What it wrote to stderr, such as warnings.
    pub stderr: String,
    /// The text of its last expression.
    pub result: Option<String>,
    /// The exception that ended it: type and message.
    pub error: Option<(String, String)>,
}

/// What a cell has just shown, to be stored with it.
impl From<&Outcome> for RecordedOutput {
    fn from(outcome: &Outcome) -> RecordedOutput {
        RecordedOutput {
            stdout: outcome.stdout.clone(),
            stderr: outcome.stderr.clone(),
            result: outcome.result.clone(),
            error: outcome.error.as_ref().map(|raised| (raised.kind.clone(), raised.message.clone())),
        }
    }
}

impl RecordedOutput {
    /// The text that the cell shows: what it printed, its last expression, its exception. A lesson's `{output}` has this
    /// form.
    pub fn shown(&self) -> String {
        let mut text = self.stdout.clone();
        let error = self.error.as_ref().map(|(kind, message)| match (own_name(kind), message.as_str()) {
            (kind, "") => kind.to_string(),
            (kind, message) => format!("{kind}: {message}"),
        });
        for part in self.result.clone().into_iter().chain(error) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&part);
            text.push('\n');
        }
        text
    }
}

/// The name of an exception's class without its module, as a notebook shows it: `LinAlgError`.
pub(crate) fn own_name(kind: &str) -> &str {
    kind.rsplit('.').next().unwrap_or(kind)
}

/// A cell to be written to a file, with its output.
#[derive(Clone, Default, PartialEq)]
pub struct SavedCell {
    /// Its name, such as `input 4`.
    pub name: String,
    pub source: String,
    pub output: RecordedOutput,
}
