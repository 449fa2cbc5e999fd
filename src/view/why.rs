//! Where a number comes from, line by line, its value at the right; and a cell's operations in order.
//! Room: view. The lines are worked out from the recorded graph elsewhere.

use unicode_width::UnicodeWidthStr;

use crate::view::code::highlighted;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::{Fit, wrap};

/// One line of an explanation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyLine {
    /// How far down from the number asked about: 0 is that number itself.
    pub depth: usize,
    /// The formula in names, or with numbers: "= 0.9806 / 4.2034". Kept as it is.
    pub text: String,
    /// The value that the line arrives at, if it names one.
    pub value: Option<String>,
}

/// The explanation: each line in by its depth, values flush at the right.
pub fn why(lines: &[WhyLine], look: Look) -> Text {
    let width = look.measure().min(look.width);
    let mut text = Text::new();
    for line in lines {
        let own = line.text.len() - line.text.trim_start_matches(' ').len();
        let indent = if look.plain { 0 } else { 2 * line.depth + own };
        let first = Line::new().with(Role::Prose, " ".repeat(indent.min(width / 3)));
        let rest = Line::new().with(Role::Prose, " ".repeat((indent + 4).min(width / 3 + 4)));
        let role = if line.depth == 0 && !look.plain { Role::Name } else { Role::Prose };
        let words = Line::new().with(role, line.text.trim_start_matches(' '));
        let mut part = wrap(&words, width, &first, &rest, Fit::First);
        if let (Some(value), Some(last)) = (&line.value, part.lines.last_mut()) {
            let value = Line::new().with(Role::Dim, "= ").with(Role::Strong, value);
            if look.plain {
                last.push(Role::Prose, " ");
                last.join(value);
            } else if last.width() + 2 + value.width() <= width {
                last.fill(width - value.width());
                last.join(value);
            } else {
                let mut under = Line::new();
                under.fill(width.saturating_sub(value.width()));
                under.join(value);
                part.line(under);
            }
        }
        text.append(part);
    }
    text
}

/// One operation of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operation {
    /// The line of the cell that ran it.
    pub line: Option<usize>,
    /// What it was, operands by name: "attn_scores = inputs @ inputs.T".
    pub text: String,
    /// Its shapes as algebra: "(6,3) @ (3,6) -> (6,6)".
    pub shapes: String,
    /// Its result in short, or nothing.
    pub result: String,
}

/// The operations in the order in which they ran: line, operation, shapes, result.
pub fn trace(operations: &[Operation], look: Look) -> Text {
    let number = |o: &Operation| o.line.map(|l| l.to_string()).unwrap_or_default();
    let numbers = operations.iter().map(|o| number(o).width()).max().unwrap_or(0);
    let texts = operations.iter().map(|o| o.text.width()).max().unwrap_or(0);
    let shapes = operations.iter().map(|o| o.shapes.width()).max().unwrap_or(0);
    let results = operations.iter().map(|o| o.result.width()).max().unwrap_or(0);
    let aligned = numbers + 3 + texts + 3 + shapes + 3 + results <= look.width;
    let mut text = Text::new();
    for operation in operations {
        if look.plain {
            let at = operation.line.map(|l| format!("line {l}: ")).unwrap_or_default();
            let parts = [&operation.text, &operation.shapes, &operation.result];
            let parts: Vec<&str> = parts.into_iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
            let line = Line::new().with(Role::Prose, format!("{at}{}", parts.join(", ")));
            let shift = Line::new().with(Role::Prose, "  ");
            text.append(wrap(&line, look.width, &Line::new(), &shift, Fit::First));
            continue;
        }
        let gutter = Line::new().with(Role::Dim, format!("{:>numbers$} │ ", number(operation)));
        let below = Line::new().with(Role::Dim, format!("{:>numbers$} │   ", ""));
        let code = highlighted(&operation.text).into_iter().next().unwrap_or_default();
        if aligned {
            let mut line = gutter;
            line.join(code.unglued());
            line.fill(numbers + 3 + texts + 3);
            line.push(Role::Dim, &operation.shapes);
            if !operation.result.is_empty() {
                line.fill(numbers + 3 + texts + 3 + shapes + 3);
                line.push(Role::Number, &operation.result);
            }
            text.line(line);
            continue;
        }
        text.append(wrap(&code, look.width, &gutter, &below, Fit::First));
        for (part, role) in [(&operation.shapes, Role::Dim), (&operation.result, Role::Number)] {
            if !part.is_empty() {
                let part = Line::new().with(role, part);
                text.append(wrap(&part, look.width, &below, &below, Fit::First));
            }
        }
    }
    text
}
