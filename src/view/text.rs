//! Styled text as a value: lines of spans, each with a role, and the one renderer that turns roles into escape codes.
//! Source: styles from `colored`, widths from `unicode-width`.

use std::borrow::Cow;

use colored::{ColoredString, Colorize};
use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

/// Marks a space at which no line is broken; it is shown as an ordinary space. A private-use character, so that
/// a no-break space (U+00A0) in a learner's text stays what it is.
pub(crate) const NO_BREAK_SPACE: char = '\u{E000}';

/// How text is shown: the width of the screen, and which means of display may be used.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Columns of the screen.
    pub width: usize,
    /// Whether escape codes may be used.
    pub colour: bool,
    /// No borders, no colour, one fact a line: for screen readers and for `diff`.
    pub plain: bool,
}

impl Look {
    /// Columns of running text: the screen's, but at most 88, because longer lines are hard to read.
    pub(crate) fn text_width(&self) -> usize {
        self.width.min(88)
    }

    /// Whether escape codes are written: never when plain.
    pub(crate) fn coloured(&self) -> bool {
        self.colour && !self.plain
    }
}

/// What a span is. The renderer decides what each role looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// A heading, the name of a lesson.
    Title,
    /// Running text.
    Prose,
    /// `*emphasised*` text.
    Emphasis,
    /// `**strong**` text.
    Strong,
    Link,
    /// A glossary term where it is explained.
    Defined,
    /// Code within a sentence.
    CodeInline,
    /// Python code that has no role below.
    Code,
    Keyword,
    Str,
    Comment,
    NumberLit,
    /// The name that a `def` or `class` binds, and names of tensors in summaries.
    Name,
    /// What a cell printed.
    Output,
    /// A number in a table that is not shaded.
    Number,
    /// A passed check, a right answer.
    Good,
    /// A failed check, an error.
    Bad,
    /// The part of an output that differs from the recorded one.
    Differs,
    /// Secondary text: position, rules, gutters, remarks.
    Dim,
    /// A token or an axis in a table.
    Label,
    /// A value, shaded by its place between the least (0) and the greatest (1).
    Heat(f32),
    /// What belongs to the token of this number: each token has its colour.
    Token(usize),
}

/// Colours of [`Role::Heat`], cold to hot. Each has about the same contrast with black and with white, so that
/// a number in it can be read on a dark and on a light terminal.
const HEAT: [u8; 8] = [245, 67, 68, 32, 37, 136, 172, 202];

/// Colours of [`Role::Token`], as different as is possible with contrast to both backgrounds.
const TOKENS: [u8; 8] = [32, 166, 71, 133, 37, 136, 167, 245];

/// The step, 0 to 7, of a level between 0 and 1.
pub(crate) fn heat_step(level: f32) -> usize {
    (level.clamp(0.0, 1.0) * 7.0).round() as usize
}

impl Role {
    /// `text` in the style of the role; text in the terminal's own colour has none.
    fn style(self, text: &str) -> ColoredString {
        match self {
            Role::Prose | Role::Output | Role::Code | Role::Number | Role::Label => text.normal(),
            Role::Title | Role::Strong | Role::Name => text.bold(),
            Role::Emphasis => text.italic(),
            Role::Link => text.underline(),
            Role::Defined => text.bold().underline(),
            Role::CodeInline => text.cyan(),
            Role::Keyword => text.magenta(),
            Role::Str | Role::Good => text.green(),
            Role::NumberLit => text.ansi_color(136),
            Role::Comment => text.dimmed().italic(),
            Role::Dim => text.dimmed(),
            Role::Bad => text.red().bold(),
            Role::Differs => text.red().bold().underline(),
            Role::Token(token) => text.ansi_color(TOKENS[token % TOKENS.len()]),
            Role::Heat(level) => text.ansi_color(HEAT[heat_step(level)]),
        }
    }
}

/// Text of one role.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) role: Role,
    /// The characters, without line breaks.
    pub(crate) text: String,
}

