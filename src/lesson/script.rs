//! Python scripts and Markdown files as cells.
//! Text in, a [`Document`] out; lenient, where [`super::myst`] is strict about our own lessons.

use super::markdown::{Kind, blocks};
use super::notebook::{Cell, Document, Recorded};

/// A `.py` file: one cell, or one for each `# %%` or `# In[3]:` mark. Text cells (`# %% [markdown]`) are left out.
pub fn python(text: &str) -> Document {
    let mut document = Document::default();
    let mut cell = Cell { line: 1, ..Cell::default() };
    let mut is_code = true;
    for (at, line) in text.lines().enumerate() {
        let Some(words) = mark(line) else {
            cell.source.push_str(line);
            cell.source.push('\n');
            continue;
        };
        keep(&mut document, std::mem::take(&mut cell), is_code);
        cell.line = at + 2;
        is_code = !["[markdown]", "[md]", "[raw]"].iter().any(|kind| words.contains(kind));
    }
    keep(&mut document, cell, is_code);
    document
}

/// What a cell mark says beyond being one.
fn mark(line: &str) -> Option<&str> {
    let comment = line.strip_prefix('#')?.trim_start();
    if let Some(words) = comment.strip_prefix("%%") {
        return Some(words);
    }
    let number = comment
        .strip_prefix("In[")?
        .strip_suffix("]:")
        .or(comment.strip_prefix("In[")?.trim_end().strip_suffix("]:"))?;
    number.trim().bytes().all(|b| b.is_ascii_digit()).then_some("")
}

fn keep(document: &mut Document, mut cell: Cell, is_code: bool) {
    if !is_code || cell.source.trim().is_empty() {
        return;
    }
    let blank = cell.source.len() - cell.source.trim_start_matches('\n').len();
    cell.line += blank;
    cell.source = cell.source.trim_matches('\n').to_string();
    cell.index = document.cells.len();
    document.cells.push(cell);
}

/// A `.md` file: its `{code-cell}` fences, or, if it has none, its fences marked as Python. A fence marked
/// `output` or `{output}` right under a cell is that cell's recorded output.
pub fn markdown(text: &str) -> Document {
    let all = blocks(text);
    let is_myst =
        all.iter().any(|b| matches!(&b.kind, Kind::Fence { info, .. } if info.starts_with("{code-cell}")));
    let mut document = Document::default();
    let mut under_cell = false;
    for block in &all {
        match &block.kind {
            Kind::Heading(1, words) if document.title.is_empty() => document.title = words.clone(),
            Kind::Fence { info, body } => {
                let word = info.split([' ', ',']).next().unwrap_or_default().to_lowercase();
                let is_cell = if is_myst {
                    word == "{code-cell}"
                } else {
                    matches!(word.as_str(), "python" | "py" | "python3" | "ipython" | "ipython3" | "{python}")
                };
                if is_cell {
                    let (source, skipped) = without_options(body, is_myst);
                    document.cells.push(Cell {
                        index: document.cells.len(),
                        source: source.trim_end().to_string(),
                        recorded: None,
                        line: block.line + 1 + skipped,
                    });
                } else if under_cell
                    && matches!(word.as_str(), "output" | "{output}")
                    && let Some(cell) = document.cells.last_mut()
                {
                    cell.recorded = Some(Recorded { stdout: body.clone(), ..Recorded::default() });
                }
                under_cell = is_cell;
                continue;
            }
            _ => {}
        }
        under_cell = false;
    }
    document
}

/// MyST options stand first: `:key: value` lines, or YAML between `---` lines.
fn without_options(body: &str, is_myst: bool) -> (String, usize) {
    if !is_myst {
        return (body.to_string(), 0);
    }
    let lines: Vec<&str> = body.lines().collect();
    let mut skipped = 0;
    if lines.first() == Some(&"---") {
        skipped = lines.iter().skip(1).position(|l| *l == "---").map_or(0, |at| at + 2);
    } else {
        skipped += lines.iter().take_while(|l| l.starts_with(':')).count();
    }
    skipped += lines[skipped..].iter().take_while(|l| l.trim().is_empty()).count();
    (lines[skipped..].join("\n"), skipped)
}
