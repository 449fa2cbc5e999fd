//! What others wrote, as cells: Jupyter notebooks here, scripts and Markdown in [`super::script`].
//! Reads bytes, gives a [`Document`] or a [`ReadError`]; runs nothing.
//! Source: the nbformat descriptions of versions 3 and 4 (and 5, as far as it keeps their fields).

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::script;

/// Files beyond this are refused: no notebook on this subject comes near it.
pub const LARGEST: u64 = 256 * 1024 * 1024;

/// A file as code cells in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Where it came from.
    pub path: PathBuf,
    /// Its heading, if it has one, else the file's name.
    pub title: String,
    /// The code cells.
    pub cells: Vec<Cell>,
    /// What the reader should know: odd fields, another language.
    pub remarks: Vec<String>,
}

/// One code cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Position among the code cells, from 0.
    pub index: usize,
    /// Its code.
    pub source: String,
    /// The stored output; `None` if none is stored.
    pub recorded: Option<Recorded>,
    /// Line of the source's first line in a script or Markdown file; 1 in a notebook.
    pub line: usize,
}

/// What is stored under a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// What it printed.
    pub stdout: String,
    /// What it wrote as remarks and warnings.
    pub stderr: String,
    /// The text of its last expression.
    pub result: Option<String>,
    /// The exception that ended it: type and message.
    pub error: Option<(String, String)>,
    /// Outputs that are no text (pictures, widgets).
    pub pictures: usize,
}

impl Recorded {
    /// Printed text, then the last expression's, then the exception's line: what a cell shows.
    pub fn shown(&self) -> String {
        shown(
            &self.stdout,
            self.result.as_deref(),
            self.error.as_ref().map(|(kind, message)| (kind.as_str(), message.as_str())),
        )
    }
}

/// The text a cell shows: what it printed, its last expression, its exception. The form of a lesson's
/// `{output}`, so that recorded and new outputs are made alike.
pub fn shown(stdout: &str, result: Option<&str>, error: Option<(&str, &str)>) -> String {
    let mut text = stdout.to_string();
    let error = error.map(|(kind, message)| match message {
        "" => kind.to_string(),
        _ => format!("{kind}: {message}"),
    });
    for part in result.map(str::to_string).into_iter().chain(error) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&part);
        text.push('\n');
    }
    text
}

