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
    /// Another file is meant: it is a folder, or its name has an ending that attn does not know.
    #[error("{0}")]
    NoFile(String),
    /// The system refuses to read it, or its content is not what its name says.
    #[error("{0}")]
    Unreadable(String),
}
