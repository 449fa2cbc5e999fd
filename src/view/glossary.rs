//! The glossary: each term, its other names, what it means, and the step that explains it.

use crate::lesson::Term;
use crate::view::prose::{prose, prose_line};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// The terms, each with the step that explains it (`lesson 1, stepN scores`), after an introduction (Markdown).
pub fn entries(intro: &str, terms: &[(&Term, String)], look: Look) -> Text {
    let mut text = prose(intro, look);
    for (term, met) in terms {
        text.section(one(term, met, look));
    }
    text
}

fn one(term: &Term, met: &str, look: Look) -> Text {
    let shift = if look.plain { 0 } else { 2 };
    let width = look.text_width();
    let mut head = Line::new().with(Role::Title, &term.name);
    if !term.also.is_empty() {
        head.push(Role::Dim, format!("   also {}", term.also.join(", ")));
    }
    let mut text = wrap(&head, width, 0, shift);
    let inner = Look { width: look.width.saturating_sub(shift), ..look };
    text.append(prose(&term.text, inner).indented(shift));
    text.append(wrap((Role::Dim, format!("explained in {met}")), width, shift, shift));
    text
}

/// Markdown as one line of plain text, for JSON.
pub fn plain(markdown: &str) -> String {
    prose_line(markdown, Look { width: 10_000, colour: false, plain: true }).text()
}
