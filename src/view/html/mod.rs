//! A page to share: one HTML file with everything in it. It asks the network for nothing, and what others wrote is shown
//! and never interpreted: its content security policy allows the two texts below and nothing else.
//!
//! | file | what it does |
//! |---|---|
//! | [`parts`] | the tensors of a page |
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
use crate::lesson::Term;
use crate::lesson::exercise::Prediction;
use crate::lesson::progress::GivenAnswer;
use crate::shims::sha512;
use crate::view::errors::error;
use crate::view::panel::{Check, Panel, printable};
use crate::view::picture::Picture;
use crate::view::text::Look;
pub(crate) use escape::escape;
pub(crate) use parts::{ExplainedElement, ExplainedFigure, ShownTensors};
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
    lines.extend(why.account.statements.iter().map(|statement| match statement {
        Statement::Words(words) => words.clone(),
        Statement::Figures(calc) => format!("={}", calc.text()),
        Statement::Note(note) => format!("~{note}"),
    }));
    lines
}

/// A page, which grows part by part.
#[derive(Default)]
pub(crate) struct Page {
    /// The title of the window, and the first heading.
    pub(crate) title: String,
    /// Its parts so far, in reading order.
    body: String,
    /// The terms that its prose links to, by their slugs.
    linked: BTreeSet<String>,
}

