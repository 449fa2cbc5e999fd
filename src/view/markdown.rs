//! A step, and what a learner answered, as Markdown that other programs render: tables, code, quotations.
//! Panels and answers are given; nothing here is laid out for a terminal.

use crate::tensor::layout::unravel;
use crate::view::figure::Figure;
use crate::view::panel::Panel;

/// Elements up to which a tensor is written out as a table.
const MOST: usize = 144;

/// A question, the answers given to it, and whether each was right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The question, Markdown.
    pub ask: String,
    /// The answers in order.
    pub answers: Vec<(String, bool)>,
}

/// A step that ran: prose, questions with answers, code, output, tables, what it shows.
pub fn step(panel: &Panel, asked: &[Asked]) -> String {
    let mut parts = vec![before(panel)];
    parts.extend(asked.iter().map(question));
    parts.push(fenced("python", &panel.code));
    parts.push(output(panel));
    parts.extend(panel.figures.iter().map(table));
    let checks = panel.checks.iter().map(|check| {
        let mark = if check.holds { "✓" } else { "✗" };
        format!("{mark} {}", inline(&check.text))
    });
    parts.push(checks.collect::<Vec<_>>().join("  \n"));
    parts.push(fenced("text", &panel.worked.join("\n")));
    parts.push(panel.after.trim().to_owned());
    joined(&parts)
}

/// What is read before the cell runs.
pub fn before(panel: &Panel) -> String {
    let mut prose = panel.prose.trim().to_owned();
    while prose.contains("\n\n\n") {
        prose = prose.replace("\n\n\n", "\n\n");
    }
    prose
}

/// Parts with empty lines between them; empty parts leave no trace.
pub fn joined(parts: &[String]) -> String {
    let kept: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    format!("{}\n", kept.join("\n\n"))
}

/// What a cell showed, as one quotation.
pub fn output(panel: &Panel) -> String {
    let error = panel.error.as_ref().map(|note| match note.message.is_empty() {
        true => note.kind.clone(),
        false => format!("{}: {}", note.kind, note.message),
    });
    let shown = [Some(panel.stdout.clone()), panel.result.clone(), error];
    let shown: Vec<String> = shown.into_iter().flatten().map(|part| part.trim_end().to_owned()).collect();
    let shown: Vec<String> = shown.into_iter().filter(|part| !part.is_empty()).collect();
    fenced("text", &shown.join("\n"))
}

/// A question as a quotation, the answers under it.
pub fn question(asked: &Asked) -> String {
    let mut lines = vec![format!("**Before it runs:** {}", asked.ask.trim())];
    for (answer, right) in &asked.answers {
        let standing = if *right { "yes" } else { "not yet" };
        lines.push(format!("- {}: {standing}", inline(answer)));
    }
    if !asked.answers.is_empty() {
        lines.insert(1, String::new());
    }
    let quoted: Vec<String> = lines.iter().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    quoted.join("\n")
}

/// Code or output in a fence that nothing in it closes; nothing for nothing.
pub fn fenced(kind: &str, text: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{kind}\n{}\n{fence}", text.trim_end())
}

/// A tensor: its name, kind and shape, and a table, one for each slice of its last two axes.
pub fn table(figure: &Figure) -> String {
    let head = format!("`{}` {} {}", figure.name.replace('`', "'"), figure.dtype, figure.shape_words());
    let axes = figure.shape.len();
    if axes == 0 || figure.count() == 0 || figure.count() > MOST || figure.texts.len() != figure.count() {
        let value = figure.texts.first().filter(|_| axes == 0);
        return value.map_or(head.clone(), |value| format!("{head}: {}", value.trim()));
    }
    let columns = figure.shape[axes - 1];
    let rows = if axes > 1 { figure.shape[axes - 2] } else { 1 };
    let mut parts = vec![head];
    for slice in 0..figure.count() / (rows * columns) {
        if axes > 2 {
            parts.push(slice_name(figure, slice));
        }
        parts.push(grid(figure, slice * rows * columns, rows, columns));
    }
    joined(&parts).trim_end().to_owned()
}

fn slice_name(figure: &Figure, slice: usize) -> String {
    let index = unravel(slice, &figure.shape[..figure.shape.len() - 2]);
    let name = |(axis, at): (usize, usize)| {
        let name = figure.axis(axis).unwrap_or_else(|| format!("axis {axis}"));
        format!("{name} {}", figure.place(axis, at))
    };
    index.into_iter().enumerate().map(name).collect::<Vec<_>>().join(", ")
}

fn grid(figure: &Figure, start: usize, rows: usize, columns: usize) -> String {
    let axes = figure.shape.len();
    let name = |axis: usize| figure.axis(axis).unwrap_or_default();
    let corner = if axes > 1 { format!("{} \\ {}", name(axes - 2), name(axes - 1)) } else { name(axes - 1) };
    let heads = (0..columns).map(|at| inline(&figure.place(axes - 1, at)));
    let mut lines = vec![
        row(&inline(corner.trim_matches([' ', '\\'])), heads),
        row("---", (0..columns).map(|_| "---:".to_owned())),
    ];
    for at in 0..rows {
        let label = if axes > 1 { inline(&figure.place(axes - 2, at)) } else { String::new() };
        let cells = (0..columns).map(|column| figure.texts[start + at * columns + column].trim().to_owned());
        lines.push(row(&label, cells));
    }
    lines.join("\n")
}

fn row(first: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = [first.to_owned()].into_iter().chain(cells).collect();
    format!("| {} |", cells.join(" | "))
}

/// Words as they are, where Markdown would read signs in them.
pub fn inline(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut before = ' ';
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        // An underscore inside a name emphasises nothing.
        let inside = letter == '_'
            && before.is_alphanumeric()
            && letters.peek().is_some_and(|it| it.is_alphanumeric());
        match letter {
            '_' if inside => out.push(letter),
            '\\' | '*' | '_' | '<' | '[' | '|' | '`' | '#' => out.extend(['\\', letter]),
            '\n' | '\r' => out.push(' '),
            _ => out.push(letter),
        }
        before = letter;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_it() {
        assert_eq!(fenced("text", "a ``` b"), "````text\na ``` b\n````");
        assert_eq!(fenced("text", " \n"), "");
    }

    #[test]
    fn tables_name_rows_and_columns() {
        let figure = Figure {
            name: "attn_weights".to_owned(),
            dtype: "float32".to_owned(),
            shape: vec![2, 2],
            values: vec![0.0; 4],
            texts: ["0.1", "0.9", "0.5", "0.5"].map(str::to_owned).to_vec(),
            axes: vec!["query".to_owned(), "key".to_owned()],
            labels: vec![Some(vec!["a".to_owned(), "b|c".to_owned()]), None],
        };
        let expected = "`attn_weights` float32 (query 2, key 2)\n\n| query \\\\ key | 0 | 1 |\n\
                        | --- | ---: | ---: |\n| a | 0.1 | 0.9 |\n| b\\|c | 0.5 | 0.5 |";
        assert_eq!(table(&figure), expected);
    }
}
