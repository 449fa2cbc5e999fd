//! A Markdown text as its top-level blocks, its links and its prose, each with its line.
//! The only file of this layer that uses pulldown-cmark.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What a top-level block is.
#[derive(Clone, PartialEq)]
pub(super) enum BlockKind {
    /// The front matter: YAML between `---` lines at the very start. [`front_matter`] returns its text.
    FrontMatter,
    /// A heading and its plain text.
    Heading(u8, String),
    /// A fenced block: the words after the backticks, and the text between the fences.
    Fence { info: String, body: String },
    /// Raw HTML such as `<details>`, which only GitHub shows.
    Html,
    /// Anything else: paragraphs, lists, tables, quotes.
    Prose,
}

/// A top-level block and its place.
#[derive(Clone, PartialEq)]
pub(super) struct MarkdownBlock {
    pub(crate) kind: BlockKind,
    /// Bytes of the text.
    pub(crate) range: Range<usize>,
    /// Line of its first character, from 1.
    pub(crate) line: usize,
}

/// The YAML of the front matter at the start of `text`, and the line of the `---` above it.
pub(super) fn front_matter(text: &str) -> Option<(String, usize)> {
    let text = head(text);
    let mut found: Option<(String, usize)> = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter()
    {
        match (event, &mut found) {
            (Event::Start(Tag::MetadataBlock(_)), None) if text[..range.start].trim().is_empty() => {
                found = Some((String::new(), text[..range.start].matches('\n').count() + 1));
            }
            (Event::Text(words), Some((yaml, _))) => yaml.push_str(&words),
            _ => break,
        }
    }
    found
}

/// The text up to the end of the front matter, if it has one: the parser reads all blocks of what it is given.
fn head(text: &str) -> &str {
    let mut end = 0;
    let mut fences = text.split_inclusive('\n').filter_map(|line| {
        end += line.len();
        matches!(line.trim_end(), "---" | "...").then_some(end)
    });
    fences.nth(1).map_or(text, |end| &text[..end])
}

/// The top-level blocks of `text`, in order.
pub(super) fn blocks(text: &str) -> Vec<MarkdownBlock> {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    let lines = LineStarts::of(text);
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    let mut open: Option<BlockKind> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    open = Some(match tag {
                        Tag::MetadataBlock(_) if text[..range.start].trim().is_empty() => {
                            BlockKind::FrontMatter
                        }
                        Tag::Heading { level, .. } => BlockKind::Heading(rank(level), String::new()),
                        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                            BlockKind::Fence { info: info.trim().to_string(), body: String::new() }
                        }
                        Tag::HtmlBlock => BlockKind::Html,
                        _ => BlockKind::Prose,
                    });
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let kind = open.take().unwrap_or(match end {
                        TagEnd::HtmlBlock => BlockKind::Html,
                        _ => BlockKind::Prose,
                    });
                    blocks.push(MarkdownBlock { kind, line: lines.at(range.start), range });
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(BlockKind::Heading(_, into) | BlockKind::Fence { body: into, .. }) = &mut open {
                    into.push_str(&words);
                }
            }
            Event::Rule if depth == 0 => {
                blocks.push(MarkdownBlock { kind: BlockKind::Prose, line: lines.at(range.start), range });
            }
            _ => {}
        }
    }
    blocks
}

/// The words and the address of the first link of a text.
pub(super) fn first_link(text: &str) -> Option<(String, String)> {
    let mut link: Option<(String, String)> = None;
    for event in Parser::new(text) {
        match (event, &mut link) {
            (Event::Start(Tag::Link { dest_url, .. }), None) => {
                link = Some((String::new(), dest_url.to_string()));
            }
            (Event::Text(words) | Event::Code(words), Some((into, _))) => into.push_str(&words),
            (Event::End(TagEnd::Link), _) => break,
            _ => {}
        }
    }
    link
}

/// Text in a fence that is longer than any in the text; the empty string if the text is blank.
pub fn fenced(kind: &str, text: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{kind}\n{}\n{fence}", text.trim_end())
}

/// The headings below the title, each with its line.
pub(super) fn headings(text: &str) -> Vec<(usize, String)> {
    let heading = |block: MarkdownBlock| match block.kind {
        BlockKind::Heading(rank, words) if rank > 1 => Some((block.line, words)),
        _ => None,
    };
    blocks(text).into_iter().filter_map(heading).collect()
}

/// A letter of prose: its line, and the index of the link that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ProseLetter {
    pub(crate) letter: char,
    pub(crate) line: usize,
    pub(crate) link: Option<usize>,
}

/// A paragraph, a heading or another block of prose, without its code, with spaces for line breaks.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct ProseBlock {
    pub(crate) letters: Vec<ProseLetter>,
    pub(crate) links: Vec<String>,
    pub(crate) kind: ProseKind,
}

/// The kind of a block of prose.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ProseKind {
    #[default]
    Running,
    Heading,
    /// A question, an answer to it, a hint.
    Question,
}

/// All prose of a lesson file, in order: running text, headings, questions with their answers, hints.
pub(super) fn prose(text: &str) -> Vec<ProseBlock> {
    let lines = LineStarts::of(text);
    let mut all = Vec::new();
    for block in blocks(text) {
        match &block.kind {
            BlockKind::Prose => read(text, block.range, &lines, ProseKind::Running, &mut all),
            BlockKind::Heading(..) => read(text, block.range, &lines, ProseKind::Heading, &mut all),
            BlockKind::Fence { info, .. } if info.starts_with("{hint}") => {
                let inner = inside(text, &block.range);
                read(text, inner, &lines, ProseKind::Question, &mut all);
            }
            BlockKind::Fence { info, .. } if info.starts_with("{predict}") => {
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
                        read(text, from + quote..start + line.len(), &lines, ProseKind::Question, &mut all);
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

fn read(text: &str, part: Range<usize>, lines: &LineStarts, kind: ProseKind, all: &mut Vec<ProseBlock>) {
    let mut open = ProseBlock { kind, ..ProseBlock::default() };
    let mut link = None;
    for (event, range) in Parser::new_ext(&text[part.clone()], Options::ENABLE_TABLES).into_offset_iter() {
        let line = lines.at(part.start + range.start);
        let mut push = |words: &str| {
            open.letters.extend(words.chars().map(|letter| ProseLetter { letter, line, link }));
        };
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                open.links.push(dest_url.to_string());
                link = Some(open.links.len() - 1);
            }
            Event::End(TagEnd::Link) => link = None,
            Event::Text(words) => push(&words),
            Event::SoftBreak | Event::HardBreak => push(" "),
            // A sign for code keeps the words around it apart.
            Event::Code(_) => push("\u{FFFC}"),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::Heading(_)) => {
                all.push(std::mem::replace(&mut open, ProseBlock { kind, ..ProseBlock::default() }));
            }
            _ => {}
        }
    }
    all.push(open);
}

/// The offsets of the line ends of a text.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> LineStarts {
        LineStarts(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect())
    }

    /// The line of a byte offset, from 1.
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