impl Span {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Span {
        Span { role, text: text.into() }
    }

    /// Columns that the span takes.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }
}

/// One line: spans side by side.
#[derive(Clone, Default, PartialEq)]
pub struct Line {
    /// From left to right.
    pub(crate) spans: Vec<Span>,
}

impl Line {
    pub(crate) fn new() -> Line {
        Line::default()
    }

    /// A line of `columns` spaces.
    pub(crate) fn spaces(columns: usize) -> Line {
        Line::new().with(Role::Prose, " ".repeat(columns))
    }

    /// The line with `text` appended in `role`.
    pub(crate) fn with(mut self, role: Role, text: impl Into<String>) -> Line {
        self.push(role, text);
        self
    }

    /// Appends `text` in `role`.
    pub(crate) fn push(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        match self.spans.last_mut() {
            Some(last) if last.role == role => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => self.spans.push(Span { role, text }),
        }
    }

    /// Appends the spans of `other`.
    pub(crate) fn join(&mut self, other: Line) {
        for span in other.spans {
            self.push(span.role, span.text);
        }
    }

    /// The line with ordinary spaces for each [`NO_BREAK_SPACE`]: for a line that is not wrapped.
    pub(crate) fn with_plain_spaces(self) -> Line {
        let mut line = Line::new();
        for span in self.spans {
            line.push(span.role, span.text.replace(NO_BREAK_SPACE, " "));
        }
        line
    }

    /// Appends spaces until the line is `width` columns wide.
    pub(crate) fn fill(&mut self, width: usize) {
        let missing = width.saturating_sub(self.width());
        self.push(Role::Prose, " ".repeat(missing));
    }

    /// The line with `right` at its other end; `None` if both do not fit into `width` columns.
    pub(crate) fn ending_in(&self, right: Line, width: usize) -> Option<Line> {
        let fits = self.width() + 2 + right.width() <= width;
        fits.then(|| {
            let mut line = self.clone();
            line.fill(width - right.width());
            line.join(right.with_plain_spaces());
            line
        })
    }

    /// Columns that the line takes.
    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }

    /// The characters without their roles.
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|s| s.text.as_str()).collect()
    }
}

impl From<&Line> for Line {
    fn from(line: &Line) -> Line {
        line.clone()
    }
}

impl From<usize> for Line {
    fn from(columns: usize) -> Line {
        Line::spaces(columns)
    }
}

/// A line of one role.
impl<T: Into<String>> From<(Role, T)> for Line {
    fn from((role, text): (Role, T)) -> Line {
        Line::new().with(role, text)
    }
}

/// Lines of styled text.
#[derive(Clone, Default, PartialEq)]
pub struct Text {
    /// From top to bottom.
    pub lines: Vec<Line>,
}

impl Text {
    pub fn new() -> Text {
        Text::default()
    }

    /// A line for each line of `text`, all in `role`.
    pub(crate) fn of(role: Role, text: &str) -> Text {
        let lines = text.lines().map(|l| Line::new().with(role, l)).collect();
        Text { lines }
    }

    /// Whether there are no lines.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn line(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Appends a line of one role.
    pub(crate) fn say(&mut self, role: Role, text: impl Into<String>) {
        self.line(Line::new().with(role, text));
    }

    /// Appends an empty line, unless the text is empty or ends in one.
    pub(crate) fn gap(&mut self) {
        if self.lines.last().is_some_and(|l| !l.spans.is_empty()) {
            self.lines.push(Line::new());
        }
    }

    /// Appends the lines of `other`.
    pub fn append(&mut self, other: Text) {
        self.lines.extend(other.lines);
    }

    /// Appends an empty line and the lines of `other`; nothing if `other` is empty.
    pub fn section(&mut self, other: Text) {
        if !other.is_empty() {
            self.gap();
            self.append(other);
        }
    }

