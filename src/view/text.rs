//! Styled text as a value: lines of spans tagged by meaning, and the one renderer of it.
//! Knows colours and columns; knows nothing of tensors, lessons or terminals.
//! Source: colours through `colored`'s vocabulary, widths through `unicode-width`.

use std::borrow::Cow;

use colored::{Color, Styles};
use unicode_width::UnicodeWidthStr;

/// How something is to look: the columns there are, and what may be used to fill them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of the screen.
    pub width: usize,
    /// Whether escape codes may be used.
    pub colour: bool,
    /// No borders, no colour, one fact a line: for screen readers and for `diff`.
    pub plain: bool,
}

impl Look {
    /// The widest that running text should become: long lines are hard to read on wide screens.
    pub fn measure(&self) -> usize {
        self.width.clamp(20, 88)
    }

    /// Whether escape codes are really written: never when plain.
    pub fn coloured(&self) -> bool {
        self.colour && !self.plain
    }
}

/// What a span means. The renderer alone decides what a meaning looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// A heading, the name of a lesson.
    Title,
    /// Running text.
    Prose,
    /// `*so*`.
    Emphasis,
    /// `**so**`.
    Strong,
    /// The text of a link.
    Link,
    /// A word of the glossary where it is explained.
    Defined,
    /// Code inside a sentence, and code without a role of its own.
    CodeInline,
    /// Python code that is neither of the next.
    Code,
    /// A Python keyword.
    Keyword,
    /// A Python string.
    Str,
    /// A Python comment.
    Comment,
    /// A Python number.
    NumberLit,
    /// The name that a `def` or `class` binds, and names of tensors in summaries.
    Name,
    /// What a cell printed.
    Output,
    /// A number in a table that is not shaded.
    Number,
    /// Something that holds.
    Good,
    /// Something that does not, an error.
    Bad,
    /// The part that differs from what it should be.
    Differs,
    /// The bracket that belongs to the one at the cursor.
    Match,
    /// Position, rules, gutters, remarks.
    Dim,
    /// A token or an axis in a table.
    Label,
    /// A value shaded by where it lies between the least (0) and the greatest (1).
    Heat(f32),
    /// What belongs to the token of this number: one colour a token.
    Token(usize),
}

/// Colours of [`Role::Heat`], cold to hot. Each has about the same distance from black as from
/// white, so that a number in it can be read on a dark and on a light terminal.
const HEAT: [u8; 8] = [245, 67, 68, 32, 37, 136, 172, 202];

/// Colours of [`Role::Token`], as far apart as they can be and still be read on both grounds.
const TOKENS: [u8; 8] = [32, 166, 71, 133, 37, 136, 167, 245];

impl Role {
    /// The parts of the SGR escape: empty for text in the terminal's own colour.
    fn escape(self) -> String {
        let (colour, styles): (Option<Color>, &[Styles]) = match self {
            Role::Prose | Role::Output | Role::Code | Role::Number | Role::Label => (None, &[]),
            Role::Title | Role::Strong | Role::Name => (None, &[Styles::Bold]),
            Role::Emphasis => (None, &[Styles::Italic]),
            Role::Link => (None, &[Styles::Underline]),
            Role::Defined => (None, &[Styles::Bold, Styles::Underline]),
            Role::CodeInline => (Some(Color::Cyan), &[]),
            Role::Keyword => (Some(Color::Magenta), &[]),
            Role::Str | Role::Good => (Some(Color::Green), &[]),
            Role::NumberLit => (Some(Color::AnsiColor(136)), &[]),
            Role::Comment => (None, &[Styles::Dimmed, Styles::Italic]),
            Role::Dim => (None, &[Styles::Dimmed]),
            Role::Match => (None, &[Styles::Reversed]),
            Role::Bad => (Some(Color::Red), &[Styles::Bold]),
            Role::Differs => (Some(Color::Red), &[Styles::Bold, Styles::Underline]),
            Role::Token(token) => (Some(Color::AnsiColor(TOKENS[token % TOKENS.len()])), &[]),
            Role::Heat(level) => {
                let at = (level.clamp(0.0, 1.0) * 7.0).round() as usize;
                (Some(Color::AnsiColor(HEAT[at])), &[])
            }
        };
        let mut parts: Vec<String> = styles.iter().map(|s| sgr(*s).to_string()).collect();
        parts.extend(colour.map(|c| c.to_fg_str().into_owned()));
        parts.join(";")
    }
}

/// The number of a style in an SGR escape (ECMA-48, 8.3.117).
fn sgr(style: Styles) -> u8 {
    match style {
        Styles::Clear => 0,
        Styles::Bold => 1,
        Styles::Dimmed => 2,
        Styles::Italic => 3,
        Styles::Underline => 4,
        Styles::Blink => 5,
        Styles::Reversed => 7,
        Styles::Hidden => 8,
        Styles::Strikethrough => 9,
    }
}

