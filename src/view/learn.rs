//! The walkthrough between steps: keys, hints, exercises, the end of a lesson.

use unicode_width::UnicodeWidthStr;

use crate::lesson::states::StopState;
use crate::view::code;
use crate::view::columns::{columns, labelled};
use crate::view::listing::mark;
use crate::view::panel::{LessonPlace, lesson_head};
use crate::view::prose::{prose, prose_line};
use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text, unbroken};
use crate::view::wrap::{remark, wrap};

/// Keys and what they do, in a word or two, on as few lines as possible. No line is full, so that the cursor can stand after the last.
pub fn footer(keys: &[(&str, &str)], look: Look) -> Text {
    let mut line = Line::new();
    for (at, (key, label)) in keys.iter().enumerate() {
        if at > 0 {
            line.push(Role::Prose, "   ");
        }
        line.push(Role::Strong, *key);
        line.push(Role::Dim, format!("{NO_BREAK_SPACE}{}", unbroken(label)));
    }
    wrap(&line, look.text_width().min(look.width.saturating_sub(1)).max(20), 0, 0)
}

/// A command of the walkthrough, for its help.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyHelp {
    /// The key and the words of the command: "p", "back".
    pub keys: Vec<String>,
    /// The first of those words, also where keys are pressed.
    pub word: String,
    pub line: String,
    /// Whether it does something at this point.
    pub here: bool,
}

/// The commands that do something here with their keys, after an introduction (Markdown), and the names of the others.
pub fn help(rows: &[KeyHelp], words: &str, look: Look) -> Text {
    let mut text = prose(words, look);
    text.gap();
    let (here, elsewhere): (Vec<&KeyHelp>, Vec<&KeyHelp>) = rows.iter().partition(|row| row.here);
    let named =
        |row: &KeyHelp| (Line::from((Role::Strong, row.keys.join(", "))), (Role::Prose, &row.line).into());
    text.append(columns(&here.into_iter().map(named).collect::<Vec<(Line, Line)>>(), look));
    if !elsewhere.is_empty() {
        let key = |row: &&KeyHelp| format!("{}{NO_BREAK_SPACE}{}", row.keys[0], row.word);
        let keys: Vec<String> = elsewhere.iter().map(key).collect();
        text.section(remark(&format!("At other places also: {}.", keys.join(", ")), look));
    }
    text
}

/// The answer that the learner gave.
pub fn answered(answer: &str, look: Look) -> Text {
    wrap((Role::Strong, answer), look.width, (Role::Dim, "> "), 2)
}

/// An exercise before the learner has written anything: its place and title, the task (Markdown), and the code to start from.
pub fn task(place: &LessonPlace, task: &str, starter: &str, look: Look) -> Text {
    let mut text = lesson_head(place, look);
    text.append(prose(task, look));
    text.gap();
    text.append(remark("To start from:", look));
    text.append(code::code(starter, look));
    text
}

/// Hint `number` of `all` (Markdown).
pub fn hint(number: usize, all: usize, words: &str, look: Look) -> Text {
    prose(&format!("**Hint {number} of {all}.** {}", words.trim_start()), look)
}

/// Code under a title.
pub fn labelled_code(words: &str, source: &str, look: Look) -> Text {
    let mut text = Text::new();
    text.say(Role::Title, words);
    text.append(code::code(source, look));
    text
}

/// The summary at the end of a lesson.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// Where it is, with the lesson's title.
    pub place: LessonPlace,
    /// What it was about, Markdown.
    pub summary: String,
    /// The steps that the learner has not seen and the questions that they missed or skipped, Markdown.
    pub left: Vec<(StopState, String)>,
    /// The learner's results: "seen" with "11 of 11 steps".
    pub results: Vec<(String, String)>,
    /// What comes next, Markdown.
    pub next: String,
}

/// The end of a lesson: its summary, what the learner left or missed, their results, what comes next.
pub fn ending(ending: &Ending, look: Look) -> Text {
    let mut text = lesson_head(&ending.place, look);
    text.append(prose(&ending.summary, look));
    text.gap();
    if !ending.left.is_empty() {
        text.append(remark("Still open, each in its step:", look));
    }
    for (state, title) in &ending.left {
        let (sign, role) = mark(*state);
        let mark = match look.plain {
            true => Line::new().with(Role::Prose, format!("{}: ", state.word())),
            false => Line::new().with(role, format!("  {sign} ")),
        };
        let words = prose_line(title, look);
        text.append(wrap(&words, look.text_width(), &mark, if look.plain { 0 } else { 4 }));
    }
    text.section(results(&ending.results, look));
    text.section(prose(&ending.next, look));
    text
}

/// Names and results in two columns.
pub(crate) fn results(results: &[(String, String)], look: Look) -> Text {
    let column = results.iter().map(|(name, _)| name.width()).max().unwrap_or(0) + 3;
    let mut text = Text::new();
    for (name, result) in results {
        let column = if look.width < 60 { name.width() + 2 } else { column };
        text.append(labelled(name, Role::Dim, (Role::Strong, result), column, look));
    }
    text
}
