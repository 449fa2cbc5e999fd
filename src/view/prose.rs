//! Markdown as styled text: headings, paragraphs, lists, emphasis, code, links, quotations, formulas as they are written, and tables.
//! Source: CommonMark, parsed by pulldown-cmark.

use comfy_table::TableComponent;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::view::code;
use crate::view::styled_table::StyledTable;
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::{wrap, wrap_evenly};

/// Inline code and formulas of up to this many characters are not broken at their spaces.
const UNBROKEN: usize = 26;

/// The mark of the lines of a map that a lesson is about.
const HERE: &str = "<- here";

/// The parts of a map that are marked, as a sentence: "You are here: Q, K, V, scores." `None`: none is.
fn marked(map: &str) -> Option<String> {
    let lines = map.lines().filter_map(|line| line.trim_end().strip_suffix(HERE));
    let parts = lines.flat_map(|line| line.split("  ").map(str::trim));
    let parts: Vec<&str> = parts.filter(|part| part.chars().any(char::is_alphabetic)).collect();
    (!parts.is_empty()).then(|| format!("You are here: {}.", parts.join(", ")))
}

/// What is Markdown beyond CommonMark.
pub(super) const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_MATH).union(Options::ENABLE_STRIKETHROUGH);

/// Markdown as styled text, wrapped at the width of running text.
pub fn prose(markdown: &str, look: Look) -> Text {
    let mut writer = MarkdownWriter { look, ..MarkdownWriter::default() };
    for event in Parser::new_ext(markdown, OPTIONS) {
        writer.take(event);
    }
    writer.flush();
    while writer.text.lines.last().is_some_and(|l| l.spans.is_empty()) {
        writer.text.lines.pop();
    }
    writer.text
}

/// Markdown as a single line, which the caller wraps.
pub(crate) fn prose_line(markdown: &str, look: Look) -> Line {
    let mut whole = Line::new();
    for (at, line) in prose(markdown, look).lines.into_iter().enumerate() {
        if at > 0 {
            whole.push(Role::Prose, " ");
        }
        whole.join(line);
    }
    whole
}

/// A block that contains others.
enum Container {
    /// A quotation, and whether it has any text yet.
    Quote(bool),
    /// A list, and the next number if it has numbers.
    List(Option<u64>),
    /// An item of a list: its marker, and whether the marker is still to be written.
    Item(String, bool),
}

/// Collects the events of the parser into text.
#[derive(Default)]
struct MarkdownWriter {
    look: Look,
    text: Text,
    /// The paragraph or cell so far.
    line: Line,
    /// The roles of emphasis, links and headings that are open.
    roles: Vec<Role>,
    containers: Vec<Container>,
    /// The address and the text so far of an open link.
    link: Option<(String, String)>,
    /// Whether an open fence is Python, and its text so far.
    fence: Option<(bool, String)>,
    /// The rows of an open table.
    table: Vec<Vec<Line>>,
    /// Whether blocks follow each other without an empty line, as within a list.
    tight: bool,
}

