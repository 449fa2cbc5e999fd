//! The glossary: each term, its other names, what it means, and the step that explains it.

use crate::view::prose::{prose, prose_line};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

#[derive(Clone, Default, PartialEq, Eq)]
pub struct GlossaryEntry {
    pub name: String,
    /// Its other names.
    pub also: Vec<String>,
    /// What it means (Markdown).
    pub text: String,
    /// The step that explains it: "3.3.1, stepN scores".
    pub met: String,
}

/// All entries, after an introduction (Markdown).
pub fn entries(intro: &str, entries: &[GlossaryEntry], look: Look) -> Text {
    let mut text = prose(intro, look);
    for entry in entries {
        text.section(one(entry, look));
    }
    text
}

fn one(entry: &GlossaryEntry, look: Look) -> Text {
    let shift = if look.plain { 0 } else { 2 };
    let width = look.text_width();
    let mut head = Line::new().with(Role::Title, &entry.name);
    if !entry.also.is_empty() {
        head.push(Role::Dim, format!("   also {}", entry.also.join(", ")));
    }
    let mut text = wrap(&head, width, 0, shift);
    let inner = Look { width: look.width.saturating_sub(shift), ..look };
    text.append(prose(&entry.text, inner).indented(shift));
    text.append(wrap((Role::Dim, format!("explained in {}", entry.met)), width, shift, shift));
    text
}

/// Markdown as one line of plain text, for JSON.
pub fn plain(markdown: &str) -> String {
    prose_line(markdown, Look { width: 10_000, colour: false, plain: true }).text()
}
