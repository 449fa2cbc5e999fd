//! Checks how lessons use the terms of the glossary: links without a term, terms used before they are explained.
//!
//! There are two rules. In every lesson the first use of a term is a link to it. In the whole course the first use of a
//! term is in the step that the glossary names, which explains it. Code does not count, headings do.

use std::cmp::Reverse;
use std::path::Path;

use super::fault::Fault;
use super::glossary::{Glossary, anchor, plurals};
use super::markdown::{ProseBlock, ProseKind, headings, prose};
use super::step::Lesson;
use crate::ops::nearest;

/// The start of a link to a term.
pub(crate) const ADDRESS: &str = "glossary.md#";

/// A use of a term in a lesson's text.
#[derive(Clone, PartialEq, Eq)]
struct Mention {
    /// The index of the term in the glossary.
    term: usize,
    line: usize,
    /// Whether it is a link to the term.
    linked: bool,
    kind: ProseKind,
    words: String,
}

/// A name of a term in lower case, singular or plural.
struct TermName {
    letters: Vec<char>,
    term: usize,
}

fn names(glossary: &Glossary) -> Vec<TermName> {
    let mut names = Vec::new();
    for (at, term) in glossary.terms.iter().enumerate() {
        for name in [&term.name].into_iter().chain(&term.also) {
            // A single letter such as `Q` has no plural.
            let all = if name.chars().count() == 1 { vec![name.clone()] } else { plurals(name).to_vec() };
            for name in all {
                names.push(TermName { letters: name.to_lowercase().chars().collect(), term: at });
            }
        }
    }
    // The longest first: "attention weight" is not the word "weight".
    names.sort_by_key(|name| Reverse(name.letters.len()));
    names
}

/// The uses of terms in a text, in reading order.
fn mentions(text: &str, glossary: &Glossary) -> Vec<Mention> {
    let names = names(glossary);
    let mut found = Vec::new();
    for block in prose(text) {
        in_block(&block, glossary, &names, &mut found);
    }
    found
}

fn in_block(block: &ProseBlock, glossary: &Glossary, names: &[TermName], found: &mut Vec<Mention>) {
    let letters: Vec<char> = block
        .letters
        .iter()
        .map(|l| l.letter.to_lowercase().next().expect("every letter has a lower case"))
        .collect();
    let joins = |at: usize| letters.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_' || *c == '-');
    let mut at = 0;
    while at < letters.len() {
        if let Some(link) = block.letters[at].link
            && let Some(term) = slug_of(&block.links[link]).and_then(|slug| term_of(glossary, slug))
        {
            let length = block.letters[at..].iter().take_while(|l| l.link == Some(link)).count();
            found.push(mention(block, at..at + length, term, true));
            at += length;
            continue;
        }
        let starts = at == 0 || !joins(at - 1);
        let fits =
            |name: &&TermName| letters[at..].starts_with(&name.letters) && !joins(at + name.letters.len());
        match names.iter().filter(|_| starts).find(fits) {
            Some(name) => {
                found.push(mention(block, at..at + name.letters.len(), name.term, false));
                at += name.letters.len();
            }
            None => at += 1,
        }
    }
}

fn mention(block: &ProseBlock, range: std::ops::Range<usize>, term: usize, linked: bool) -> Mention {
    let words = block.letters[range.clone()].iter().map(|l| l.letter).collect();
    Mention { term, line: block.letters[range.start].line, linked, kind: block.kind, words }
}

/// The slug of the term that an address leads to, if it leads to the glossary.
fn slug_of(address: &str) -> Option<&str> {
    address
        .rsplit_once(ADDRESS)
        .filter(|(before, _)| before.is_empty() || before.ends_with('/'))
        .map(|(_, s)| s)
}

fn term_of(glossary: &Glossary, slug: &str) -> Option<usize> {
    glossary.terms.iter().position(|term| term.slug == slug)
}

/// The faults in one lesson's use of terms: links to terms that do not exist, and in an original, first uses that are not
/// links.
pub(crate) fn in_lesson(lesson: &Lesson, glossary: &Glossary) -> Vec<Fault> {
    let mut faults = dead_links(&lesson.file, &lesson.text, glossary);
    // In another language, the names of terms are other words, or the same with another meaning.
    if lesson.lang.is_some() {
        return faults;
    }
    let mut seen = vec![false; glossary.terms.len()];
    for used in mentions(&lesson.text, glossary).into_iter().filter(|used| used.kind == ProseKind::Running) {
        if !std::mem::replace(&mut seen[used.term], true) && !used.linked {
            let term = &glossary.terms[used.term];
            let link = format!("[{}]({ADDRESS}{})", used.words, term.slug);
            let what =
                format!("`{}` is used here for the first time in this lesson: write {link}", used.words);
            faults.push(Fault::new(&lesson.file, used.line, what));
        }
    }
    faults
}

