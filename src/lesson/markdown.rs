//! A Markdown text as its top-level blocks, each with its line.
//! The only file of this layer that uses pulldown-cmark.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// What a top-level block is.
#[derive(Clone, PartialEq)]
pub(super) enum BlockKind {
    /// The front matter: YAML between `---` lines at the very start.
    FrontMatter(String),
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
    match blocks(head(text)).into_iter().next()? {
        MarkdownBlock { kind: BlockKind::FrontMatter(yaml), line, .. } => Some((yaml, line)),
        _ => None,
    }
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
    let (mut line, mut counted) = (1, 0);
    let mut line_at = |offset: usize| {
        line += text[counted..offset].matches('\n').count();
        counted = offset;
        line
    };
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    let mut open: Option<BlockKind> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    open = Some(match tag {
                        Tag::MetadataBlock(_) if text[..range.start].trim().is_empty() => {
                            BlockKind::FrontMatter(String::new())
                        }
                        Tag::Heading { level, .. } => BlockKind::Heading(level as u8, String::new()),
                        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                            BlockKind::Fence { info: info.trim().to_string(), body: String::new() }
                        }
                        Tag::HtmlBlock => BlockKind::Html,
                        _ => BlockKind::Prose,
                    });
                }
                depth += 1;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let kind = open.take().unwrap_or(BlockKind::Prose);
                    blocks.push(MarkdownBlock { kind, line: line_at(range.start), range });
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(
                    BlockKind::FrontMatter(into)
                    | BlockKind::Heading(_, into)
                    | BlockKind::Fence { body: into, .. },
                ) = &mut open
                {
                    into.push_str(&words);
                }
            }
            Event::Rule if depth == 0 => {
                blocks.push(MarkdownBlock { kind: BlockKind::Prose, line: line_at(range.start), range });
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
