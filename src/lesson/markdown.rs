//! A Markdown text as its top-level blocks, each with its place.
//! Room: lesson. The only file that knows pulldown-cmark.

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