impl MarkdownWriter {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => match &mut self.fence {
                Some((_, source)) => source.push_str(&words),
                None => self.push(&words),
            },
            Event::Code(words) => {
                let words = unbroken_if_short(&words);
                match self.look.plain || !self.look.colour {
                    true => self.line.push(self.role_or(Role::CodeInline), format!("`{words}`")),
                    false => self.line.push(Role::CodeInline, words),
                }
            }
            Event::InlineMath(words) | Event::DisplayMath(words) => {
                self.line.push(Role::Emphasis, unbroken_if_short(&words.replace('\n', " ")));
            }
            Event::SoftBreak => self.push(" "),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.flush();
                self.separate();
                if !self.look.plain {
                    self.text.say(Role::Dim, "─".repeat(self.width()));
                }
            }
            // HTML, and what is not among the options.
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph => self.separate(),
            Tag::Heading { .. } => {
                self.flush();
                self.text.gap();
                self.roles.push(Role::Title);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.separate();
                self.containers.push(Container::Quote(false));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.separate();
                self.fence = Some((is_python(&kind), String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.separate();
                self.containers.push(Container::List(first));
            }
            Tag::Item => {
                let mark = match self.containers.last_mut() {
                    Some(Container::List(Some(next))) => {
                        *next += 1;
                        format!("{}. ", *next - 1)
                    }
                    _ if self.look.plain => "- ".to_string(),
                    _ => "• ".to_string(),
                };
                self.containers.push(Container::Item(mark, true));
                self.tight = true;
            }
            Tag::Emphasis => self.roles.push(Role::Emphasis),
            Tag::Strong => self.roles.push(Role::Strong),
            Tag::Link { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), String::new()));
                let strong = self.roles.last() == Some(&Role::Strong);
                self.roles.push(if strong { Role::Defined } else { Role::Link });
            }
            Tag::Table(_) => {
                self.flush();
                self.separate();
                self.table.clear();
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.roles.pop();
                self.flush();
                self.text.gap();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.flush();
                self.containers.pop();
                self.tight = self.containers.iter().any(|b| matches!(b, Container::Item(..)));
            }
            TagEnd::Item => {
                self.flush();
                self.containers.pop();
                self.tight = true;
            }
            TagEnd::CodeBlock => {
                if let Some((python, source)) = self.fence.take() {
                    self.fenced(python, &source);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.roles.pop();
            }
            TagEnd::Link => {
                self.roles.pop();
                if let Some((address, text)) = self.link.take()
                    && address.contains("://")
                    && address != text
                {
                    self.line.push(Role::Dim, format!(" ({address})"));
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(row) = self.table.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.write_table(),
            _ => {}
        }
    }

    fn push(&mut self, words: &str) {
        if let Some((_, text)) = &mut self.link {
            text.push_str(words);
        }
        let words = words.replace('\n', " ");
        self.line.push(self.role_or(Role::Prose), words);
    }

    /// The innermost open role, or `role`.
    fn role_or(&self, role: Role) -> Role {
        self.roles.last().copied().unwrap_or(role)
    }

    fn width(&self) -> usize {
        self.look.text_width()
    }

    /// Appends an empty line before a block, but not between the items of a list.
    fn separate(&mut self) {
        let in_item = self.containers.iter().any(|b| matches!(b, Container::Item(_, true)));
        let in_quote = matches!(self.containers.last(), Some(Container::Quote(true)));
        if in_quote && !self.look.plain {
            self.text.say(Role::Dim, "▏");
        } else if !in_item && !self.tight {
            self.text.gap();
        }
        if !in_item {
            self.tight = false;
        }
    }

    /// The prefixes of the first and of the other lines of a block.
    fn prefixes(&mut self) -> (Line, Line) {
        let (mut first, mut rest) = (Line::new(), Line::new());
        let plain = self.look.plain;
        for block in &mut self.containers {
            match block {
                Container::Quote(_) if plain => {}
                Container::Quote(begun) => {
                    *begun = true;
                    first.push(Role::Dim, "▏ ");
                    rest.push(Role::Dim, "▏ ");
                }
                Container::List(_) => {}
                Container::Item(mark, fresh) => {
                    let blank = " ".repeat(mark.chars().count());
                    match *fresh {
                        true => first.push(Role::Dim, mark.clone()),
                        false => first.push(Role::Prose, blank.clone()),
                    }
                    rest.push(Role::Prose, blank);
                    *fresh = false;
                }
            }
        }
        (first, rest)
    }

    /// Writes the paragraph so far.
    fn flush(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        if let Some(first) = line.spans.first_mut() {
            first.text = first.text.trim_start_matches(' ').to_string();
        }
        if line.text().trim().is_empty() {
            return;
        }
        let (first, rest) = self.prefixes();
        self.text.append(wrap_evenly(&line, self.width(), &first, &rest));
    }

    /// Writes a fence.
    fn fenced(&mut self, python: bool, source: &str) {
        if !python {
            return self.text_block(source);
        }
        let (first, rest) = self.prefixes();
        let lines = code::highlighted(source);
        let indent = if self.look.plain { "" } else { "    " };
        for (at, line) in lines.iter().enumerate() {
            let mut left = if at == 0 { first.clone() } else { rest.clone() };
            left.push(Role::Prose, indent);
            let mut below = rest.clone();
            below.push(Role::Prose, format!("{indent}  "));
            self.text.append(wrap(line, self.look.width, &left, &below));
        }
    }

    /// Writes lines of text as they are, such as a formula, less indented if the screen is too narrow for them.
    fn text_block(&mut self, source: &str) {
        let (first, rest) = self.prefixes();
        let lines = Text::of(Role::Code, source).lines;
        let widest = lines.iter().map(Line::width).max().unwrap_or(0) + rest.width();
        let indent = match self.look.plain {
            true => 0,
            false => [4, 2, 0].into_iter().find(|indent| widest + indent <= self.look.width).unwrap_or(2),
        };
        for (at, line) in lines.iter().enumerate() {
            let left = if at == 0 { &first } else { &rest }.clone().with(Role::Prose, " ".repeat(indent));
            let below = rest.clone().with(Role::Prose, " ".repeat(indent + 2));
            self.text.append(wrap(line, self.look.width, &left, &below));
        }
        // Arrows are hard to follow by ear.
        if let Some(here) = marked(source).filter(|_| self.look.plain) {
            self.text.append(wrap((Role::Prose, here), self.look.width, &rest, &rest));
        }
    }

    /// Writes the table: in columns if it fits, else each row as lines of "header: cell".
    fn write_table(&mut self) {
        let rows = std::mem::take(&mut self.table);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(Line::width).max();
        let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
        let total = widths.iter().sum::<usize>() + 3 * columns.saturating_sub(1);
        if self.look.plain || total > self.look.width {
            let Some((head, body)) = rows.split_first() else { return };
            for row in body {
                for (name, cell) in head.iter().zip(row) {
                    let mut line = Line::new().with(Role::Label, name.text());
                    line.push(Role::Dim, ": ");
                    line.join(cell.clone());
                    self.text.append(wrap(&line, self.look.width, 0, 2));
                }
                if !self.look.plain {
                    self.text.gap();
                }
            }
            return;
        }
        let header = |(at, row): (usize, Vec<Line>)| match at {
            0 => row.iter().map(|cell| Line::new().with(Role::Label, cell.text())).collect(),
            _ => row,
        };
        let mut table = StyledTable::new(rows.into_iter().enumerate().map(header));
        table.table.set_style(TableComponent::HeaderLines, '─');
        for (at, column) in table.table.column_iter_mut().enumerate() {
            column.set_padding((0, if at + 1 < columns { 3 } else { 0 }));
        }
        self.text.append(table.draw());
    }
}

pub(super) fn is_python(fence: &CodeBlockKind) -> bool {
    matches!(fence, CodeBlockKind::Fenced(info) if info.contains("py") || info.contains("code-cell"))
}

/// Code or a formula; no line is broken at its spaces if it is short.
fn unbroken_if_short(words: &str) -> String {
    if words.chars().count() <= UNBROKEN { unbroken(words) } else { words.to_string() }
}
