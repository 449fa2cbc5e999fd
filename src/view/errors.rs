//! An error in a cell: what PyTorch says, where, and what the learner can do.
//! Room: view. The facts and the mend are worked out elsewhere.

use crate::view::code;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::{Fit, wrap};

/// An error as it is to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorNote {
    /// The exception's type: "RuntimeError".
    pub kind: String,
    /// Its message, as PyTorch words it.
    pub message: String,
    /// The line of the cell that raised, from 1.
    pub line: Option<usize>,
    /// That line of code.
    pub source: Option<String>,
    /// What was there: operands with their names and shapes, the axes that clash, where they came from.
    /// Kept as they are, so that they can be lined up.
    pub notes: Vec<String>,
    /// What is likely meant, in one or more lines.
    pub mend: Vec<String>,
}

/// The error's own text first, then the line of code, then notes, then the mend.
pub fn error(note: &ErrorNote, look: Look) -> Text {
    let mut text = Text::new();
    let mut said = note.message.lines();
    let first = said.next().unwrap_or_default();
    let mut head = Line::new().with(Role::Bad, &note.kind);
    if !first.is_empty() {
        head.push(Role::Bad, ":");
        head.push(Role::Prose, format!(" {first}"));
    }
    let none = Line::new();
    let shift = Line::new().with(Role::Prose, "  ");
    text.append(wrap(&head, look.width, &none, &shift, Fit::First));
    for line in said {
        text.append(kept(line, look));
    }
    if let Some(source) = &note.source {
        let number = note.line.unwrap_or(1);
        match look.plain {
            true => text.say(Role::Prose, format!("line {number}: {}", source.trim())),
            false => {
                text.gap();
                text.append(code::code_line(source.trim(), number, look));
            }
        }
    } else if let Some(number) = note.line {
        text.say(Role::Dim, format!("  in line {number}"));
    }
    for (lines, role) in [(&note.notes, Role::Prose), (&note.mend, Role::Good)] {
        if !lines.is_empty() && !look.plain {
            text.gap();
        }
        for (at, line) in lines.iter().enumerate() {
            let above = at.checked_sub(1).map(|above| lines[above].as_str());
            text.append(noted(line, above, role, look));
        }
    }
    text
}

/// A note as it is, two columns in. Marks (`^^^`) that cannot stand under what they mark, because the
/// lines are too long or borders are not wanted, leave their words alone.
fn noted(line: &str, above: Option<&str>, role: Role, look: Look) -> Text {
    if !line.trim_start().starts_with('^') {
        return shifted(if look.plain { line.trim() } else { line }, role, look);
    }
    let fits = |line: &str| Line::new().with(role, line).width() + 2 <= look.width;
    if !look.plain && fits(line) && above.is_none_or(fits) {
        return shifted(line, role, look);
    }
    match line.replace('^', " ").split_whitespace().collect::<Vec<_>>() {
        words if words.is_empty() => Text::new(),
        words => shifted(&words.join(" "), role, look),
    }
}

/// A line kept as it is where it fits; a longer one goes on beneath, further in.
fn kept(line: &str, look: Look) -> Text {
    let indent = line.len() - line.trim_start().len();
    let first = Line::new().with(Role::Prose, " ".repeat(indent));
    let rest = Line::new().with(Role::Prose, " ".repeat(indent + 2));
    let line = Line::new().with(Role::Prose, line.trim_start());
    wrap(&line, look.width, &first, &rest, Fit::First)
}

fn shifted(line: &str, role: Role, look: Look) -> Text {
    let indent = line.len() - line.trim_start().len() + if look.plain { 0 } else { 2 };
    let first = Line::new().with(Role::Prose, " ".repeat(indent));
    let rest = Line::new().with(Role::Prose, " ".repeat(indent + 2));
    let line = Line::new().with(role, line.trim_start());
    wrap(&line, look.width, &first, &rest, Fit::First)
}
