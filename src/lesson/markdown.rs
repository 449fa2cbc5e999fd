//! A Markdown text as its top-level blocks, each with its place.
//! The only file that knows pulldown-cmark.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What a top-level block is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// YAML between `---` lines at the very start.
    Front(String),
    /// A heading and its plain text.
    Heading(u8, String),
    /// A fenced block: what stands after the backticks, and the text within.
    Fence { info: String, body: String },
    /// Raw HTML such as `<details>`: for GitHub's eyes only.
    Html,
    /// Anything else: paragraphs, lists, tables, quotes.
    Prose,
}

/// A top-level block and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub kind: Kind,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// Line of its first character, from 1.
    pub line: usize,
}

/// The top-level blocks of `text`, in order.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    let lines = Lines::of(text);
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    let mut open: Option<Kind> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    open = Some(match tag {
                        Tag::MetadataBlock(_) if text[..range.start].trim().is_empty() => {
                            Kind::Front(String::new())
                        }
                        Tag::Heading { level, .. } => Kind::Heading(rank(level), String::new()),
                        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                            Kind::Fence { info: info.trim().to_string(), body: String::new() }
                        }
                        Tag::HtmlBlock => Kind::Html,
                        _ => Kind::Prose,
                    });
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let kind = open.take().unwrap_or(match end {
                        TagEnd::HtmlBlock => Kind::Html,
                        _ => Kind::Prose,
                    });
                    blocks.push(Block { kind, line: lines.at(range.start), range });
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(Kind::Front(into) | Kind::Heading(_, into) | Kind::Fence { body: into, .. }) =
                    &mut open
                {
                    into.push_str(&words);
                }
            }
            Event::Rule if depth == 0 => {
                blocks.push(Block { kind: Kind::Prose, line: lines.at(range.start), range });
            }
            _ => {}
        }
    }
    blocks
}

/// A link and the words it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub words: String,
    pub address: String,
}

/// The links of a text, in order.
pub(super) fn links(text: &str) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut inside = false;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                inside = true;
                links.push(Link { words: String::new(), address: dest_url.to_string() });
            }
            Event::End(TagEnd::Link) => inside = false,
            Event::Text(words) | Event::Code(words) if inside => {
                if let Some(link) = links.last_mut() {
                    link.words.push_str(&words);
                }
            }
            _ => {}
        }
    }
    links
}

/// The headings of the second rank and below, each with its line.
pub(super) fn headings(text: &str) -> Vec<(usize, String)> {
    let heading = |block: Block| match block.kind {
        Kind::Heading(rank, words) if rank > 1 => Some((block.line, words)),
        _ => None,
    };
    blocks(text).into_iter().filter_map(heading).collect()
}

/// A letter of a text that is read, where it stands, and which link it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    pub letter: char,
    pub line: usize,
    pub link: Option<usize>,
}

/// A paragraph, a heading or the like as it is read: without code, line breaks as spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prose {
    pub letters: Vec<Letter>,
    /// The addresses of its links.
    pub links: Vec<String>,
    /// What kind of reading it is.
    pub kind: Reading,
}

/// What a paragraph or the like is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reading {
    /// Running text.
    #[default]
    Running,
    /// A heading.
    Heading,
    /// A question, an answer to it, a hint.
    Asked,
}

/// All that is read in a lesson's file, in order: running text, headings, questions with their answers, hints.
pub(super) fn prose(text: &str) -> Vec<Prose> {
    let lines = Lines::of(text);
    let mut all = Vec::new();
    for block in blocks(text) {
        match &block.kind {
            Kind::Prose => read(text, block.range, &lines, Reading::Running, &mut all),
            Kind::Heading(..) => read(text, block.range, &lines, Reading::Heading, &mut all),
            Kind::Fence { info, .. } if info.starts_with("{hint}") => {
                let inner = inside(text, &block.range);
                read(text, inner, &lines, Reading::Asked, &mut all);
            }
            Kind::Fence { info, .. } if info.starts_with("{predict}") => {
                let inner = inside(text, &block.range);
                let mut start = inner.start;
                for line in text[inner].split_inclusive('\n') {
                    let said = line.trim_start_matches([' ', '-']);
                    let skipped = line.len() - said.len();
                    let words =
                        ["ask:", "text:", "because:", "right:"].iter().find(|key| said.starts_with(**key));
                    if let Some(key) = words {
                        let from = start + skipped + key.len();
                        let value = &text[from..start + line.len()];
                        let quote = value.len() - value.trim_start_matches([' ', '"', '\'']).len();
                        read(text, from + quote..start + line.len(), &lines, Reading::Asked, &mut all);
                    }
                    start += line.len();
                }
            }
            _ => {}
        }
    }
    all
}

/// The lines between the two that open and close a fence.
fn inside(text: &str, fence: &Range<usize>) -> Range<usize> {
    let whole = &text[fence.clone()];
    let start = whole.find('\n').map_or(whole.len(), |at| at + 1);
    let end = whole.trim_end().rfind('\n').map_or(start, |at| at + 1);
    fence.start + start..fence.start + end.max(start)
}

fn read(text: &str, part: Range<usize>, lines: &Lines, kind: Reading, all: &mut Vec<Prose>) {
    let mut open = Prose { kind, ..Prose::default() };
    let mut link = None;
    for (event, range) in Parser::new_ext(&text[part.clone()], Options::ENABLE_TABLES).into_offset_iter() {
        let line = lines.at(part.start + range.start);
        let mut say = |words: &str| {
            open.letters.extend(words.chars().map(|letter| Letter { letter, line, link }));
        };
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                open.links.push(dest_url.to_string());
                link = Some(open.links.len() - 1);
            }
            Event::End(TagEnd::Link) => link = None,
            Event::Text(words) => say(&words),
            Event::SoftBreak | Event::HardBreak => say(" "),
            // Code stands in the way of words that would join around it.
            Event::Code(_) => say("\u{FFFC}"),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::Heading(_)) => {
                all.push(std::mem::replace(&mut open, Prose { kind, ..Prose::default() }));
            }
            _ => {}
        }
    }
    all.push(open);
}

/// Offsets to lines.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect())
    }

    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|newline| *newline < offset) + 1
    }
}

fn rank(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
