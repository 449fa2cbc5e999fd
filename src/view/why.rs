//! Where a number comes from, line by line, its value at the right.
//! Room: view. The lines are worked out from the recorded graph elsewhere.

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
