//! A step and a learner's answers as Markdown for other programs.

pub use crate::lesson::fenced;
use crate::lesson::notebook::RecordedOutput;
use crate::lesson::progress::GivenAnswer;
use crate::view::figure::Figure;
use crate::view::panel::Panel;
use crate::view::slice;

/// The most elements of a tensor that is written as a table.
const MOST: usize = 144;

/// A question and the learner's answers.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct AnsweredQuestion {
    /// The question, Markdown.
    pub(crate) ask: String,
    /// The answers in order, and whether each was right.
    pub(crate) answers: Vec<GivenAnswer>,
}

/// A step after it ran: prose, questions and answers, code, output, tables, checks, and the text after them.
pub(crate) fn step(panel: &Panel, shown: &RecordedOutput, asked: &[AnsweredQuestion]) -> String {
    let mut parts = vec![before(panel)];
    parts.extend(asked.iter().map(question));
    parts.push(fenced("python", &panel.code));
    parts.push(fenced("text", &shown.shown()));
    parts.extend(panel.figures.iter().map(table));
    let checks = panel.checks.iter().map(|check| {
        let mark = if check.is_true { "✓" } else { "✗" };
        format!("{mark} {}", inline(&check.text))
    });
    parts.push(checks.collect::<Vec<_>>().join("  \n"));
    parts.push(fenced("text", &panel.worked.join("\n")));
    parts.push(panel.after.trim().to_owned());
    joined(&parts)
}

/// The prose before the code.
pub(crate) fn before(panel: &Panel) -> String {
    let mut prose = panel.prose.trim().to_owned();
    while prose.contains("\n\n\n") {
        prose = prose.replace("\n\n\n", "\n\n");
    }
    prose
}

/// The parts that are not empty, with empty lines between them.
pub(crate) fn joined(parts: &[String]) -> String {
    let kept: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    format!("{}\n", kept.join("\n\n"))
}

/// A question and its answers as a quotation.
pub(crate) fn question(asked: &AnsweredQuestion) -> String {
    let mut lines = vec![format!("**Before it runs:** {}", asked.ask.trim())];
    for GivenAnswer { text, right } in &asked.answers {
        let verdict = if *right { "yes" } else { "not yet" };
        lines.push(format!("- {}: {verdict}", inline(text)));
    }
    if !asked.answers.is_empty() {
        lines.insert(1, String::new());
    }
    let quoted: Vec<String> = lines.iter().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    quoted.join("\n")
}

/// A tensor: its name, dtype and shape, and a table for each slice of its last two axes.
pub fn table(figure: &Figure) -> String {
    let head = format!("`{}` {} {}", figure.name.replace('`', "'"), figure.dtype, figure.named_shape());
    let axes = figure.shape.len();
    if axes == 0 || figure.count() == 0 || figure.count() > MOST || figure.texts.len() != figure.count() {
        let value = figure.texts.first().filter(|_| axes == 0);
        return value.map_or(head.clone(), |value| format!("{head}: {}", value.trim()));
    }
    let (rows, columns) = figure.rows_and_columns();
    let mut parts = vec![head];
    for slice in slice::shown(figure).0 {
        if axes > 2 {
            parts.push(slice::name(figure, &slice.index));
        }
        parts.push(grid(figure, slice.start, rows, columns));
    }
    joined(&parts).trim_end().to_owned()
}

fn grid(figure: &Figure, start: usize, rows: usize, columns: usize) -> String {
    let axes = figure.shape.len();
    let name = |axis: usize| figure.axis(axis).unwrap_or_default();
    let corner = if axes > 1 { format!("{} \\ {}", name(axes - 2), name(axes - 1)) } else { name(axes - 1) };
    let heads = (0..columns).map(|at| inline(&figure.position(axes - 1, at)));
    let mut lines = vec![
        row(&inline(corner.trim_matches([' ', '\\'])), heads),
        row("---", (0..columns).map(|_| "---:".to_owned())),
    ];
    for at in 0..rows {
        let label = if axes > 1 { inline(&figure.position(axes - 2, at)) } else { String::new() };
        let cells = (0..columns).map(|column| figure.texts[start + at * columns + column].trim().to_owned());
        lines.push(row(&label, cells));
    }
    lines.join("\n")
}

fn row(first: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = [first.to_owned()].into_iter().chain(cells).collect();
    format!("| {} |", cells.join(" | "))
}

/// Text with the characters escaped that Markdown would interpret.
pub(crate) fn inline(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut before = ' ';
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        // An underscore within a name is not emphasis.
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
