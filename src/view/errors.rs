//! An error in a cell: PyTorch's message, the line of code, the operands, and what may fix it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::explain::errors::{Clash, ClashOperand, ErrorExplanation, Fix};
use crate::view::code;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

#[derive(Clone, Default, PartialEq)]
pub struct ErrorNote {
    /// The exception's type: "RuntimeError".
    pub kind: String,
    /// Its message, as PyTorch words it.
    pub message: String,
    /// Whether Ctrl-C stopped the cell.
    pub interrupted: bool,
    /// The line that raised, from 1.
    pub line: Option<usize>,
    /// The column in that line, from 1, of code that is not Python.
    pub column: Option<usize>,
    /// That line of code.
    pub source: Option<String>,
    /// If a function of an earlier cell raised: that cell, the line and its code.
    pub inside: Option<(String, usize, String)>,
    /// The operands, and what may fix the error.
    pub explanation: ErrorExplanation,
}

/// A caret for the letter at place `at` of a line of code, and the row of the drawn line that it goes under. The spaces at
/// which the line was wrapped are not drawn. `None`: the drawn line has other letters than the code.
fn caret(code: &str, at: usize, drawn: &Text) -> Option<(usize, Line)> {
    const MARGIN: &str = "│ ";
    let letters: Vec<char> = code.chars().collect();
    let mark = |row: usize, column: usize| Some((row, Line::spaces(column).with(Role::Bad, "^")));
    let (mut place, mut end) = (0, 0);
    for (row, line) in drawn.lines.iter().enumerate() {
        let shown = line.text();
        let start = shown.find(MARGIN)? + MARGIN.len();
        let mut column = shown[..start].width();
        for letter in shown[start..].chars() {
            while letter != ' ' && letters.get(place) == Some(&' ') {
                place += 1;
            }
            match letters.get(place) {
                Some(next) if *next == letter => {
                    if place >= at {
                        return mark(row, column);
                    }
                    place += 1;
                }
                // The indentation of a further row.
                _ if letter == ' ' => {}
                _ => return None,
            }
            column += letter.width().unwrap_or(0);
        }
        end = column;
    }
    mark(drawn.lines.len().checked_sub(1)?, end)
}

/// The type of an exception and its message, as PyTorch words it.
pub(super) fn message(kind: &str, message: &str, look: Look) -> Text {
    let mut message = message.lines();
    let first = message.next().unwrap_or_default();
    let mut head = Line::new().with(Role::Bad, kind);
    if !first.is_empty() {
        head.push(Role::Bad, ":");
        head.push(Role::Prose, format!(" {first}"));
    }
    let mut text = wrap(&head, look.width, 0, 2);
    for line in message {
        let indent = line.len() - line.trim_start().len();
        text.append(wrap((Role::Prose, line.trim_start()), look.width, indent, indent + 2));
    }
    text
}

/// The error's message, then the line of code, the operands, and what may fix it.
pub fn error(note: &ErrorNote, look: Look) -> Text {
    let mut text = message(&note.kind, &note.message, look);
    if let Some(source) = &note.source {
        let number = note.line.unwrap_or(1);
        // The indentation may be what an error of syntax is about.
        let code = if note.column.is_some() { source.trim_end() } else { source.trim() };
        match look.plain {
            true => text.say(Role::Prose, format!("line {number}: {code}")),
            false => {
                text.gap();
                let mut drawn = code::code_line(code, number, look);
                let cut = source.trim_end().chars().count() - code.chars().count();
                let caret = note.column.and_then(|at| caret(code, at.saturating_sub(1 + cut), &drawn));
                if let Some((row, caret)) = caret {
                    drawn.lines.insert(row + 1, caret);
                }
                text.append(drawn);
            }
        }
    } else if let Some(number) = note.line {
        text.say(Role::Dim, format!("  in line {number}"));
    }
    if let Some((cell, number, source)) = &note.inside {
        match look.plain {
            true => text.say(Role::Prose, format!("inside, line {number} of {cell}: {}", source.trim())),
            false => {
                text.say(Role::Dim, format!("       inside, in {cell}:"));
                text.append(code::code_line(source.trim(), *number, look));
            }
        }
    }
    let found = &note.explanation;
    let parts = [
        found.clash.as_ref().map_or_else(Text::new, |it| clash(it, look)),
        remarks(&found.remarks, look),
        fixes(&found.fixes, look),
    ];
    // The remarks say where the operands come from: they follow the operation without a gap.
    let together = found.clash.is_some();
    for (at, part) in parts.into_iter().enumerate() {
        if !part.is_empty() {
            let joined = at == 1 && together;
            if !look.plain && !joined {
                text.gap();
            }
            text.append(part);
        }
    }
    text
}

