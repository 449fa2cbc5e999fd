//! Markdown to styled text, wrapped at the width.
//! Headings, paragraphs, lists, emphasis, code, links, quotes, mathematics and tables, simply.
//! Source: CommonMark through pulldown-cmark; what it does not know stays as it was written.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::view::code;
use crate::view::maths::maths;
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::{wrap, wrap_evenly};

/// Inline code up to this many columns is not broken at its spaces.
const WHOLE: usize = 24;

/// Markdown as styled text, no wider than reads well.
pub fn prose(markdown: &str, look: Look) -> Text {
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH | Options::ENABLE_STRIKETHROUGH;
    let mut writer = Writer {
        look,
        text: Text::new(),
        line: Line::new(),
        roles: Vec::new(),
        blocks: Vec::new(),
        link: None,
        fence: None,
        table: Vec::new(),
        tight: false,
    };
    for event in Parser::new_ext(markdown, options) {
        writer.take(event);
    }
    writer.flush();
    while writer.text.lines.last().is_some_and(|l| l.spans.is_empty()) {
        writer.text.lines.pop();
    }
    writer.text
}

/// One paragraph of Markdown as a single line, to be wrapped by whoever asked for it.
pub fn prose_line(markdown: &str, look: Look) -> Line {
    let mut whole = Line::new();
    for (at, line) in prose(markdown, look).lines.into_iter().enumerate() {
        if at > 0 {
            whole.push(Role::Prose, " ");
        }
        whole.join(line);
    }
    whole
}

/// What we are inside of.
enum Block {
    /// Whether anything stands in it yet.
    Quote(bool),
    /// The next number, if the list has numbers.
    List(Option<u64>),
    /// The mark that opens the item, until it is written.
    Item(String, bool),
}

struct Writer {
    look: Look,
    text: Text,
    line: Line,
    roles: Vec<Role>,
    blocks: Vec<Block>,
    link: Option<(String, String)>,
    fence: Option<(bool, String)>,
    table: Vec<Vec<Line>>,
    tight: bool,
}

