//! Reads a notebook from an `.ipynb`, `.py` or `.md` file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::fault::listed;
use super::notebook::Notebook;
use super::read_error::{LARGEST, NotebookError, ReadErrorKind};
use super::{ipynb, script};
use crate::shims::outside::{fs, outside};

impl Notebook {
    /// Reads a file; the ending of its name says how. Errors: [`NotebookError`].
    pub fn open(path: &Path) -> Result<Notebook, NotebookError> {
        let fail = |kind| NotebookError { path: path.to_path_buf(), kind };
        let about = std::fs::metadata(path).map_err(|e| {
            fail(match e.kind() {
                std::io::ErrorKind::NotFound => ReadErrorKind::Missing,
                _ => unreadable(&e),
            })
        })?;
        if about.is_dir() {
            let instead = match runnable(path).as_slice() {
                [] => ", and no notebook, .py or .md file is in it".to_owned(),
                names => listed("; try one of its files: ", names),
            };
            return Err(fail(ReadErrorKind::NoFile(format!(" is a folder{instead}"))));
        }
        if about.len() > LARGEST {
            return Err(fail(too_large(about.len())));
        }
        // A device or a pipe states no size.
        let mut bytes = Vec::new();
        let file = outside(|| File::open(path));
        let read = file.and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
        read.map_err(|e| fail(unreadable(&e)))?;
        Notebook::from_bytes(path, &bytes)
    }

    /// Reads all of `input`, which has no name: a notebook if it is JSON, else a script. Errors: [`NotebookError`].
    pub(crate) fn from_unnamed(input: impl Read, called: &str) -> Result<Notebook, NotebookError> {
        let mut bytes = Vec::new();
        let read = input.take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| NotebookError { path: called.into(), kind: unreadable(&error) })?;
        let is_json = bytes.trim_ascii_start().starts_with(b"{");
        Notebook::from_bytes(Path::new(&format!("{called}.{}", if is_json { "ipynb" } else { "py" })), &bytes)
    }

    /// Reads the bytes of a file called `path`. Errors: [`NotebookError`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Notebook, NotebookError> {
        let fail = |kind| NotebookError { path: path.to_path_buf(), kind };
        if bytes.len() as u64 > LARGEST {
            return Err(fail(too_large(bytes.len() as u64)));
        }
        let text = utf8(bytes).map_err(fail)?;
        if let Some(at) = text.find('\0') {
            let line = text[..at].matches('\n').count() + 1;
            return Err(fail(not_utf8(line, "; it seems to be a binary file")));
        }
        if text.trim().is_empty() {
            return Err(fail(ReadErrorKind::Unreadable(" is empty: there is nothing to run".to_owned())));
        }
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let mut notebook = match ending.as_deref() {
            Some("ipynb") => ipynb::read(text).map_err(fail)?,
            Some("py" | "ipy" | "pyw") => script::python(text),
            Some("md" | "markdown" | "myst") => script::markdown(text),
            Some("json") | None if text.trim_start().starts_with('{') => ipynb::read(text).map_err(fail)?,
            _ => {
                let words = ": attn reads .ipynb, .py and .md files; this name ends otherwise";
                return Err(fail(ReadErrorKind::NoFile(words.to_owned())));
            }
        };
        notebook.path = path.to_path_buf();
        if notebook.title.is_empty() {
            notebook.title =
                path.file_name().expect("a file that was read has a name").to_string_lossy().into_owned();
        }
        if notebook.cells.is_empty() {
            notebook.remarks.push("there is no code cell in it".to_string());
        }
        Ok(notebook)
    }
}

/// The text of a file with another source for one of its code cells, which begins in `line`. `None`: the cell is not there as
/// it was read.
pub(crate) fn with_source(
    path: &Path,
    text: &str,
    (cell, line): (usize, usize),
    old: &str,
    new: &str,
) -> Option<String> {
    if path.extension().is_some_and(|ending| ending == "ipynb") {
        return ipynb::with_source(text, cell, old, new);
    }
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let start = line.checked_sub(1)?;
    let end = start + old.lines().count();
    let is_there = all.get(start..end)?.iter().map(|it| it.trim_end_matches(['\n', '\r'])).eq(old.lines());
    let after = if all[end - 1].ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut changed = all[..start].concat();
    new.lines().for_each(|line| changed.extend([line, after]));
    changed.push_str(&all[end..].concat());
    is_there.then_some(changed)
}

/// Up to five files of a folder that attn can run; none if it cannot be listed.
pub(super) fn runnable(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok().map(|e| e.file_name().to_string_lossy().into_owned()))
        .filter(|n| [".ipynb", ".py", ".md"].iter().any(|end| n.ends_with(end)))
        .collect();
    names.sort();
    names.truncate(5);
    names
}

/// The bytes as text, without a byte order mark.
fn utf8(bytes: &[u8]) -> Result<&str, ReadErrorKind> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(e) => {
            let seems = match bytes {
                [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "; it seems to be UTF-16",
                _ if bytes.contains(&0) => "; it seems to be a binary file",
                _ => "",
            };
            let line = bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            Err(not_utf8(line, seems))
        }
    }
}

fn unreadable(error: &std::io::Error) -> ReadErrorKind {
    ReadErrorKind::Unreadable(format!(" cannot be read: {error}"))
}

fn too_large(bytes: u64) -> ReadErrorKind {
    let (megabytes, most) = (bytes >> 20, LARGEST >> 20);
    ReadErrorKind::Unreadable(format!(
        " has {megabytes} MB; at most {most} MB are read. Clearing the notebook's outputs makes it smaller"
    ))
}

/// `line` is that of the first bad byte, from 1.
fn not_utf8(line: usize, seems: &str) -> ReadErrorKind {
    ReadErrorKind::Unreadable(format!(", line {line}: not UTF-8 text{seems}. Save it as UTF-8"))
}