fn dead_links(file: &str, text: &str, glossary: &Glossary) -> Vec<Fault> {
    let mut faults = Vec::new();
    for block in prose(text) {
        for (at, address) in block.links.iter().enumerate() {
            let Some(slug) = slug_of(address).filter(|slug| term_of(glossary, slug).is_none()) else {
                continue;
            };
            faults.push(missing(file, link_line(&block, at), slug, glossary));
        }
    }
    faults
}

fn link_line(block: &ProseBlock, link: usize) -> usize {
    let letter = block.letters.iter().find(|letter| letter.link == Some(link));
    letter.or(block.letters.first()).map_or(1, |letter| letter.line)
}

/// The fault of a link to a term that does not exist.
fn missing(file: &str, line: usize, slug: &str, glossary: &Glossary) -> Fault {
    let nearest = nearest(slug, glossary.terms.iter().map(|term| &term.slug), 3);
    Fault { nearest, ..Fault::new(file, line, format!("the glossary has no term `{slug}`")) }
}

/// The faults of a glossary, compared with all lessons: steps that do not exist, wrong links, terms that no lesson uses,
/// and terms used before the step that explains them.
pub fn in_glossary(glossary: &Glossary, text: &str, lessons: &[&Lesson]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for block in prose(text) {
        for (at, address) in block.links.iter().enumerate() {
            if let Some(slug) = address.strip_prefix('#').filter(|slug| term_of(glossary, slug).is_none()) {
                faults.push(missing(&glossary.file, link_line(&block, at), slug, glossary));
            }
        }
    }
    let uses: Vec<(&Lesson, Vec<Mention>)> =
        lessons.iter().map(|lesson| (*lesson, mentions(&lesson.text, glossary))).collect();
    for (at, term) in glossary.terms.iter().enumerate() {
        let mut found = |line, what| faults.push(Fault::new(&glossary.file, line, what));
        let Some(home) = StepSection::of(&term.step, lessons) else {
            let steps = lessons.iter().flat_map(|lesson| &lesson.steps).map(|step| &step.slug);
            let what = format!("`{}` is explained in `{}`, and no step has that name", term.name, term.step);
            let nearest = nearest(&term.step, steps, 3);
            faults.push(Fault { nearest, ..Fault::new(&glossary.file, term.link_line, what) });
            continue;
        };
        let address = home.address();
        if term.address != address {
            found(
                term.link_line,
                format!(
                    "the link to `{}` leads to `{}`, and the step is at `{address}`",
                    term.step, term.address
                ),
            );
        }
        // The heading above an explanation may use the term.
        let counts = |user: &Lesson, used: &Mention| {
            used.term == at && !(used.kind == ProseKind::Heading && home.has(user, used.line))
        };
        let first =
            uses.iter().find_map(|(user, all)| Some((*user, all.iter().find(|used| counts(user, used))?)));
        match first {
            None => found(term.line, format!("no lesson uses the term `{}`", term.name)),
            Some((user, used)) if !home.has(user, used.line) => found(
                term.link_line,
                format!(
                    "`{}` is used in {}:{}, before or outside of `{}`, which explains it",
                    used.words, user.file, used.line, term.step
                ),
            ),
            Some((user, used)) if !used.linked => found(
                term.link_line,
                format!("`{}` is explained in {}:{} without a link", used.words, user.file, used.line),
            ),
            Some(_) => {}
        }
    }
    faults
}

/// The section of a lesson that has a step.
struct StepSection<'l> {
    lesson: &'l Lesson,
    heading: String,
    /// For the first step of the lesson: the line of its cell. The introduction is part of its section.
    first: Option<usize>,
}

impl StepSection<'_> {
    fn of<'l>(slug: &str, lessons: &[&'l Lesson]) -> Option<StepSection<'l>> {
        lessons.iter().find_map(|lesson| {
            let within = lesson.steps.iter().position(|step| step.slug == slug)?;
            let line = lesson.steps[within].line;
            Some(StepSection { lesson, heading: heading(lesson, line), first: (within == 0).then_some(line) })
        })
    }

    /// The address of the section in links.
    fn address(&self) -> String {
        let file = Path::new(&self.lesson.file).file_name().expect("a lesson is a file").to_string_lossy();
        format!("{file}#{}", anchor(&self.heading))
    }

    /// Whether a line of a lesson is in the section.
    fn has(&self, lesson: &Lesson, line: usize) -> bool {
        lesson.file == self.lesson.file
            && (heading(lesson, line) == self.heading || self.first.is_some_and(|cell| line < cell))
    }
}

/// The heading above a line of a lesson; empty above the first one.
fn heading(lesson: &Lesson, line: usize) -> String {
    let above = headings(&lesson.text).into_iter().take_while(|(at, _)| *at <= line).last();
    above.map_or(String::new(), |(_, words)| words)
}
