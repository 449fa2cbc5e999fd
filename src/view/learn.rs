//! What the walkthrough says between steps: keys, hints, exercises, the end of a lesson and of the chapter.
//! What was done and what can be done is given.

use unicode_width::UnicodeWidthStr;

use crate::view::code;
use crate::view::panel::head;
use crate::view::prose::{prose, prose_line};
use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text, unbroken};
use crate::view::wrap::{paragraph, wrap};

/// A key that does something, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legend {
    /// As it is pressed: "Enter", "p".
    pub key: String,
    /// What it does, in a word or two.
    pub label: String,
}

/// The keys in as few lines as they take; none is full, so that a cursor can stand behind the last.
pub fn footer(keys: &[Legend], look: Look) -> Text {
    let mut line = Line::new();
    for (at, Legend { key, label }) in keys.iter().enumerate() {
        if at > 0 {
            line.push(Role::Prose, "   ");
        }
        line.push(Role::Strong, key);
        line.push(Role::Dim, format!("{NO_BREAK_SPACE}{}", unbroken(&label)));
    }
    wrap(&line, look.width.saturating_sub(1).max(20), &Line::new(), &Line::new())
}

/// One thing that can be done, for the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Means {
    /// The key, and the words that do the same: "p", "back".
    pub keys: Vec<String>,
    /// What it does.
    pub line: String,
    /// Whether it does something at this place.
    pub here: bool,
}

/// All keys, each with its words and what it does.
pub fn help(rows: &[Means], words: &str, look: Look) -> Text {
    let mut text = prose(words, look);
    text.gap();
    let named = |row: &Means| row.keys.join(", ");
    let column = 4 + rows.iter().map(|row| named(row).width()).max().unwrap_or(0);
    let narrow = look.width < 60;
    for row in rows {
        let not_here = if row.here { "" } else { " (not here)" };
        if look.plain {
            text.say(Role::Prose, format!("{}: {}{not_here}", named(row), row.line));
            continue;
        }
        let mut first = Line::spaces(2).with(Role::Strong, named(row));
        if narrow {
            text.line(std::mem::take(&mut first));
        }
        first.fill(if narrow { 4 } else { column });
        let below = Line::spaces(if narrow { 4 } else { column });
        let role = if row.here { Role::Prose } else { Role::Dim };
        let words = Line::new().with(role, &row.line).with(Role::Dim, not_here);
        text.append(wrap(&words, look.text_width(), &first, &below));
    }
    text
}

/// A remark of the walkthrough about itself.
pub fn remark(words: &str, look: Look) -> Text {
    let line = Line::new().with(Role::Dim, words);
    paragraph(&line, look)
}

/// An answer as it was given.
pub fn answered(answer: &str, look: Look) -> Text {
    let first = Line::new().with(Role::Dim, "> ");
    let rest = Line::spaces(2);
    wrap(&Line::new().with(Role::Strong, answer), look.width, &first, &rest)
}

/// An exercise before anything was written: where it is, the task, what to start from.
pub struct Task<'t> {
    /// The section as the chapter numbers it.
    pub section: &'t str,
    /// A few words.
    pub title: &'t str,
    /// Its stable name.
    pub slug: &'t str,
    /// How long it takes.
    pub minutes: u32,
    /// The task, Markdown.
    pub task: &'t str,
    /// The code to start from.
    pub starter: &'t str,
}

/// The task.
pub fn task(task: &Task, look: Look) -> Text {
    let title = format!("Exercise: {}", task.title);
    let minutes = format!("about {} min", task.minutes);
    let mut text = head(task.section, &title, &minutes, task.slug, look);
    text.append(prose(task.task, look));
    text.gap();
    text.append(remark("To start from:", look));
    text.append(code::code(task.starter, look));
    text
}

/// A hint: the how manieth of how many, and its words (Markdown).
pub fn hint(number: usize, all: usize, words: &str, look: Look) -> Text {
    prose(&format!("**Hint {number} of {all}.** {}", words.trim_start()), look)
}

/// Code under a few words of its own.
pub fn labelled_code(words: &str, source: &str, look: Look) -> Text {
    let mut text = Text::new();
    text.say(Role::Title, words);
    text.append(code::code(source, look));
    text
}

/// How a lesson went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The section as the chapter numbers it.
    pub section: String,
    /// The lesson's title.
    pub title: String,
    /// What it was about, Markdown.
    pub summary: String,
    /// The headings of its steps, and whether the learner has seen them.
    pub headings: Vec<(String, bool)>,
    /// Figures of the learner: "steps seen" with "11 of 11".
    pub figures: Vec<(String, String)>,
    /// What comes next, Markdown.
    pub next: String,
}

/// The end of a lesson: what was learned, the learner's figures, what comes next.
pub fn ending(ending: &Ending, look: Look) -> Text {
    let mut text = head(&ending.section, &ending.title, "the end of this lesson", "", look);
    text.append(prose(&ending.summary, look));
    text.gap();
    for (heading, seen) in &ending.headings {
        let mark = match (look.plain, seen) {
            (true, true) => Line::new(),
            (true, false) => Line::new().with(Role::Prose, "not seen: "),
            (false, true) => Line::new().with(Role::Good, "  ✓ "),
            (false, false) => Line::new().with(Role::Dim, "  · "),
        };
        let below = Line::spaces(if look.plain { 0 } else { 4 });
        let words = prose_line(heading, look);
        text.append(wrap(&words, look.text_width(), &mark, &below));
    }
    text.section(figures(&ending.figures, look));
    text.section(prose(&ending.next, look));
    text
}

/// Names and figures, lined up.
pub fn figures(figures: &[(String, String)], look: Look) -> Text {
    let column = figures.iter().map(|(name, _)| name.width()).max().unwrap_or(0) + 3;
    let mut text = Text::new();
    for (name, figure) in figures {
        if look.plain {
            text.say(Role::Prose, format!("{name}: {figure}"));
            continue;
        }
        let mut first = Line::new().with(Role::Dim, name);
        let column = if look.width < 60 { first.width() + 2 } else { column };
        first.fill(column);
        let below = Line::new().with(Role::Prose, " ".repeat(column.min(look.width / 3)));
        text.append(wrap(&Line::new().with(Role::Strong, figure), look.width, &first, &below));
    }
    text
}