/// The operation, the shapes of its operands side by side, and marks under the axes that do not fit.
fn clash(clash: &Clash, look: Look) -> Text {
    let [left, right] = &clash.operands;
    let (a, first) = axes(left);
    let (b, second) = axes(right);
    let joint = format!(" {} ", clash.between);
    let shapes = format!("{a}{joint}{b}");
    let start = a.chars().count() + joint.chars().count();
    let mut text = indented(&clash.text, Role::Code, look);
    let wide = shapes.chars().count() + 2 <= look.width && !look.plain;
    text.append(indented(&shapes, Role::Prose, look));
    if let (true, Some(first), Some(second)) = (wide, first, second) {
        let mut marks = Line::spaces(2);
        marks.fill(2 + first.0);
        marks.push(Role::Bad, "^".repeat(first.1));
        marks.fill(2 + start + second.0);
        marks.push(Role::Bad, "^".repeat(second.1));
        if marks.width() + 3 + clash.rule.chars().count() <= look.width {
            marks.push(Role::Prose, format!("   {}", clash.rule));
            text.line(marks);
        } else {
            text.line(marks);
            text.append(indented(&clash.rule, Role::Prose, look));
        }
    } else if !clash.rule.is_empty() {
        text.append(indented(&clash.rule, Role::Prose, look));
    }
    text
}

/// `(query 6, d_out 2)`, and the column and width of the axis that does not fit.
fn axes(operand: &ClashOperand) -> (String, Option<(usize, usize)>) {
    let mut text = "(".to_owned();
    let mut mark = None;
    for (at, size) in operand.shape.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        let entry = match operand.axes.get(at) {
            Some(axis) => format!("{axis} {size}"),
            None => size.to_string(),
        };
        if operand.clash == Some(at) {
            mark = Some((text.chars().count(), entry.chars().count()));
        }
        text.push_str(&entry);
    }
    text.push_str(if operand.shape.len() == 1 && operand.axes.is_empty() { ",)" } else { ")" });
    (text, mark)
}

fn remarks(remarks: &[String], look: Look) -> Text {
    let mut text = Text::new();
    for remark in remarks {
        let shift = if look.plain { 0 } else { 2 };
        text.append(wrap((Role::Prose, remark), look.text_width(), shift, shift));
    }
    text
}

/// The suggested changes: the code, the shapes that result, and the reason, side by side if they fit.
fn fixes(fixes: &[Fix], look: Look) -> Text {
    const MEAN: &str = "You may mean  ";
    let mut text = Text::new();
    for (at, fix) in fixes.iter().enumerate() {
        let narrow = look.plain || look.width < 60;
        let lead = match (at, look.plain) {
            (_, true) => MEAN.trim_end().to_owned() + ": ",
            (0, false) => format!("  {MEAN}"),
            (_, false) => format!("  {:>1$}", "or  ", MEAN.len()),
        };
        let below = if narrow { 4 } else { lead.len() };
        let first = Line::new().with(Role::Prose, lead);
        let rest = Line::spaces(below);
        let mut line = Line::new().with(Role::Good, &fix.code);
        let parts = [(&fix.shapes, Role::Prose), (&fix.reason, Role::Prose)];
        let mut under: Vec<Line> = Vec::new();
        for (part, role) in parts.into_iter().filter(|(part, _)| !part.is_empty()) {
            let fits = first.width() + line.width() + 3 + part.chars().count() <= look.width;
            match (look.plain, under.last_mut()) {
                (true, _) => line.push(role, format!(", {part}")),
                (false, None) if fits => line.push(role, format!("   {part}")),
                _ => under.push(Line::new().with(role, part)),
            }
        }
        text.append(wrap(&line, look.width, &first, &rest));
        for line in under {
            text.append(wrap(&line, look.width, &rest, &rest));
        }
    }
    text
}

/// A line of the explanation, indented.
fn indented(line: &str, role: Role, look: Look) -> Text {
    let indent = if look.plain { 0 } else { 2 };
    wrap((role, line), look.width, indent, indent + 2)
}
