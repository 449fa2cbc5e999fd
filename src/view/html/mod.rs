//! A page to share: one HTML file with everything in it. It asks the network for nothing, and what others wrote is shown
//! and never interpreted: its content security policy allows the two texts below and nothing else.
//!
//! | file | what it does |
//! |---|---|
//! | [`parts`] | a page as data |
//! | [`escape`] | text that is safe in HTML |
//! | [`styled`], [`prose`] | styled text, code and Markdown |
//! | [`tensor`], [`map`], [`picture`], [`plot`] | tensors as tables; heat maps, pictures and plots as SVG |
//! | [`data`] | the explanations that the script shows |

mod bar_table;
mod data;
mod escape;
mod map;
mod parts;
mod picture;
mod plot;
mod prose;
mod styled;
mod tensor;

use std::collections::BTreeSet;

use crate::explain::{Statement, Why};
use crate::shims::sha512;
use crate::view::errors::error;
use crate::view::panel::{Check, printable};
use crate::view::text::Look;
pub(crate) use escape::escape;
pub(crate) use parts::{ExplainedElement, ExplainedFigure, Page, PagePart};
pub(crate) use tensor::shown_offsets;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The lines of an explanation: the line of code after `@`, formulas in numbers after `=`, remarks after `~`, formulas
/// in names without a mark.
pub(crate) fn why_lines(why: &Why) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(site), Some(line)) = (&why.site, &why.line) {
        lines.push(format!("@{}, line {}: {}", site.cell, site.line, line.trim()));
    }
    lines.extend(why.statements.iter().map(|statement| match statement {
        Statement::Words(words) => words.clone(),
        Statement::Figures(calc) => format!("={}", calc.text()),
        Statement::Note(note) => format!("~{note}"),
    }));
    lines
}

/// The page as the text of an HTML file.
pub(crate) fn page(page: &Page) -> String {
    let mut terms = BTreeSet::new();
    let mut body = String::new();
    for part in &page.parts {
        body.push_str(&self::part(part, page, &mut terms));
    }
    body.push_str(&glossary(page, &mut terms));
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let data = escape::in_script(&data::json(&page.tensors));
    let title = escape(&page.title);
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"attn {}\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <main>\n<h1>{title}</h1>\n{body}<footer>Made with attn {}. Point at a number, or go to it with the Tab \
         and arrow keys, to see where it comes from; Enter keeps it, Escape lets it go.</footer>\n</main>\n\
         <aside id=\"why\" aria-label=\"Where the number comes from\"></aside>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(if page.language.is_empty() { "en" } else { &page.language }),
        escape(&policy),
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_VERSION"),
    )
}

fn part(part: &PagePart, page: &Page, terms: &mut BTreeSet<String>) -> String {
    match part {
        PagePart::Heading(words) => format!("<h2>{}</h2>\n", escape(words)),
        PagePart::Prose(markdown, top) => prose::prose(markdown, *top, terms),
        PagePart::Question { ask, choices, given, answer } => {
            let mut out = format!("<section class=\"question\">\n{}", prose::prose(ask, 3, terms));
            if !choices.is_empty() {
                let items = choices.iter().map(|it| format!("<li>{}</li>\n", prose::prose(it, 3, terms)));
                out.push_str(&format!("<ol type=\"a\">\n{}</ol>\n", items.collect::<String>()));
            }
            for (words, is_right) in given {
                let (class, verdict) = if *is_right { ("g", "✓ right") } else { ("b", "✗ not yet") };
                let words = escape(words);
                out.push_str(&format!(
                    "<p>Answered: <q>{words}</q> <span class=\"{class}\">{verdict}</span></p>\n"
                ));
            }
            let answer = prose::prose(answer, 3, terms);
            out + &format!("<details><summary>The answer</summary>\n{answer}</details>\n</section>\n")
        }
        PagePart::Folded(summary, markdown) => format!(
            "<details><summary>{}</summary>\n{}</details>\n",
            escape(summary),
            prose::prose(markdown, 3, terms)
        ),
        PagePart::Code(source) if source.trim().is_empty() => String::new(),
        PagePart::Code(source) => styled::code(source),
        PagePart::Output(stdout, result) => {
            let shown = [Some(stdout), result.as_ref()];
            let lines = shown.into_iter().flatten().flat_map(|part| part.trim_end_matches('\n').lines());
            let lines: Vec<String> = lines.map(|line| escape(&printable(line))).collect();
            match lines.is_empty() {
                true => String::new(),
                false => format!("<pre class=\"output\"><samp>{}</samp></pre>\n", lines.join("\n")),
            }
        }
        PagePart::Error(note) => {
            let look = Look { width: 88, colour: true, plain: false };
            format!("<pre class=\"error\">{}</pre>\n", styled::lines(&error(note, look)))
        }
        PagePart::Tensor(number) => tensor::tensor(*number, &page.tensors[*number]),
        PagePart::OnTheWay(numbers) if numbers.is_empty() => String::new(),
        PagePart::OnTheWay(numbers) => {
            let names = numbers.iter().map(|number| &page.tensors[*number].figure.name);
            let names: Vec<String> = names.map(|name| format!("<code>{}</code>", escape(name))).collect();
            let tables = numbers.iter().map(|number| tensor::tensor(*number, &page.tensors[*number]));
            format!(
                "<details class=\"way\"><summary>Tensors on the way: {}</summary>\n{}</details>\n",
                names.join(", "),
                tables.collect::<String>()
            )
        }
        PagePart::Picture(shown) => picture::drawing(shown),
        PagePart::Checks(checks) => {
            let one = |check: &Check| {
                let (class, mark) = if check.is_true { ("g", "✓") } else { ("b", "✗") };
                let far = check.deviation.as_ref().map(|far| format!(" (largest deviation {far})"));
                format!(
                    "<li><span class=\"{class}\">{mark}</span> {}<span class=\"d\">{}</span></li>\n",
                    escape(&check.text),
                    escape(&far.unwrap_or_default())
                )
            };
            match checks.is_empty() {
                true => String::new(),
                false => {
                    format!("<ul class=\"checks\">\n{}</ul>\n", checks.iter().map(one).collect::<String>())
                }
            }
        }
        PagePart::Worked(lines) if lines.is_empty() => String::new(),
        PagePart::Worked(lines) => format!("<pre class=\"worked\">{}</pre>\n", escape(&lines.join("\n"))),
        PagePart::Remark(words) => format!("<p class=\"d\">{}</p>\n", escape(words)),
    }
}

/// The terms that the page links to, and the terms that their meanings link to.
fn glossary(page: &Page, linked: &mut BTreeSet<String>) -> String {
    let mut out = String::new();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    loop {
        let next =
            page.terms.iter().find(|(slug, ..)| linked.contains(slug) && !shown.contains(slug.as_str()));
        let Some((slug, name, meaning)) = next else { break };
        shown.insert(slug);
        out.push_str(&format!(
            "<dt id=\"term-{}\">{}</dt><dd>{}</dd>\n",
            escape(slug),
            escape(name),
            prose::prose(meaning, 3, linked)
        ));
    }
    if out.is_empty() {
        return out;
    }
    format!("<section class=\"glossary\">\n<h2>Words</h2>\n<dl>\n{out}</dl>\n</section>\n")
}

/// The digest of a text that the page's policy allows.
fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::from("sha512-");
    for part in sha512(text.as_bytes()).chunks(3) {
        let bits =
            part.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for at in 0..4 {
            out.push(match at <= part.len() {
                true => char::from(DIGITS[(bits >> (18 - 6 * at)) as usize & 63]),
                false => '=',
            });
        }
    }
    out
}
