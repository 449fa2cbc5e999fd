//! Why a file cannot be read as a notebook.

use std::fmt;
use std::path::PathBuf;

/// The size in bytes above which a file is refused.
pub(crate) const LARGEST: u64 = 256 * 1024 * 1024;

/// A file that could not be read as a notebook.
#[derive(Clone, Debug, PartialEq)]
pub struct NotebookError {
    pub(crate) path: PathBuf,
    pub kind: ReadErrorKind,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadErrorKind {
    /// There is no such file.
    Missing,
    Folder {
        /// Files in it that attn can run.
        within: Vec<String>,
    },
    /// The system refuses to read it.
    Unreadable(String),
    /// It has no text but blanks.
    Empty,
    /// It is larger than [`LARGEST`].
    TooLarge { bytes: u64 },
    /// It is not UTF-8.
    NotUtf8 {
        /// The line of the first bad byte, from 1.
        line: usize,
        /// The format that its first bytes suggest.
        seems: Option<&'static str>,
    },
    /// An `.ipynb` file that is not JSON.
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
    /// JSON, but not a notebook.
    NotNotebook {
        /// What was expected and what was found.
        what: String,
    },
    /// A cell that is not as the format demands.
    BadCell {
        /// Its number among all cells, from 1.
        cell: usize,
        what: String,
    },
    /// The name ends in none of .ipynb, .py, .md.
    UnknownKind,
}

impl fmt::Display for NotebookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            ReadErrorKind::Missing => write!(f, "{path}: there is no such file"),
            ReadErrorKind::Folder { within } if within.is_empty() => {
                write!(f, "{path} is a folder, and no notebook, .py or .md file is in it")
            }
            ReadErrorKind::Folder { within } => {
                write!(f, "{path} is a folder; try one of its files: {}", within.join(", "))
            }
            ReadErrorKind::Unreadable(why) => write!(f, "{path} cannot be read: {why}"),
            ReadErrorKind::Empty => write!(f, "{path} is empty: there is nothing to run"),
            ReadErrorKind::TooLarge { bytes } => write!(
                f,
                "{path} has {} MB; at most {} MB are read. Clearing the notebook's outputs makes it smaller",
                bytes / (1024 * 1024),
                LARGEST / (1024 * 1024)
            ),
            ReadErrorKind::NotUtf8 { line, seems } => {
                write!(f, "{path}, line {line}: not UTF-8 text")?;
                match seems {
                    Some(kind) => write!(f, "; it seems to be {kind}. Save it as UTF-8"),
                    None => write!(f, ". Save it as UTF-8"),
                }
            }
            ReadErrorKind::NotJson { line, column, what, seems } => {
                write!(f, "{path} is not a notebook: not JSON at line {line}, column {column} ({what})")?;
                match seems {
                    Some(kind) => write!(f, ". {kind}"),
                    None => Ok(()),
                }
            }
            ReadErrorKind::NotNotebook { what } => write!(f, "{path} is JSON, but not a notebook: {what}"),
            ReadErrorKind::BadCell { cell, what } => write!(f, "{path}, cell {cell}: {what}"),
            ReadErrorKind::UnknownKind => {
                write!(f, "{path}: attn reads .ipynb, .py and .md files; this name ends otherwise")
            }
        }
    }
}

impl std::error::Error for NotebookError {}
