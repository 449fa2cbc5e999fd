//! A question before a cell runs, and what an answer is met with.
//! Whether an answer is right is judged elsewhere, by meaning.

use crate::view::prose::{prose, prose_line};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// How an answer or an exercise stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Right.
    Right,
    /// Not yet right.
    NotYet,
    /// Passed over: the answer is shown.
    Shown,
}

/// The question, and its choices with letters if there are any.
pub fn question(question: &str, choices: &[String], look: Look) -> Text {
    let mut line = Line::new();
    line.push(Role::Title, "Before it runs: ");
    let mut asked = prose(question, look);
    let mut text = Text::new();
    if let Some(first) = asked.lines.first()
        && first.width() + line.width() <= look.text_width()
        && asked.lines.len() == 1
    {
        line.join(asked.lines.remove(0));
        text.line(line);
    } else {
        text.line(line);
        text.append(asked);
    }
    for (at, choice) in choices.iter().enumerate() {
        let letter = char::from(b'a' + (at % 26) as u8);
        let first = Line::new().with(Role::Label, format!("  {letter}) "));
        let rest = Line::spaces(5);
        // A choice is one paragraph of Markdown.
        let choice = prose_line(choice, look);
        let width = look.text_width();
        text.append(wrap(&choice, width, &first, &rest));
    }
    text
}

/// The answer to an answer: how it stands, and why (Markdown).
pub fn reply(standing: Standing, because: &str, look: Look) -> Text {
    let (words, role) = match standing {
        Standing::Right => ("Yes", Role::Good),
        Standing::NotYet => ("Not yet", Role::Bad),
        Standing::Shown => ("The answer", Role::Strong),
    };
    let stop = match (standing, because.trim().is_empty()) {
        (_, true) | (Standing::NotYet, _) => ".",
        _ => ":",
    };
    // Words to a right answer may open with the "Yes" themselves.
    let (stop, because) =
        match because.trim_start().strip_prefix(words).and_then(|rest| rest.split_at_checked(1)) {
            Some((own, rest)) if [".", ":", ","].contains(&own) => (own, rest),
            _ => (stop, because),
        };
    let mut head = Line::new().with(role, format!("{words}{stop}"));
    let mut text = Text::new();
    if because.trim().is_empty() {
        text.line(head);
        return text;
    }
    // The words open the first paragraph, so that it wraps as one.
    let marker = format!("{words}{stop} {}", because.trim_start());
    let mut drawn = prose(&marker, look);
    if let Some(first) = drawn.lines.first_mut() {
        let said = head.text();
        if first.text().starts_with(&said) {
            let mut skip = said.len();
            for span in &first.spans {
                let cut = skip.min(span.text.len());
                skip -= cut;
                head.push(span.role, &span.text[cut..]);
            }
            *first = head;
        }
    }
    text.append(drawn);
    text
}