/// Some text of one meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// What it means.
    pub role: Role,
    /// What it says; no line breaks.
    pub text: String,
}

impl Span {
    /// A span of `text` that means `role`.
    pub fn new(role: Role, text: impl Into<String>) -> Span {
        Span { role, text: text.into() }
    }

    /// Columns it takes.
    pub fn width(&self) -> usize {
        self.text.width()
    }
}

/// One line: spans side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// From left to right.
    pub spans: Vec<Span>,
}

impl Line {
    /// An empty line.
    pub fn new() -> Line {
        Line::default()
    }

    /// This line and then `text` meaning `role`.
    pub fn with(mut self, role: Role, text: impl Into<String>) -> Line {
        self.push(role, text);
        self
    }

    /// Adds `text` meaning `role` at the right.
    pub fn push(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        match self.spans.last_mut() {
            Some(last) if last.role == role => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => self.spans.push(Span { role, text }),
        }
    }

    /// Adds the spans of `other` at the right.
    pub fn join(&mut self, other: Line) {
        for span in other.spans {
            self.push(span.role, span.text);
        }
    }

    /// This line with its glue (see [`crate::view::wrap::GLUE`]) turned into the spaces it stands for.
    pub fn unglued(self) -> Line {
        let mut line = Line::new();
        for span in self.spans {
            line.push(span.role, span.text.replace(crate::view::wrap::GLUE, " "));
        }
        line
    }

    /// Adds spaces until the line is `width` columns wide.
    pub fn fill(&mut self, width: usize) {
        let missing = width.saturating_sub(self.width());
        self.push(Role::Prose, " ".repeat(missing));
    }

    /// Columns it takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }

    /// The characters without their meaning.
    pub fn text(&self) -> String {
        self.spans.iter().map(|s| s.text.as_str()).collect()
    }
}

/// Lines of styled text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// From top to bottom.
    pub lines: Vec<Line>,
}

impl Text {
    /// No lines.
    pub fn new() -> Text {
        Text::default()
    }

    /// One line per line of `text`, all meaning `role`.
    pub fn of(role: Role, text: &str) -> Text {
        let lines = text.lines().map(|l| Line::new().with(role, l)).collect();
        Text { lines }
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds one line.
    pub fn line(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds one line of one meaning.
    pub fn say(&mut self, role: Role, text: impl Into<String>) {
        self.line(Line::new().with(role, text));
    }

    /// Adds an empty line, unless there is none above it or one already.
    pub fn gap(&mut self) {
        if self.lines.last().is_some_and(|l| !l.spans.is_empty()) {
            self.lines.push(Line::new());
        }
    }

    /// Adds the lines of `other`.
    pub fn append(&mut self, other: Text) {
        self.lines.extend(other.lines);
    }

    /// Adds the lines of `other` after an empty line; nothing when it has none.
    pub fn section(&mut self, other: Text) {
        if !other.is_empty() {
            self.gap();
            self.append(other);
        }
    }

    /// Every line moved right by `columns`; empty lines stay empty.
    pub fn indented(self, columns: usize) -> Text {
        let shift = |line: Line| match line.spans.is_empty() {
            true => line,
            false => {
                let mut moved = Line::new().with(Role::Prose, " ".repeat(columns));
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

    /// Texts side by side, `gap` columns between them.
    pub fn beside(texts: &[Text], gap: usize) -> Text {
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

    /// The text as characters, each line ended by a newline; escape codes only where `look` allows.
    /// Spaces at the ends of lines are dropped, so that what is copied is clean.
    pub fn render(&self, look: Look) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let mut rest = line.text().trim_end().len();
            for span in &line.spans {
                let text = &span.text[..rest.min(span.text.len())];
                rest -= text.len();
                let escape = match look.coloured() && !text.trim().is_empty() {
                    true => span.role.escape(),
                    false => String::new(),
                };
                match escape.is_empty() {
                    true => out.push_str(&harmless(text)),
                    false => {
                        out.push_str("\x1b[");
                        out.push_str(&escape);
                        out.push('m');
                        out.push_str(&harmless(text));
                        out.push_str("\x1b[0m");
                    }
                }
            }
            out.push('\n');
        }
        out
    }

    /// The characters alone, as without colour.
    pub fn characters(&self) -> String {
        self.render(Look { width: 80, colour: false, plain: true })
    }
}

/// Text without what would steer the terminal: whatever a notebook holds, only the renderer writes
/// escape codes.
fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let spelt = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(spelt).collect()
}
