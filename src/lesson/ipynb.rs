//! Reads and writes `.ipynb` files.
//! Source: the description of nbformat 4 (and 5, as far as it has its fields).

use std::collections::HashSet;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

use super::notebook::{
    Notebook, NotebookCell, RAISES, RecordedOutput, SavedCell, VARIES, add_prose, own_name,
};
use super::read_error::ReadErrorKind;

/// Reads the text of an `.ipynb` file. Errors: what is wrong with it.
pub(super) fn read(text: &str) -> Result<Notebook, ReadErrorKind> {
    let value: Value = serde_json::from_str(text).map_err(|e| {
        let what = e.to_string();
        let what = what.split(" at line ").next().expect("a split has a first part").to_string();
        ReadErrorKind::Unreadable(format!(
            " is not a notebook: not JSON at line {}, column {} ({what}){}",
            e.line(),
            e.column(),
            resembles(text)
        ))
    })?;
    let none = |what: &str| ReadErrorKind::Unreadable(format!(" is JSON, but not a notebook: {what}"));
    let Value::Object(top) = &value else {
        return Err(none(&format!("it holds {}, not an object", kind(&value))));
    };
    let mut notebook = Notebook::default();
    if let Some(language) = language(top)
        && !language.to_lowercase().contains("python")
    {
        notebook.remarks.push(format!("the notebook says its language is {language}; attn runs Python"));
    }
    match top.get("nbformat").and_then(Value::as_u64) {
        Some(4..=5) => {}
        Some(n) => notebook.remarks.push(format!("notebook format {n} is read as if it were 4")),
        None => notebook.remarks.push("the notebook does not say its format (nbformat)".to_string()),
    }
    let cells = match top.get("cells") {
        Some(Value::Array(cells)) => cells,
        Some(other) => {
            return Err(none(&format!("its `cells` is {}, not a list", kind(other))));
        }
        None if top.contains_key("worksheets") => {
            return Err(none(
                "it is of format 3; `jupyter nbconvert --to notebook` makes it one of format 4",
            ));
        }
        None => {
            let keys: Vec<&str> = top.keys().map(String::as_str).take(5).collect();
            let found = if keys.is_empty() { "nothing".to_string() } else { keys.join(", ") };
            return Err(none(&format!("it has no `cells`; at the top stands {found}")));
        }
    };
    for (position, cell) in cells.iter().enumerate() {
        let bad = |what: String| ReadErrorKind::Unreadable(format!(", cell {}: {what}", position + 1));
        let Value::Object(fields) = cell else {
            return Err(bad(format!("it is {}, not an object", kind(cell))));
        };
        match fields.get("cell_type").and_then(Value::as_str) {
            Some("code") => {}
            Some("markdown") => {
                let source = fields.get("source").and_then(joined).unwrap_or_default();
                if notebook.title.is_empty()
                    && let Some(line) = source.lines().find(|l| l.starts_with('#'))
                {
                    notebook.title = line.trim_matches(['#', ' ']).to_string();
                }
                add_prose(&mut notebook.ending, &source);
                continue;
            }
            Some(_) => continue, // raw cells, and the kinds of later formats
            None => return Err(bad("it does not say its `cell_type`".to_string())),
        }
        let source = match fields.get("source") {
            None | Some(Value::Null) => String::new(),
            Some(found) => joined(found)
                .ok_or_else(|| bad(format!("its source is {}, not text or lines", kind(found))))?,
        };
        notebook.cells.push(NotebookCell {
            index: notebook.cells.len(),
            prose: std::mem::take(&mut notebook.ending),
            source,
            recorded: recorded(fields),
            line: 1,
            tags: tags(fields),
        });
    }
    Ok(notebook)
}

/// A suggestion for a text that is not JSON; empty if there is none.
fn resembles(text: &str) -> &'static str {
    let start = text.trim_start();
    if text.lines().any(|l| l.starts_with("<<<<<<< ")) {
        ". It holds the marks of an unfinished merge (<<<<<<<)"
    } else if start.starts_with("version https://git-lfs") {
        ". It is a Git LFS pointer: fetch the file itself with `git lfs pull`"
    } else if start.starts_with('<') {
        ". It looks like a web page: download the raw file"
    } else if !start.starts_with(['{', '[']) {
        ". It looks like plain text: if it is Python, let its name end in .py"
    } else {
        ""
    }
}

fn language(top: &Map<String, Value>) -> Option<&str> {
    let metadata = top.get("metadata")?;
    let of = |part: &str, key: &str| metadata.get(part)?.get(key)?.as_str();
    of("kernelspec", "language").or_else(|| of("language_info", "name"))
}

