//! Why a file cannot be read as a notebook.

use std::path::PathBuf;

/// The size in bytes above which a file is refused.
pub(crate) const LARGEST: u64 = 256 * 1024 * 1024;

/// A file that could not be read as a notebook.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{kind}", path.display())]
pub struct NotebookError {
    pub(crate) path: PathBuf,
    pub kind: ReadErrorKind,
}

/// What is wrong with a file, after its name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadErrorKind {
    #[error(": there is no such file")]
    Missing,
    #[error(" is a folder{}", instead(within))]
    Folder {
        /// Files in it that attn can run.
        within: Vec<String>,
    },
    /// The system refuses to read it.
    #[error(" cannot be read: {0}")]
    Unreadable(String),
    /// It has no text but blanks.
    #[error(" is empty: there is nothing to run")]
    Empty,
    /// It is larger than [`LARGEST`].
    #[error(
        " has {} MB; at most {} MB are read. Clearing the notebook's outputs makes it smaller",
        bytes >> 20,
        LARGEST >> 20
    )]
    TooLarge { bytes: u64 },
    #[error(", line {line}: not UTF-8 text{}. Save it as UTF-8", after("; it seems to be ", seems))]
    NotUtf8 {
        /// The line of the first bad byte, from 1.
        line: usize,
        /// The format that its first bytes suggest.
        seems: Option<&'static str>,
    },
    /// An `.ipynb` file that is not JSON.
    #[error(" is not a notebook: not JSON at line {line}, column {column} ({what}){}", after(". ", seems))]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the JSON reader says.
        what: String,
        /// A suggestion, from what the text looks like.
        seems: Option<&'static str>,
    },
    #[error(" is JSON, but not a notebook: {what}")]
    NotNotebook {
        /// What was expected and what was found.
        what: String,
    },
    /// A cell that is not as the format demands.
    #[error(", cell {cell}: {what}")]
    BadCell {
        /// Its number among all cells, from 1.
        cell: usize,
        what: String,
    },
    #[error(": attn reads .ipynb, .py and .md files; this name ends otherwise")]
    UnknownKind,
}

fn instead(within: &[String]) -> String {
    match within {
        [] => ", and no notebook, .py or .md file is in it".to_owned(),
        names => format!("; try one of its files: {}", names.join(", ")),
    }
}

/// What a file seems to be, after these words; nothing if it is not known.
fn after(words: &str, seems: &Option<&'static str>) -> String {
    seems.map_or(String::new(), |seems| format!("{words}{seems}"))
}