/// Why a file could not be read as cells.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub cause: Cause,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// There is no such file.
    Missing,
    /// It is a folder.
    Folder {
        /// Files in it that could be run.
        within: Vec<String>,
    },
    /// The system would not let it be read.
    Unreadable(String),
    /// It has no bytes, or only blank ones.
    Empty,
    /// It is larger than [`LARGEST`].
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
    },
    /// It is not UTF-8.
    NotUtf8 {
        /// The line of the first bad byte, from 1.
        line: usize,
        /// The encoding it seems to have.
        seems: Option<&'static str>,
    },
    /// A `.ipynb` that is not JSON.
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the JSON reader says.
        what: String,
        /// What it looks like instead.
        seems: Option<&'static str>,
    },
    /// JSON, but no notebook.
    NotNotebook {
        /// What was looked for and what was found.
        what: String,
    },
    /// A cell that cannot be understood.
    BadCell {
        /// Position among all cells, from 1.
        cell: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The name ends in none of .ipynb, .py, .md.
    UnknownKind,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.cause {
            Cause::Missing => write!(f, "{path}: there is no such file"),
            Cause::Folder { within } if within.is_empty() => {
                write!(f, "{path} is a folder, and no notebook, .py or .md file is in it")
            }
            Cause::Folder { within } => {
                write!(f, "{path} is a folder; try one of its files: {}", within.join(", "))
            }
            Cause::Unreadable(why) => write!(f, "{path} cannot be read: {why}"),
            Cause::Empty => write!(f, "{path} is empty: there is nothing to run"),
            Cause::TooLarge { bytes } => write!(
                f,
                "{path} has {} MB; at most {} MB are read. Clearing the notebook's outputs makes it smaller",
                bytes / (1024 * 1024),
                LARGEST / (1024 * 1024)
            ),
            Cause::NotUtf8 { line, seems } => {
                write!(f, "{path}, line {line}: not UTF-8 text")?;
                match seems {
                    Some(kind) => write!(f, "; it seems to be {kind}. Save it as UTF-8"),
                    None => write!(f, ". Save it as UTF-8"),
                }
            }
            Cause::NotJson { line, column, what, seems } => {
                write!(f, "{path} is not a notebook: not JSON at line {line}, column {column} ({what})")?;
                match seems {
                    Some(kind) => write!(f, ". {kind}"),
                    None => Ok(()),
                }
            }
            Cause::NotNotebook { what } => write!(f, "{path} is JSON, but not a notebook: {what}"),
            Cause::BadCell { cell, what } => write!(f, "{path}, cell {cell}: {what}"),
            Cause::UnknownKind => {
                write!(f, "{path}: attn reads .ipynb, .py and .md files; this name ends otherwise")
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl Document {
    /// Reads a file by the ending of its name. Errors: [`ReadError`].
    pub fn open(path: &Path) -> Result<Document, ReadError> {
        let fail = |cause| ReadError { path: path.to_path_buf(), cause };
        let about = std::fs::metadata(path).map_err(|e| {
            fail(match e.kind() {
                std::io::ErrorKind::NotFound => Cause::Missing,
                _ => Cause::Unreadable(e.to_string()),
            })
        })?;
        if about.is_dir() {
            return Err(fail(Cause::Folder { within: runnable(path) }));
        }
        if about.len() > LARGEST {
            return Err(fail(Cause::TooLarge { bytes: about.len() }));
        }
        let bytes = std::fs::read(path).map_err(|e| fail(Cause::Unreadable(e.to_string())))?;
        Document::from_bytes(path, &bytes)
    }

    /// Reads the bytes of a file called `path`. Errors: [`ReadError`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Document, ReadError> {
        let fail = |cause| ReadError { path: path.to_path_buf(), cause };
        if bytes.len() as u64 > LARGEST {
            return Err(fail(Cause::TooLarge { bytes: bytes.len() as u64 }));
        }
        let text = utf8(bytes).map_err(fail)?;
        if text.trim().is_empty() {
            return Err(fail(Cause::Empty));
        }
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let mut document = match ending.as_deref() {
            Some("ipynb") => notebook(text).map_err(fail)?,
            Some("py" | "ipy" | "pyw") => script::python(text),
            Some("md" | "markdown" | "myst") => script::markdown(text),
            Some("json") | None if text.trim_start().starts_with('{') => notebook(text).map_err(fail)?,
            _ => return Err(fail(Cause::UnknownKind)),
        };
        document.path = path.to_path_buf();
        if document.title.is_empty() {
            document.title = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        }
        if document.cells.is_empty() {
            document.remarks.push("there is no code cell in it".to_string());
        }
        Ok(document)
    }
}

fn runnable(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok().map(|e| e.file_name().to_string_lossy().into_owned()))
        .filter(|n| [".ipynb", ".py", ".md"].iter().any(|end| n.ends_with(end)))
        .collect();
    names.sort();
    names.truncate(5);
    names
}

fn utf8(bytes: &[u8]) -> Result<&str, Cause> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(e) => {
            let seems = match bytes {
                [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
                [0x1F, 0x8B, ..] => Some("a gzip archive"),
                [b'P', b'K', 3, 4, ..] => Some("a zip archive"),
                [b'%', b'P', b'D', b'F', ..] => Some("a PDF file"),
                [0x89, b'P', b'N', b'G', ..] => Some("a PNG picture"),
                _ if bytes.contains(&0) => Some("a binary file"),
                _ => None,
            };
            let line = bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            Err(Cause::NotUtf8 { line, seems })
        }
    }
}

