//! Reads Python scripts and Markdown files as notebooks, and writes scripts. Lenient, where [`super::myst`] is strict
//! about lessons.

use super::markdown::{BlockKind, blocks};
use super::notebook::{Notebook, NotebookCell, RecordedOutput, SavedCell, add_prose};

/// A `.py` file: one cell, or one for each `# %%` or `# In[3]:` mark. Text cells (`# %% [markdown]`) are prose.
pub(crate) fn python(text: &str) -> Notebook {
    let mut notebook = Notebook::default();
    let mut cell = NotebookCell { line: 1, ..NotebookCell::default() };
    let mut is_code = true;
    for (at, line) in text.lines().enumerate() {
        let Some(words) = mark(line) else {
            cell.source.push_str(line);
            cell.source.push('\n');
            continue;
        };
        push(&mut notebook, std::mem::take(&mut cell), is_code);
        cell.line = at + 2;
        is_code = !["[markdown]", "[md]", "[raw]"].iter().any(|kind| words.contains(kind));
    }
    push(&mut notebook, cell, is_code);
    notebook
}

/// The words of a cell mark; `None` if the line is not a cell mark.
fn mark(line: &str) -> Option<&str> {
    let comment = line.strip_prefix('#')?.trim_start();
    if let Some(words) = comment.strip_prefix("%%") {
        return Some(words);
    }
    let number = comment.strip_prefix("In[")?.trim_end().strip_suffix("]:")?;
    number.trim().bytes().all(|b| b.is_ascii_digit()).then_some("")
}

/// Adds a cell, unless it is blank; a text cell is prose, each line of it a comment.
fn push(notebook: &mut Notebook, mut cell: NotebookCell, is_code: bool) {
    if cell.source.trim().is_empty() {
        return;
    }
    if !is_code {
        let words = |line: &str| {
            let line = line.strip_prefix('#').unwrap_or(line);
            line.strip_prefix(' ').unwrap_or(line).to_string()
        };
        let lines: Vec<String> = cell.source.lines().map(words).collect();
        add_prose(&mut notebook.ending, lines.join("\n").trim_matches('\n'));
        return;
    }
    cell.prose = std::mem::take(&mut notebook.ending);
    let blank = cell.source.len() - cell.source.trim_start_matches('\n').len();
    cell.line += blank;
    cell.source = cell.source.trim_matches('\n').to_string();
    cell.index = notebook.cells.len();
    notebook.cells.push(cell);
}

/// A `.md` file: its `{code-cell}` fences, or, if it has none, its fences marked as Python. A fence marked
/// `output` or `{output}` right under a cell is that cell's recorded output.
pub(crate) fn markdown(text: &str) -> Notebook {
    let all = blocks(text);
    let is_myst = all
        .iter()
        .any(|b| matches!(&b.kind, BlockKind::Fence { info, .. } if info.starts_with("{code-cell}")));
    let mut notebook = Notebook::default();
    let mut under_cell = false;
    for block in &all {
        match &block.kind {
            BlockKind::FrontMatter(_) => continue,
            BlockKind::Heading(1, words) if notebook.title.is_empty() => notebook.title = words.clone(),
            BlockKind::Fence { info, body } => {
                let word = info.split([' ', ',']).next().expect("a split has a first part").to_lowercase();
                let is_cell = if is_myst {
                    word == "{code-cell}"
                } else {
                    matches!(word.as_str(), "python" | "py" | "python3" | "ipython" | "ipython3" | "{python}")
                };
                if is_cell {
                    let (source, skipped) = without_options(body, is_myst);
                    notebook.cells.push(NotebookCell {
                        index: notebook.cells.len(),
                        prose: std::mem::take(&mut notebook.ending),
                        source: source.trim_end().to_string(),
                        recorded: None,
                        line: block.line + 1 + skipped,
                        tags: tags(body, skipped),
                    });
                } else if under_cell
                    && matches!(word.as_str(), "output" | "{output}")
                    && let Some(cell) = notebook.cells.last_mut()
                {
                    cell.recorded =
                        Some(RecordedOutput { stdout: body.clone(), ..RecordedOutput::default() });
                } else {
                    add_prose(&mut notebook.ending, &text[block.range.clone()]);
                }
                under_cell = is_cell;
                continue;
            }
            _ => {}
        }
        add_prose(&mut notebook.ending, &text[block.range.clone()]);
        under_cell = false;
    }
    notebook
}

/// The tags among the MyST options of a cell, which are its first lines: `:tags: [raises-exception]`.
fn tags(body: &str, options: usize) -> Vec<String> {
    let lines = body.lines().take(options).map(|line| line.trim().trim_start_matches(':'));
    let listed = lines.filter_map(|line| line.strip_prefix("tags:"));
    let words = listed.flat_map(|list| list.split(['[', ']', ',', ' ', '"', '\'']));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The body of a cell without its MyST options (`:key: value` lines, or YAML between `---` lines) and the number of
/// lines left out.
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

/// The text of a `.py` file with these cells, each under a mark with its name.
pub fn write(cells: &[SavedCell]) -> String {
    let cell = |cell: &SavedCell| format!("# %% {}\n{}\n", cell.name, cell.source.trim_end());
    cells.iter().map(cell).collect::<Vec<_>>().join("\n")
}