    /// The text with `columns` spaces before each line; empty lines stay empty.
    pub(crate) fn indented(self, columns: usize) -> Text {
        let shift = |line: Line| match line.spans.is_empty() {
            true => line,
            false => {
                let mut moved = Line::spaces(columns);
                moved.join(line);
                moved
            }
        };
        Text { lines: self.lines.into_iter().map(shift).collect() }
    }

    /// Columns of the widest line.
    pub fn width(&self) -> usize {
        self.lines.iter().map(Line::width).max().unwrap_or(0)
    }

    /// Texts side by side, with `gap` columns between them.
    pub(crate) fn beside(texts: &[Text], gap: usize) -> Text {
        let height = texts.iter().map(|t| t.lines.len()).max().unwrap_or(0);
        let mut all = Text::new();
        for row in 0..height {
            let mut line = Line::new();
            let mut column = 0;
            for text in texts {
                line.fill(column);
                if let Some(part) = text.lines.get(row) {
                    line.join(part.clone());
                }
                column += text.width() + gap;
            }
            all.line(line);
        }
        all
    }

    /// Texts side by side in as few rows as the width allows, with `gap` columns between them. All take the width
    /// of the widest.
    pub(crate) fn in_rows(texts: &[Text], gap: usize, look: Look) -> Text {
        let widest = texts.iter().map(Text::width).max().unwrap_or(0);
        let abreast = ((look.width + gap) / (widest + gap)).max(1);
        let mut text = Text::new();
        for row in texts.chunks(abreast) {
            text.section(Text::beside(row, gap));
        }
        text
    }

    /// The characters of the text, a newline after each line; escape codes only where `look` allows them.
    /// Spaces at the ends of lines are dropped.
    pub fn render(&self, look: Look) -> String {
        if look.coloured() {
            // `colored` decides for the whole process whether its strings have colours, by the environment if
            // nothing else is set. Here it always writes them: it is called only where `look` asks for colours.
            colored::control::set_override(true);
        }
        let mut out = String::new();
        for line in &self.lines {
            let mut rest = line.text().trim_end().len();
            for span in &line.spans {
                let text = &span.text[..rest.min(span.text.len())];
                rest -= text.len();
                let text = escape_controls(text, &[]);
                match look.coloured() && !text.trim().is_empty() {
                    true => out.push_str(&span.role.style(&text).to_string()),
                    false => out.push_str(&text),
                }
            }
            out.push('\n');
        }
        out
    }

    /// The characters alone, without colour.
    pub fn characters(&self) -> String {
        self.render(Look { width: 80, colour: false, plain: true })
    }
}

/// Whether a terminal obeys a character instead of showing it: control characters, and those that change the direction
/// of the text after them, so that it reads differently from what it is.
pub(crate) fn commands_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` with control characters written as `\n`, `\u{1b}` and the like, except those in `keep`: text from notebooks
/// and cells cannot send commands to the terminal.
pub(crate) fn escape_controls<'t>(text: &'t str, keep: &[char]) -> Cow<'t, str> {
    let is_meant = |c: char| (commands_terminal(c) || c == NO_BREAK_SPACE) && !keep.contains(&c);
    escaped(text, is_meant, |c, out| out.extend(c.escape_default()))
}

/// `text` in which `write` writes the characters that are meant.
pub(crate) fn escaped(
    text: &str,
    is_meant: impl Fn(char) -> bool,
    write: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if !text.contains(&is_meant) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_meant(c) { write(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// The sign of good or bad at the start of a line; `words` instead where a screen reader reads it.
pub(crate) fn verdict(is_good: bool, words: &str, look: Look) -> Line {
    match is_good {
        _ if look.plain => Line::new().with(Role::Prose, words),
        true => Line::new().with(Role::Good, "✓ "),
        false => Line::new().with(Role::Bad, "✗ "),
    }
}

/// `text` as one word for wrapping: no line is broken at its spaces.
pub(crate) fn unbroken(text: &str) -> String {
    text.replace(' ', &NO_BREAK_SPACE.to_string())
}
