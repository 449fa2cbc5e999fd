//! Markdown as HTML. Raw HTML, pictures and addresses that are not of the web are left out, so that a page asks for
//! nothing and runs nothing that a notebook's author put into it.
//! Source: CommonMark, parsed and written by pulldown-cmark.

use std::collections::BTreeSet;

use pulldown_cmark::{Alignment, Event, HeadingLevel, Parser, Tag, TagEnd, html};

use super::escape::escape;
use super::styled;
use crate::view::prose::{OPTIONS, is_python};

/// Markdown as HTML. `terms` collects the slugs of the terms that it links to; headings begin at level `top`.
pub(super) fn prose(markdown: &str, top: usize, terms: &mut BTreeSet<String>) -> String {
    let mut events: Vec<Event> = Vec::new();
    let mut fence: Option<(bool, String)> = None;
    let mut open: Vec<bool> = Vec::new();
    for event in Parser::new_ext(markdown, OPTIONS) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::CodeBlock(kind)) => fence = Some((is_python(&kind), String::new())),
            Event::End(TagEnd::CodeBlock) => {
                if let Some((is_python, source)) = fence.take() {
                    let shown = match is_python {
                        true => styled::code(&source),
                        false => format!("<pre>{}</pre>\n", escape(source.trim_end())),
                    };
                    events.push(Event::Html(shown.into()));
                }
            }
            Event::Text(words) => match &mut fence {
                Some((_, source)) => source.push_str(&words),
                None => events.push(Event::Html(escape(&words).into())),
            },
            Event::Code(words) => events.push(inline("code", "", &words)),
            Event::InlineMath(words) => events.push(inline("span", "math", &words)),
            Event::DisplayMath(words) => events.push(inline("span", "math block", &words)),
            Event::Start(Tag::Heading { level, .. }) => {
                let level = level_below(level, top);
                events.push(Event::Start(Tag::Heading {
                    level,
                    id: None,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::End(TagEnd::Heading(level)) => {
                events.push(Event::End(TagEnd::Heading(level_below(level, top))));
            }
            // A picture is its text: it may be anywhere, and the page asks for nothing.
            Event::Start(Tag::Image { .. }) => events.push(Event::Html("<em class=\"d\">[".into())),
            Event::End(TagEnd::Image) => events.push(Event::Html("]</em>".into())),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let start = link(&dest_url, terms);
                open.push(start.is_some());
                events.extend(start.map(|start| Event::Html(start.into())));
            }
            Event::End(TagEnd::Link) => {
                if open.pop() == Some(true) {
                    events.push(Event::Html("</a>".into()));
                }
            }
            // Alignment would be a style of its own, which the page's policy does not allow.
            Event::Start(Tag::Table(columns)) => {
                events.push(Event::Start(Tag::Table(vec![Alignment::None; columns.len()])));
            }
            other => events.push(other),
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

fn inline<'e>(element: &str, class: &str, words: &str) -> Event<'e> {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    Event::Html(format!("<{element}{class}>{}</{element}>", escape(words)).into())
}

/// A heading's level where the first is `top`.
fn level_below(level: HeadingLevel, top: usize) -> HeadingLevel {
    HeadingLevel::try_from((level as usize + top - 1).min(6)).expect("it is between 1 and 6")
}

/// The start of a link to a term or into the web. `None`: the text is shown without a link.
fn link(destination: &str, terms: &mut BTreeSet<String>) -> Option<String> {
    if let Some(slug) = destination.strip_prefix("glossary.md#") {
        terms.insert(slug.to_owned());
        return Some(format!("<a class=\"term\" href=\"#term-{}\">", escape(slug)));
    }
    let start: String = destination.chars().take(8).collect::<String>().to_lowercase();
    let is_web = start.starts_with("https://") || start.starts_with("http://");
    is_web.then(|| format!("<a rel=\"noreferrer noopener\" href=\"{}\">", escape(destination)))
}