/// Text, which is one string or a list of lines.
fn joined(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => parts.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// The tags of a cell.
fn tags(fields: &Map<String, Value>) -> Vec<String> {
    let tags = fields.get("metadata").and_then(|metadata| metadata.get("tags")).and_then(Value::as_array);
    tags.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The recorded output of a code cell; `None` if it has none.
fn recorded(fields: &Map<String, Value>) -> Option<RecordedOutput> {
    let outputs = fields.get("outputs")?.as_array()?;
    let mut recorded = RecordedOutput::default();
    let mut any = false;
    for output in outputs {
        let text = |key: &str| output.get(key).and_then(joined).unwrap_or_default();
        let plain = || output.get("data")?.get("text/plain").and_then(joined);
        match output.get("output_type").and_then(Value::as_str).unwrap_or_default() {
            "stream" => match output.get("name").and_then(Value::as_str) {
                Some("stderr") => recorded.stderr.push_str(&text("text")),
                _ => recorded.stdout.push_str(&text("text")),
            },
            "execute_result" => recorded.result = plain().or(recorded.result),
            "display_data" => recorded.stdout.extend(plain().map(|words| words + "\n")),
            "error" => recorded.error = Some((text("ename"), text("evalue"))),
            _ => continue,
        }
        any = true;
    }
    any.then_some(recorded)
}

/// The type of a JSON value, for messages.
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

/// The text of an `.ipynb` file with another source for one of its code cells. `None`: the cell is not there as it was read.
pub(super) fn with_source(text: &str, cell: usize, old: &str, new: &str) -> Option<String> {
    let mut notebook: Value = serde_json::from_str(text).ok()?;
    let is_code = |it: &&mut Value| it.get("cell_type").is_some_and(|kind| kind == "code");
    let cell = notebook.get_mut("cells")?.as_array_mut()?.iter_mut().filter(is_code).nth(cell)?;
    if cell.get("source").and_then(joined)?.lines().ne(old.lines()) {
        return None;
    }
    cell["source"] = json!(lines(new.trim_end_matches('\n')));
    // As Jupyter writes it, so that nothing else of the file changes.
    let mut file = Vec::new();
    let mut writer = Serializer::with_formatter(&mut file, PrettyFormatter::with_indent(b" "));
    notebook.serialize(&mut writer).ok()?;
    String::from_utf8(file).ok().map(|text| text + "\n")
}

/// The text of an `.ipynb` file with these cells.
pub fn write(cells: &[SavedCell]) -> String {
    let mut writer = IpynbWriter::default();
    for (at, cell) in cells.iter().enumerate() {
        writer.code(&format!("cell-{}", at + 1), &cell.source, &cell.output, [false; 2]);
    }
    writer.finish()
}

/// Writes an `.ipynb` file cell by cell. Source: the description of nbformat 4.5.
#[derive(Default)]
pub(crate) struct IpynbWriter {
    cells: Vec<Value>,
    ids: HashSet<String>,
    /// The number of code cells that ran.
    count: usize,
}

impl IpynbWriter {
    /// Adds a Markdown cell, unless the text is blank.
    pub(crate) fn markdown(&mut self, id: &str, text: &str) {
        if !text.trim().is_empty() {
            let id = self.unique_id(id);
            let source = lines(text.trim());
            self.cells.push(json!({"cell_type": "markdown", "id": id, "metadata": {}, "source": source}));
        }
    }

    /// Adds a code cell with its output; whether it raises and whether its output varies are tags.
    pub(crate) fn code(&mut self, id: &str, source: &str, output: &RecordedOutput, applies: [bool; 2]) {
        self.count += 1;
        let tags =
            [RAISES, VARIES].into_iter().zip(applies).filter_map(|(tag, applies)| applies.then_some(tag));
        let tags: Vec<&str> = tags.collect();
        let metadata = if tags.is_empty() { json!({}) } else { json!({"tags": tags}) };
        self.cell(id, source, json!(self.count), outputs(output, self.count), metadata);
    }

    /// Adds a code cell that has not run.
    pub(crate) fn code_without_output(&mut self, id: &str, source: &str) {
        self.cell(id, source, Value::Null, Vec::new(), json!({}));
    }

    fn cell(&mut self, id: &str, source: &str, count: Value, outputs: Vec<Value>, metadata: Value) {
        let id = self.unique_id(id);
        self.cells.push(json!({
            "cell_type": "code",
            "execution_count": count,
            "id": id,
            "metadata": metadata,
            "outputs": outputs,
            "source": lines(source.trim_end()),
        }));
    }

    /// An id of the letters and the length that nbformat allows, used once.
    fn unique_id(&mut self, wanted: &str) -> String {
        let allowed = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let short: String = wanted.chars().map(allowed).take(56).collect();
        let mut numbered = (1..).map(|n| if n == 1 { short.clone() } else { format!("{short}-{n}") });
        let id = numbered.find(|id| !self.ids.contains(id)).expect("there are more numbers than cells");
        self.ids.insert(id.clone());
        id
    }

    /// The text of the file.
    pub(crate) fn finish(self) -> String {
        let file = json!({
            "cells": self.cells,
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        });
        serde_json::to_string_pretty(&file).expect("strings and numbers become JSON") + "\n"
    }
}

/// An output as nbformat stores it.
fn outputs(output: &RecordedOutput, count: usize) -> Vec<Value> {
    let mut outputs = Vec::new();
    for (name, text) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !text.is_empty() {
            outputs.push(json!({"output_type": "stream", "name": name, "text": lines(text)}));
        }
    }
    if let Some(result) = &output.result {
        outputs.push(json!({
            "output_type": "execute_result",
            "execution_count": count,
            "data": {"text/plain": lines(result)},
            "metadata": {},
        }));
    }
    if let Some((kind, message)) = &output.error {
        let kind = own_name(kind);
        let line = format!("{kind}: {message}");
        outputs.push(json!({
            "output_type": "error",
            "ename": kind,
            "evalue": message,
            "traceback": line.lines().collect::<Vec<_>>(),
        }));
    }
    outputs
}

/// Text as nbformat stores it: a list of lines, each with its line end.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}