impl Page {
    /// An empty page with this title.
    pub(crate) fn new(title: &str) -> Page {
        Page { title: title.to_owned(), ..Page::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    fn push(&mut self, html: impl AsRef<str>) {
        self.body.push_str(html.as_ref());
    }

    /// A heading, at level 2.
    pub(crate) fn heading(&mut self, words: &str) {
        self.push(format!("<h2>{}</h2>\n", escape(words)));
    }

    /// Markdown whose headings begin at the level `top`.
    pub(crate) fn prose(&mut self, markdown: &str, top: usize) {
        self.body.push_str(&prose::prose(markdown, top, &mut self.linked));
    }

    /// Markdown under a summary, folded away.
    pub(crate) fn folded(&mut self, summary: &str, markdown: &str) {
        self.push(format!("<details><summary>{}</summary>\n", escape(summary)));
        self.prose(markdown, 3);
        self.push("</details>\n");
    }

    /// A question with the learner's answers, and whether each was right; the right answer is folded away.
    pub(crate) fn question(&mut self, asked: &Prediction, given: &[GivenAnswer]) {
        let choices = asked.choices();
        self.push("<section class=\"question\">\n");
        self.prose(&asked.ask, 3);
        if !choices.is_empty() {
            self.push("<ol type=\"a\">\n");
            for choice in choices {
                self.push("<li>");
                self.prose(&choice.text, 3);
                self.push("</li>\n");
            }
            self.push("</ol>\n");
        }
        for GivenAnswer { text, right } in given {
            let (class, verdict) = if *right { ("g", "✓ right") } else { ("b", "✗ not yet") };
            let words = escape(text);
            self.push(format!("<p>Answered: <q>{words}</q> <span class=\"{class}\">{verdict}</span></p>\n"));
        }
        let mut answer = asked.right.clone();
        for choice in choices {
            let because = match choice.right {
                true if choice.because.is_empty() => "**This one.**".to_owned(),
                true => format!("**This one.** {}", choice.because),
                false => choice.because.clone(),
            };
            answer.push_str(&format!("\n\n*{}* {because}", choice.text.trim()));
        }
        self.folded("The answer", &answer);
        self.push("</section>\n");
    }

    pub(crate) fn code(&mut self, source: &str) {
        if !source.trim().is_empty() {
            self.push(styled::code(source));
        }
    }

    /// A cell that has run, with these tensors in place of its figures. Headings of the text after it begin at the level `top`.
    pub(crate) fn cell(
        &mut self,
        panel: &Panel,
        numbers: &ShownTensors,
        tensors: &[ExplainedFigure],
        top: usize,
    ) {
        self.code(&panel.code);
        let shown = [Some(&panel.stdout), panel.result.as_ref()];
        let lines = shown.into_iter().flatten().flat_map(|part| part.trim_end_matches('\n').lines());
        let lines: Vec<String> = lines.map(|line| escape(&printable(line))).collect();
        if !lines.is_empty() {
            self.push(format!("<pre class=\"output\"><samp>{}</samp></pre>\n", lines.join("\n")));
        }
        if let Some(note) = &panel.error {
            let look = Look { width: 88, colour: true, plain: false };
            self.push(format!("<pre class=\"error\">{}</pre>\n", styled::lines(&error(note, look))));
        }
        let table = |number: &usize| tensor::tensor(*number, &tensors[*number]);
        self.push(numbers.shown.iter().map(table).collect::<String>());
        if !numbers.on_the_way.is_empty() {
            let names = numbers.on_the_way.iter().map(|number| &tensors[*number].figure.name);
            let names: Vec<String> = names.map(|name| format!("<code>{}</code>", escape(name))).collect();
            self.push(format!(
                "<details class=\"way\"><summary>Tensors on the way: {}</summary>\n{}</details>\n",
                names.join(", "),
                numbers.on_the_way.iter().map(table).collect::<String>()
            ));
        }
        for shown in &panel.pictures {
            self.picture(shown);
        }
        if !panel.checks.is_empty() {
            self.push(format!(
                "<ul class=\"checks\">\n{}</ul>\n",
                panel.checks.iter().map(check).collect::<String>()
            ));
        }
        self.worked(&panel.worked);
        self.prose(&panel.after, top);
        for remark in &panel.remarks {
            self.remark(remark);
        }
    }

    pub(crate) fn picture(&mut self, shown: &Picture) {
        self.push(picture::drawing(shown));
    }

    /// The calculation of one element, line by line.
    pub(crate) fn worked(&mut self, lines: &[String]) {
        if !lines.is_empty() {
            self.push(format!("<pre class=\"worked\">{}</pre>\n", escape(&lines.join("\n"))));
        }
    }

    pub(crate) fn remark(&mut self, words: &str) {
        self.push(format!("<p class=\"d\">{}</p>\n", escape(words)));
    }

    /// The text of the HTML file. Its script explains the elements of these tensors; at its end are those of these terms
    /// that it links to.
    pub(crate) fn finish(mut self, tensors: &[ExplainedFigure], terms: &[Term]) -> String {
        let glossary = glossary(terms, &mut self.linked);
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        let data = escape::in_script(&data::json(tensors));
        let (title, body) = (escape(&self.title), self.body);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"attn {}\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <main>\n<h1>{title}</h1>\n{body}{glossary}<footer>Made with attn {}. Point at a number, or go to it with the \
             Tab and arrow keys, to see where it comes from; Enter keeps it, Escape lets it go.</footer>\n</main>\n\
             <aside id=\"why\" aria-label=\"Where the number comes from\"></aside>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
            escape(&policy),
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_VERSION"),
        )
    }
}

/// An invariant and its outcome, as an item of a list.
fn check(check: &Check) -> String {
    let (class, mark) = if check.is_true { ("g", "✓") } else { ("b", "✗") };
    let far = check.deviation.as_ref().map(|far| format!(" (largest deviation {far})"));
    format!(
        "<li><span class=\"{class}\">{mark}</span> {}<span class=\"d\">{}</span></li>\n",
        escape(&check.text),
        escape(&far.unwrap_or_default())
    )
}

/// The terms in `linked`, and the terms that their meanings link to.
fn glossary(terms: &[Term], linked: &mut BTreeSet<String>) -> String {
    let mut out = String::new();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    let next = |linked: &BTreeSet<String>, shown: &BTreeSet<&str>| {
        terms.iter().find(|term| linked.contains(&term.slug) && !shown.contains(term.slug.as_str()))
    };
    while let Some(term) = next(linked, &shown) {
        shown.insert(&term.slug);
        out.push_str(&format!(
            "<dt id=\"term-{}\">{}</dt><dd>{}</dd>\n",
            escape(&term.slug),
            escape(&term.name),
            prose::prose(&term.text, 3, linked)
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
