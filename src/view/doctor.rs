//! The doctor's findings: the mistake, the line, what was observed, why it matters, and a fix.

use crate::explain::doctor::Finding;
use crate::view::code;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// A finding and its code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CodeFinding {
    /// The finding.
    pub(crate) finding: Finding,
    /// The line of code.
    pub(crate) code: Option<String>,
    /// The cell that ran it, if another cell has the line.
    pub(crate) run_by: Option<String>,
}

/// One finding.
pub(crate) fn found(found: &CodeFinding, look: Look) -> Text {
    let CodeFinding { finding, code, run_by } = found;
    let mut text = Text::new();
    let cell = finding.cell.as_deref().unwrap_or("");
    let mut place = match finding.line {
        Some(line) => format!("{cell}, line {line}"),
        None => cell.to_owned(),
    };
    if let Some(function) = &finding.function {
        place.push_str(&format!(", in {function}"));
    }
    if let Some(cell) = run_by {
        place.push_str(&format!(", run by {cell}"));
    }
    if look.plain {
        text.say(Role::Prose, format!("Found: {} ({})", finding.title, finding.mistake));
        let code = code.as_deref().map(|code| format!(": {}", code.trim())).unwrap_or_default();
        text.say(Role::Prose, format!("Where: {place}{code}"));
        text.say(Role::Prose, format!("Seen: {}", finding.observed));
        text.say(Role::Prose, format!("Why it matters: {}", finding.why));
        text.say(Role::Prose, format!("Fix: {}", finding.fix));
        return text;
    }
    let shift = Line::spaces(2);
    let head = Line::new().with(Role::Strong, finding.title);
    text.append(wrap(&head, look.width, &Line::new().with(Role::Bad, "✗ "), &shift));
    text.append(wrap(&Line::new().with(Role::Dim, place), look.width, &shift, &shift));
    if let Some(code) = code {
        text.append(code::code_line(code.trim(), finding.line.unwrap_or(1), look));
    }
    text.gap();
    let width = look.text_width();
    let said = |words: &str| wrap(&Line::new().with(Role::Prose, words), width, &shift, &shift);
    text.append(said(&finding.observed));
    text.append(wrap(&Line::new().with(Role::Dim, &finding.why), width, &shift, &shift));
    let lead = Line::new().with(Role::Prose, "  Better: ");
    let rest = Line::spaces(4);
    text.append(wrap(&Line::new().with(Role::Good, &finding.fix), width, &lead, &rest));
    text
}

/// How many operations were examined, and how many mistakes were found.
pub(crate) fn summary(operations: usize, cells: usize, found: usize, look: Look) -> Text {
    let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let looked = format!("{} in {}", plural(operations, "operation"), plural(cells, "cell"));
    let mut line = Line::new();
    match found {
        0 => {
            line.push(Role::Good, if look.plain { "" } else { "✓ " });
            line.push(Role::Prose, format!("Nothing found. Looked at {looked}."));
        }
        count => line.push(Role::Prose, format!("{} found. Looked at {looked}.", plural(count, "mistake"))),
    }
    wrap(&line, look.width, &Line::new(), &Line::new())
}