impl Writer {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => match &mut self.fence {
                Some((_, source)) => source.push_str(&words),
                None => self.push(&words),
            },
            Event::Code(words) => {
                let words = held(&words);
                match self.look.plain || !self.look.colour {
                    true => self.line.push(self.role_or(Role::CodeInline), quoted(&words)),
                    false => self.line.push(Role::CodeInline, words),
                }
            }
            Event::InlineMath(words) => self.line.push(Role::Emphasis, held(&maths(&words))),
            Event::DisplayMath(words) => {
                self.flush();
                self.text.gap();
                self.line.push(Role::Emphasis, maths(&words));
                self.flush_with("    ");
                self.text.gap();
            }
            Event::SoftBreak => self.push(" "),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.flush();
                self.apart();
                if !self.look.plain {
                    self.text.say(Role::Dim, "─".repeat(self.width()));
                }
            }
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::FootnoteReference(name) => self.push(&format!("[{name}]")),
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph => self.apart(),
            Tag::Heading { .. } => {
                self.flush();
                self.text.gap();
                self.roles.push(Role::Title);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.apart();
                self.blocks.push(Block::Quote(false));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.apart();
                let python = match kind {
                    CodeBlockKind::Fenced(info) => info.contains("py") || info.contains("code-cell"),
                    CodeBlockKind::Indented => false,
                };
                self.fence = Some((python, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.apart();
                self.blocks.push(Block::List(first));
            }
            Tag::Item => {
                let mark = match self.blocks.last_mut() {
                    Some(Block::List(Some(next))) => {
                        *next += 1;
                        format!("{}. ", *next - 1)
                    }
                    _ if self.look.plain => "- ".to_string(),
                    _ => "• ".to_string(),
                };
                self.blocks.push(Block::Item(mark, true));
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
                self.apart();
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
                self.blocks.pop();
                self.tight = self.blocks.iter().any(|b| matches!(b, Block::Item(..)));
            }
            TagEnd::Item => {
                self.flush();
                self.blocks.pop();
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
                if let Some((address, said)) = self.link.take()
                    && address.contains("://")
                    && address != said
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
            TagEnd::Table => self.tabled(),
            _ => {}
        }
    }

    fn push(&mut self, words: &str) {
        if let Some((_, said)) = &mut self.link {
            said.push_str(words);
        }
        let words = words.replace('\n', " ");
        self.line.push(self.role_or(Role::Prose), words);
    }

    fn role_or(&self, role: Role) -> Role {
        self.roles.last().copied().unwrap_or(role)
    }

    fn width(&self) -> usize {
        self.look.text_width()
    }

    /// An empty line before a block, but not between the items of a list.
    fn apart(&mut self) {
        let in_item = self.blocks.iter().any(|b| matches!(b, Block::Item(_, true)));
        let in_quote = matches!(self.blocks.last(), Some(Block::Quote(true)));
        if in_quote && !self.look.plain {
            self.text.say(Role::Dim, "▏");
        } else if !in_item && !self.tight {
            self.text.gap();
        }
        if !in_item {
            self.tight = false;
        }
    }

    /// What stands before the first and before the other lines of a block.
    fn prefixes(&mut self) -> (Line, Line) {
        let (mut first, mut rest) = (Line::new(), Line::new());
        let plain = self.look.plain;
        for block in &mut self.blocks {
            match block {
                Block::Quote(_) if plain => {}
                Block::Quote(begun) => {
                    *begun = true;
                    first.push(Role::Dim, "▏ ");
                    rest.push(Role::Dim, "▏ ");
                }
                Block::List(_) => {}
                Block::Item(mark, fresh) => {
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

    fn flush(&mut self) {
        self.flush_with("");
    }

    fn flush_with(&mut self, indent: &str) {
        let mut line = std::mem::take(&mut self.line);
        if let Some(first) = line.spans.first_mut() {
            first.text = first.text.trim_start_matches(' ').to_string();
        }
        if line.text().trim().is_empty() {
            return;
        }
        let (mut first, mut rest) = self.prefixes();
        first.push(Role::Prose, indent);
        rest.push(Role::Prose, indent);
        self.text.append(wrap_evenly(&line, self.width(), &first, &rest));
    }

    fn fenced(&mut self, python: bool, source: &str) {
        let (first, rest) = self.prefixes();
        let lines = match python {
            true => code::highlighted(source),
            false => Text::of(Role::Code, source).lines,
        };
        let indent = if self.look.plain { "" } else { "    " };
        for (at, line) in lines.iter().enumerate() {
            let mut left = if at == 0 { first.clone() } else { rest.clone() };
            left.push(Role::Prose, indent);
            let mut below = rest.clone();
            below.push(Role::Prose, format!("{indent}  "));
            self.text.append(wrap(line, self.look.width, &left, &below));
        }
    }

    /// A table: columns lined up where they fit, else each row as lines of "head: cell".
    fn tabled(&mut self) {
        let rows = std::mem::take(&mut self.table);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(Line::width).max();
        let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
        let total = widths.iter().sum::<usize>() + 3 * columns.saturating_sub(1);
        if self.look.plain || total > self.look.width {
            let Some((head, body)) = rows.split_first() else {
                return;
            };
            for row in body {
                for (name, cell) in head.iter().zip(row) {
                    let mut line = Line::new().with(Role::Label, name.text());
                    line.push(Role::Dim, ": ");
                    line.join(cell.clone());
                    let shift = Line::spaces(2);
                    self.text.append(wrap(&line, self.look.width, &Line::new(), &shift));
                }
                if !self.look.plain {
                    self.text.gap();
                }
            }
            return;
        }
        for (at, row) in rows.into_iter().enumerate() {
            let mut line = Line::new();
            let mut column = 0;
            for (c, cell) in row.into_iter().enumerate() {
                line.fill(column);
                match at {
                    0 => line.push(Role::Label, cell.text()),
                    _ => line.join(cell),
                }
                column += widths[c] + 3;
            }
            self.text.line(line.with_plain_spaces());
            if at == 0 {
                self.text.say(Role::Dim, "─".repeat(total));
            }
        }
    }
}

/// A short piece of code or mathematics, held together at its spaces.
fn held(words: &str) -> String {
    match words.chars().count() <= WHOLE {
        true => unbroken(&words),
        false => words.to_string(),
    }
}

/// Code between backticks, where colour cannot tell it from the sentence.
fn quoted(words: &str) -> String {
    format!("`{words}`")
}
