//! The glossary: the terms of the field, their meanings, and the steps that explain them.
//! [`super::terms`] compares it with the lessons.
//!
//! A term is a heading (`##`), its explanation, and last a paragraph that links to the step that explains it by the
//! step's name, and lists other names of the term:
//! `*First met in* [scores](01-simple-self-attention.md#...). *Also:* score, attention scores.`

use super::fault::Fault;
use super::markdown::{BlockKind, blocks, first_link};
use super::notebook::add_prose;
use crate::ops::nearest;

/// All terms, in the order of the file.
#[derive(Clone, Default, PartialEq)]
pub struct Glossary {
    /// The file it was read from.
    pub(crate) file: String,
    /// The text before the first term (Markdown).
    pub(crate) intro: String,
    pub terms: Vec<Term>,
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Term {
    /// Its name: "context vector".
    pub name: String,
    /// Its name in links: "context-vector".
    pub(crate) slug: String,
    /// Its meaning (Markdown).
    pub text: String,
    /// The step that explains it, by its slug.
    pub(crate) step: String,
    /// The address of the link to that step.
    pub(crate) address: String,
    /// Its other names.
    pub also: Vec<String>,
    /// Line of its heading, from 1.
    pub(crate) line: usize,
    /// Line of the paragraph with the link to that step.
    pub(crate) link_line: usize,
}

impl Glossary {
    /// Reads a glossary; `file` is its name in faults. Errors: the first fault in reading order.
    pub fn parse(file: &str, text: &str) -> Result<Glossary, Fault> {
        let mut glossary = Glossary { file: file.to_owned(), ..Glossary::default() };
        for block in blocks(text) {
            let words = &text[block.range.clone()];
            match (&block.kind, glossary.terms.last_mut()) {
                (BlockKind::Heading(1, _), _) => {}
                (BlockKind::Heading(_, name), _) => {
                    let slug = anchor(name);
                    if let Some(other) = glossary.terms.iter().find(|term| term.slug == slug) {
                        let what = format!("the term `{name}` occurs twice, first in line {}", other.line);
                        return Err(Fault::new(file, block.line, what));
                    }
                    let term = Term { name: name.clone(), slug, line: block.line, ..Term::default() };
                    glossary.terms.push(term);
                }
                (_, term) if words.trim_start().starts_with("*First met in*") => {
                    let Some(term) = term else {
                        return Err(Fault::new(file, block.line, "this belongs under a term".to_owned()));
                    };
                    term.link_line = block.line;
                    (term.step, term.address) = first_link(words).unwrap_or_default();
                    if let Some((_, names)) = words.split_once("*Also:*") {
                        let names = names.trim().trim_end_matches('.').split(',');
                        let name = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
                        term.also = names.map(name).filter(|name| !name.is_empty()).collect();
                    }
                }
                (_, Some(term)) => add_prose(&mut term.text, words),
                (_, None) => add_prose(&mut glossary.intro, words),
            }
        }
        match glossary.terms.iter().find(|term| term.step.is_empty()) {
            Some(term) => {
                let what = format!(
                    "the term `{}` does not name the step that explains it: *First met in* [step](lesson.md#...).",
                    term.name
                );
                Err(Fault::new(file, term.line, what))
            }
            None => Ok(glossary),
        }
    }

    /// The term with this name, or with this among its other names; case, hyphens and the plural do not count.
    pub(crate) fn find(&self, wanted: &str) -> Option<&Term> {
        let wanted = anchor(wanted);
        let is = |name: &str| plurals(name).iter().any(|form| anchor(form) == wanted);
        self.terms.iter().find(|term| term.slug == wanted).or_else(|| {
            self.terms.iter().find(|term| is(&term.name) || term.also.iter().any(|name| is(name)))
        })
    }

    /// Up to three terms with names near to this one, best first.
    pub(crate) fn nearest(&self, wanted: &str) -> Vec<String> {
        let names = self.terms.iter().flat_map(|term| {
            let also = term.also.iter().map(|name| (name, &term.name));
            [(&term.name, &term.name)].into_iter().chain(also)
        });
        let mut near: Vec<String> = Vec::new();
        for name in nearest(wanted, names.clone().map(|(name, _)| name), 5) {
            let of = names.clone().find(|(other, _)| **other == name).map(|(_, term)| term.clone());
            near.extend(of.filter(|term| !near.contains(term)));
        }
        near.truncate(3);
        near
    }
}

/// The anchor of a heading in links, as GitHub makes it: lower case, hyphens for spaces, no other signs.
pub(crate) fn anchor(heading: &str) -> String {
    let letter = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    heading.trim().to_lowercase().chars().filter_map(letter).collect()
}

pub(crate) fn plurals(name: &str) -> [String; 2] {
    let more = match name {
        n if n.ends_with("ry") || n.ends_with("ty") => format!("{}ies", &n[..n.len() - 1]),
        n if n.ends_with(['s', 'x', 'z']) || n.ends_with("ch") => format!("{n}es"),
        n => format!("{n}s"),
    };
    [name.to_owned(), more]
}