fn notebook(text: &str) -> Result<Document, Cause> {
    let value: Value = serde_json::from_str(text).map_err(|e| {
        let what = e.to_string();
        let what = what.split(" at line ").next().unwrap_or_default().to_string();
        Cause::NotJson { line: e.line(), column: e.column(), what, seems: resembles(text) }
    })?;
    let Value::Object(top) = &value else {
        return Err(Cause::NotNotebook { what: format!("it holds {}, not an object", kind(&value)) });
    };
    let mut document = Document::default();
    if let Some(language) = language(top)
        && !language.to_lowercase().contains("python")
    {
        document.remarks.push(format!("the notebook says its language is {language}; attn runs Python"));
    }
    match top.get("nbformat").and_then(Value::as_u64) {
        Some(3..=5) => {}
        Some(n) => document.remarks.push(format!("notebook format {n} is read as if it were 4")),
        None => document.remarks.push("the notebook does not say its format (nbformat)".to_string()),
    }
    let cells: Vec<&Value> = match (top.get("cells"), top.get("worksheets")) {
        (Some(Value::Array(cells)), _) => cells.iter().collect(),
        (Some(other), _) => {
            return Err(Cause::NotNotebook { what: format!("its `cells` is {}, not a list", kind(other)) });
        }
        (None, Some(Value::Array(sheets))) => {
            sheets.iter().filter_map(|s| s.get("cells")?.as_array()).flatten().collect()
        }
        (None, _) => {
            let keys: Vec<&str> = top.keys().map(String::as_str).take(5).collect();
            let found = if keys.is_empty() { "nothing".to_string() } else { keys.join(", ") };
            return Err(Cause::NotNotebook { what: format!("it has no `cells`; at the top stands {found}") });
        }
    };
    for (position, cell) in cells.into_iter().enumerate() {
        let bad = |what: String| Cause::BadCell { cell: position + 1, what };
        let Value::Object(fields) = cell else {
            return Err(bad(format!("it is {}, not an object", kind(cell))));
        };
        match fields.get("cell_type").and_then(Value::as_str) {
            Some("code") => {}
            Some("markdown" | "heading") => {
                let source = fields.get("source").and_then(lines).unwrap_or_default();
                if document.title.is_empty()
                    && let Some(line) = source.lines().find(|l| l.starts_with('#'))
                {
                    document.title = line.trim_matches(['#', ' ']).to_string();
                }
                continue;
            }
            Some(_) => continue, // raw cells, and whatever a later format brings
            None => return Err(bad("it does not say its `cell_type`".to_string())),
        }
        let source = match fields.get("source").or_else(|| fields.get("input")) {
            None | Some(Value::Null) => String::new(),
            Some(found) => lines(found)
                .ok_or_else(|| bad(format!("its source is {}, not text or lines", kind(found))))?,
        };
        document.cells.push(Cell {
            index: document.cells.len(),
            source,
            recorded: recorded(fields),
            line: 1,
        });
    }
    Ok(document)
}

fn resembles(text: &str) -> Option<&'static str> {
    let start = text.trim_start();
    if text.lines().any(|l| l.starts_with("<<<<<<< ")) {
        Some("It holds the marks of an unfinished merge (<<<<<<<)")
    } else if start.starts_with("version https://git-lfs") {
        Some("It is a Git LFS pointer: fetch the file itself with `git lfs pull`")
    } else if start.starts_with('<') {
        Some("It looks like a web page: download the raw file")
    } else if !start.starts_with(['{', '[']) {
        Some("It looks like plain text: if it is Python, let its name end in .py")
    } else {
        None
    }
}

fn language(top: &Map<String, Value>) -> Option<&str> {
    let metadata = top.get("metadata")?;
    let of = |part: &str, key: &str| metadata.get(part)?.get(key)?.as_str();
    of("kernelspec", "language").or_else(|| of("language_info", "name"))
}

/// Multi-line text: one string, or a list of strings to be joined as they are.
fn lines(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => parts.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn recorded(fields: &Map<String, Value>) -> Option<Recorded> {
    let outputs = fields.get("outputs")?.as_array()?;
    let mut recorded = Recorded::default();
    let mut any = false;
    for output in outputs {
        let text = |key: &str| output.get(key).and_then(lines).unwrap_or_default();
        let plain = || {
            let data = output.get("data").and_then(|d| d.get("text/plain"));
            data.or_else(|| output.get("text")).and_then(lines) // `text` in format 3
        };
        match output.get("output_type").and_then(Value::as_str).unwrap_or_default() {
            "stream" => {
                let name = output.get("name").or_else(|| output.get("stream")).and_then(Value::as_str);
                match name {
                    Some("stderr") => recorded.stderr.push_str(&text("text")),
                    _ => recorded.stdout.push_str(&text("text")),
                }
            }
            "execute_result" | "pyout" => match plain() {
                Some(words) => recorded.result = Some(words),
                None => recorded.pictures += 1,
            },
            "display_data" => match plain() {
                Some(words) => {
                    recorded.stdout.push_str(&words);
                    recorded.stdout.push('\n');
                }
                None => recorded.pictures += 1,
            },
            "error" | "pyerr" => recorded.error = Some((text("ename"), text("evalue"))),
            _ => continue,
        }
        any = true;
    }
    any.then_some(recorded)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
