//! The glossary: the field's words, each with what it means and the step that brings it in.
//! `lessons/glossary.md` to data; what lessons make of it is looked at in [`super::terms`].
//!
//! A term is a heading (`##`), its explanation, and last a paragraph that says where it is first met, as a link
//! whose words are the step's name, and what else it is called:
//! `*First met in* [scores](01-simple-self-attention.md#...). *Also:* score, attention scores.`

use std::ops::Range;

use super::Fault;
use super::embed::GLOSSARY;
use super::markdown::{Kind, blocks, links};
use crate::ops::nearest;

/// All terms, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glossary {
    /// The file it was read from.
    pub file: String,
    /// What stands before the first term (Markdown).
    pub intro: String,
    /// The terms.
    pub terms: Vec<Term>,
}

/// One word of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word: "context vector".
    pub name: String,
    /// As links name it: "context-vector".
    pub slug: String,
    /// What it means (Markdown).
    pub text: String,
    /// The step that explains it, by its slug.
    pub step: String,
    /// Where the link to that step leads.
    pub address: String,
    /// What else it is called.
    pub also: Vec<String>,
    /// Line of its heading, from 1.
    pub line: usize,
    /// Line of the paragraph that says where it is met.
    pub met: usize,
}

/// The file of this program's glossary, by its name and its text.
pub fn embedded() -> (String, String) {
    (GLOSSARY.0.to_owned(), GLOSSARY.1.to_owned())
}

impl Glossary {
    /// The glossary of this program. Errors: the first fault in its file.
    pub fn new() -> Result<Glossary, Fault> {
        let (file, text) = GLOSSARY;
        Glossary::parse(file, text)
    }

    /// Reads a glossary; `file` is its name in faults. Errors: the first fault in reading order.
    pub fn parse(file: &str, text: &str) -> Result<Glossary, Fault> {
        let fault = |line: usize, what: String| Fault { file: file.into(), line, what, nearest: Vec::new() };
        let mut glossary = Glossary { file: file.to_owned(), ..Glossary::default() };
        let mut run: Option<Range<usize>> = None;
        for block in blocks(text) {
            match &block.kind {
                Kind::Heading(1, _) => {}
                Kind::Heading(_, words) => {
                    glossary.settle(text, run.take());
                    if let Some(open) = glossary.terms.last().filter(|term| term.step.is_empty()) {
                        return Err(unmet(file, open));
                    }
                    let slug = anchor(words);
                    if let Some(other) = glossary.terms.iter().find(|term| term.slug == slug) {
                        let what = format!("the term `{words}` stands twice, first in line {}", other.line);
                        return Err(fault(block.line, what));
                    }
                    glossary.terms.push(Term {
                        name: words.clone(),
                        slug,
                        text: String::new(),
                        step: String::new(),
                        address: String::new(),
                        also: Vec::new(),
                        line: block.line,
                        met: block.line,
                    });
                }
                _ => {
                    let words = &text[block.range.clone()];
                    if words.trim_start().starts_with("*First met in*") {
                        glossary.settle(text, run.take());
                        let Some(term) = glossary.terms.last_mut() else {
                            return Err(fault(block.line, "this belongs under a term".to_owned()));
                        };
                        term.met = block.line;
                        let Some(link) = links(words).into_iter().next() else {
                            return Err(unmet(file, term));
                        };
                        (term.step, term.address) = (link.words, link.address);
                        if let Some((_, names)) = words.split_once("*Also:*") {
                            let names = names.trim().trim_end_matches('.').split(',');
                            let name = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
                            term.also = names.map(name).filter(|name| !name.is_empty()).collect();
                        }
                    } else {
                        run = Some(run.map_or(block.range.clone(), |run| run.start..block.range.end));
                    }
                }
            }
        }
        glossary.settle(text, run);
        match glossary.terms.last().filter(|term| term.step.is_empty()) {
            Some(open) => Err(unmet(file, open)),
            None => Ok(glossary),
        }
    }

    fn settle(&mut self, text: &str, run: Option<Range<usize>>) {
        let Some(run) = run else { return };
        let words = text[run].trim().to_owned();
        match self.terms.last_mut() {
            Some(term) => term.text = words,
            None => self.intro = words,
        }
    }

    /// The term of this name, however it is written: by its own name or another of its names, in the plural too.
    pub fn find(&self, wanted: &str) -> Option<&Term> {
        let wanted = anchor(wanted);
        let is = |name: &str| plurals(name).iter().any(|form| anchor(form) == wanted);
        self.terms.iter().find(|term| term.slug == wanted).or_else(|| {
            self.terms.iter().find(|term| is(&term.name) || term.also.iter().any(|name| is(name)))
        })
    }

    /// The terms most like a name, best first.
    pub fn nearest(&self, wanted: &str) -> Vec<String> {
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

fn unmet(file: &str, term: &Term) -> Fault {
    let what = format!(
        "the term `{}` does not say where it is met: *First met in* [step](lesson.md#...).",
        term.name
    );
    Fault { file: file.to_owned(), line: term.line, what, nearest: Vec::new() }
}

/// A heading as links name it, as GitHub does: small letters, hyphens for spaces, other signs left out.
pub fn anchor(heading: &str) -> String {
    let letter = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    heading.trim().to_lowercase().chars().filter_map(letter).collect()
}

/// A name and its plural.
pub fn plurals(name: &str) -> [String; 2] {
    let more = match name {
        n if n.ends_with("ry") || n.ends_with("ty") => format!("{}ies", &n[..n.len() - 1]),
        n if n.ends_with(['s', 'x', 'z']) || n.ends_with("ch") => format!("{n}es"),
        n => format!("{n}s"),
    };
    [name.to_owned(), more]
}
