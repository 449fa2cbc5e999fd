//! A question before a cell runs, and the reply to an answer.

use crate::view::prose::{prose, prose_line};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::{part_of, wrap};

/// The verdict on an answer or an exercise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AnswerVerdict {
    Right,
    NotYet,
    /// Skipped: the answer is shown.
    Shown,
    /// The answer to an open question, beside the learner's.
    Compare,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// The cell that runs next.
    Prediction,
    /// An earlier lesson.
    Review,
    /// Code that the cell hides.
    Blank,
    /// A sentence in one's own words.
    Open,
}

/// The question, and its choices with their letters.
pub fn question(question: &str, choices: &[String], kind: QuestionKind, look: Look) -> Text {
    let mut line = Line::new();
    line.push(
        Role::Title,
        match kind {
            QuestionKind::Prediction => "Before it runs: ",
            QuestionKind::Review => "Do you remember? ",
            QuestionKind::Blank => "Write what is missing: ",
            QuestionKind::Open => "In your own words: ",
        },
    );
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
        // A choice is one paragraph of Markdown.
        let choice = prose_line(choice, look);
        let width = look.text_width();
        text.append(wrap(&choice, width, &first, 5));
    }
    text
}

/// The reply to an answer: the verdict and the reason (Markdown).
pub fn reply(standing: AnswerVerdict, because: &str, look: Look) -> Text {
    let (words, role) = match standing {
        AnswerVerdict::Right => ("Yes", Role::Good),
        AnswerVerdict::NotYet => ("Not yet", Role::Bad),
        AnswerVerdict::Shown => ("The answer", Role::Strong),
        AnswerVerdict::Compare => ("Compare", Role::Good),
    };
    let stop = match (standing, because.trim().is_empty()) {
        (_, true) => ".",
        // What begins in lower case goes on after a colon.
        (AnswerVerdict::NotYet, _) if !because.trim_start().starts_with(char::is_lowercase) => ".",
        _ => ":",
    };
    // The reason may begin with the "Yes" itself.
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
    // The verdict begins the first paragraph of the reason, so that both are wrapped together.
    let paragraph = format!("{words}{stop} {}", because.trim_start());
    let mut drawn = prose(&paragraph, look);
    if let Some(first) = drawn.lines.first_mut() {
        let verdict = head.text();
        if first.text().starts_with(&verdict) {
            head.join(part_of(&first.spans, verdict.len(), usize::MAX));
            *first = head;
        }
    }
    text.append(drawn);
    text
}
