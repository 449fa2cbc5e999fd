//! Cells to the text of a file: a Python script with cell marks, or a Jupyter notebook with its outputs.
//! What [`super::script`] and [`super::notebook`] read.
//! Source: the nbformat description of version 4.5.

use serde_json::{Value, json};

/// A cell that is to be written, with what it showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// What it is called: `step3`, `input 4`.
    pub name: String,
    /// Its code.
    pub source: String,
    /// What it printed.
    pub stdout: String,
    /// Its warnings.
    pub stderr: String,
    /// The text of its last expression.
    pub result: Option<String>,
    /// The type and the text of what it raised.
    pub error: Option<(String, String)>,
}

/// A `.py` file: each cell under a mark that bears its name.
pub fn python(cells: &[Kept]) -> String {
    let cell = |cell: &Kept| format!("# %% {}\n{}\n", cell.name, cell.source.trim_end());
    cells.iter().map(cell).collect::<Vec<_>>().join("\n")
}

/// An `.ipynb` file.
pub fn notebook(cells: &[Kept]) -> String {
    let cells: Vec<Value> = cells.iter().enumerate().map(|(at, cell)| code_cell(at, cell)).collect();
    let document = json!({
        "cells": cells,
        "metadata": {
            "kernelspec": { "display_name": "Python 3", "language": "python", "name": "python3" },
            "language_info": { "name": "python" },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    let text = serde_json::to_string_pretty(&document).expect("strings and numbers become JSON");
    text + "\n"
}

fn code_cell(at: usize, cell: &Kept) -> Value {
    let count = at + 1;
    let mut outputs = Vec::new();
    for (name, text) in [("stdout", &cell.stdout), ("stderr", &cell.stderr)] {
        if !text.is_empty() {
            outputs.push(json!({ "output_type": "stream", "name": name, "text": lines(text) }));
        }
    }
    if let Some(result) = &cell.result {
        outputs.push(json!({
            "output_type": "execute_result",
            "execution_count": count,
            "metadata": {},
            "data": { "text/plain": lines(result) },
        }));
    }
    if let Some((kind, message)) = &cell.error {
        outputs.push(json!({
            "output_type": "error",
            "ename": kind,
            "evalue": message,
            "traceback": [format!("{kind}: {message}")],
        }));
    }
    json!({
        "cell_type": "code",
        "execution_count": count,
        "id": format!("cell-{count}"),
        "metadata": {},
        "outputs": outputs,
        "source": lines(cell.source.trim_end()),
    })
}

/// Text as notebooks keep it: a list of lines, each with its line end.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::notebook::{Document, shown};
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let cells = [
            Kept {
                name: "step3".into(),
                source: "x = 1\nprint(x)".into(),
                stdout: "1\n".into(),
                ..Kept::default()
            },
            Kept { name: "input 1".into(), source: "x".into(), result: Some("1".into()), ..Kept::default() },
            Kept {
                name: "input 2".into(),
                source: "1/0".into(),
                error: Some(("ZeroDivisionError".into(), "division by zero".into())),
                ..Kept::default()
            },
        ];
        for (file, text) in [("a.py", python(&cells)), ("a.ipynb", notebook(&cells))] {
            let read = Document::from_bytes(Path::new(file), text.as_bytes()).expect("it can be read");
            let sources: Vec<&str> = read.cells.iter().map(|cell| cell.source.as_str()).collect();
            assert_eq!(sources, ["x = 1\nprint(x)", "x", "1/0"], "{file}");
        }
        let read =
            Document::from_bytes(Path::new("a.ipynb"), notebook(&cells).as_bytes()).expect("as before");
        let recorded = |at: usize| read.cells[at].recorded.as_ref().map(|it| it.shown()).unwrap_or_default();
        assert_eq!(recorded(0), shown("1\n", None, None));
        assert_eq!(recorded(1), shown("", Some("1"), None));
        assert_eq!(recorded(2), shown("", None, Some(("ZeroDivisionError", "division by zero"))));
    }
}
