//! Where lessons use the words of the glossary: links that lead nowhere, words that come before they are explained.
//! Texts and a glossary in, findings with file and line out.
//!
//! Two rules. In every lesson the first use of a term is a link to it. In the whole chapter the first use of a term
//! stands in the step that the glossary names, where it is explained. Code does not count, headings do.

use std::cmp::Reverse;
use std::path::Path;

use super::Lesson;
use super::gate::Finding;
use super::glossary::{Glossary, anchor, plurals};
use super::markdown::{Prose, Reading, prose};
use crate::ops::nearest;

/// What a link to a term begins with.
pub const ADDRESS: &str = "glossary.md#";

/// A place where a lesson's text uses a term.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mention {
    /// Which term of the glossary.
    term: usize,
    line: usize,
    /// Whether it is a link to the term.
    linked: bool,
    kind: Reading,
    /// The words as they stand there.
    words: String,
}

/// A term's name in small letters, as it may stand in a text.
struct Form {
    letters: Vec<char>,
    term: usize,
}

fn forms(glossary: &Glossary) -> Vec<Form> {
    let mut forms = Vec::new();
    for (at, term) in glossary.terms.iter().enumerate() {
        for name in [&term.name].into_iter().chain(&term.also) {
            // `Q` and the like are names as they are; words have a plural and may begin a sentence.
            let all = if name.chars().count() == 1 { vec![name.clone()] } else { plurals(name).to_vec() };
            for form in all {
                forms.push(Form { letters: form.to_lowercase().chars().collect(), term: at });
            }
        }
    }
    // The longest first: "attention weight" is not the word "weight".
    forms.sort_by_key(|form| Reverse(form.letters.len()));
    forms
}

/// The uses of terms in a text, in reading order.
fn mentions(text: &str, glossary: &Glossary) -> Vec<Mention> {
    let forms = forms(glossary);
    let mut found = Vec::new();
    for block in prose(text) {
        in_block(&block, glossary, &forms, &mut found);
    }
    found
}

fn in_block(block: &Prose, glossary: &Glossary, forms: &[Form], found: &mut Vec<Mention>) {
    let letters: Vec<char> =
        block.letters.iter().map(|l| l.letter.to_lowercase().next().unwrap_or(' ')).collect();
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
        let fits = |form: &&Form| letters[at..].starts_with(&form.letters) && !joins(at + form.letters.len());
        match forms.iter().filter(|_| starts).find(fits) {
            Some(form) => {
                found.push(mention(block, at..at + form.letters.len(), form.term, false));
                at += form.letters.len();
            }
            None => at += 1,
        }
    }
}

fn mention(block: &Prose, range: std::ops::Range<usize>, term: usize, linked: bool) -> Mention {
    let words = block.letters[range.clone()].iter().map(|l| l.letter).collect();
    Mention { term, line: block.letters[range.start].line, linked, kind: block.kind, words }
}

/// The term that an address leads to, if it is one of the glossary's.
fn slug_of(address: &str) -> Option<&str> {
    address
        .rsplit_once(ADDRESS)
        .filter(|(before, _)| before.is_empty() || before.ends_with('/'))
        .map(|(_, s)| s)
}

fn term_of(glossary: &Glossary, slug: &str) -> Option<usize> {
    glossary.terms.iter().position(|term| term.slug == slug)
}

/// What is off in one lesson's use of terms: links to no term, first uses that are no links.
pub fn in_lesson(lesson: &Lesson, glossary: &Glossary) -> Vec<Finding> {
    let mut findings = dead_links(&lesson.file, &lesson.text, glossary);
    let mut seen = vec![false; glossary.terms.len()];
    for used in mentions(&lesson.text, glossary).into_iter().filter(|used| used.kind == Reading::Running) {
        if !std::mem::replace(&mut seen[used.term], true) && !used.linked {
            let term = &glossary.terms[used.term];
            let link = format!("[{}]({ADDRESS}{})", used.words, term.slug);
            let what =
                format!("`{}` stands here for the first time in this lesson: write {link}", used.words);
            findings.push(Finding { file: lesson.file.clone(), line: used.line, what });
        }
    }
    findings
}

fn dead_links(file: &str, text: &str, glossary: &Glossary) -> Vec<Finding> {
    let mut findings = Vec::new();
    for block in prose(text) {
        for (at, address) in block.links.iter().enumerate() {
            let Some(slug) = slug_of(address).filter(|slug| term_of(glossary, slug).is_none()) else {
                continue;
            };
            let line = block.letters.iter().find(|l| l.link == Some(at)).map_or(1, |l| l.line);
            findings.push(missing(file, line, slug, glossary));
        }
    }
    findings
}

fn missing(file: &str, line: usize, slug: &str, glossary: &Glossary) -> Finding {
    let near = nearest(slug, glossary.terms.iter().map(|term| &term.slug), 3);
    let near = if near.is_empty() { String::new() } else { format!(" (nearest: {})", near.join(", ")) };
    Finding { file: file.to_owned(), line, what: format!("the glossary has no term `{slug}`{near}") }
}

/// What is off with a glossary, held against all lessons: steps that are not there, links that lead elsewhere,
/// terms that nobody uses, and terms that come before the step that explains them.
pub fn in_glossary(glossary: &Glossary, text: &str, lessons: &[&Lesson]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut found =
        |line: usize, what: String| findings.push(Finding { file: glossary.file.clone(), line, what });
    for block in prose(text) {
        for (at, address) in block.links.iter().enumerate() {
            let line = block.letters.iter().find(|l| l.link == Some(at)).map_or(1, |l| l.line);
            if let Some(slug) = address.strip_prefix('#').filter(|slug| term_of(glossary, slug).is_none()) {
                let missing = missing(&glossary.file, line, slug, glossary);
                found(line, missing.what);
            }
        }
    }
    let uses: Vec<(&Lesson, Vec<Mention>)> =
        lessons.iter().map(|lesson| (*lesson, mentions(&lesson.text, glossary))).collect();
    for (at, term) in glossary.terms.iter().enumerate() {
        let home = lessons
            .iter()
            .find_map(|lesson| Some((*lesson, lesson.steps.iter().position(|s| s.slug == term.step)?)));
        let Some((lesson, within)) = home else {
            let steps = lessons.iter().flat_map(|lesson| &lesson.steps).map(|step| &step.slug);
            let near = nearest(&term.step, steps, 3);
            let near =
                if near.is_empty() { String::new() } else { format!(" (nearest: {})", near.join(", ")) };
            found(
                term.met,
                format!("`{}` is first met in `{}`, and no step is called so{near}", term.name, term.step),
            );
            continue;
        };
        let step = &lesson.steps[within];
        let file = Path::new(&lesson.file).file_name().map(|name| name.to_string_lossy().into_owned());
        let address = format!("{}#{}", file.unwrap_or_default(), anchor(&heading(lesson, step.line)));
        if term.address != address {
            found(
                term.met,
                format!(
                    "the link to `{}` leads to `{}`, and the step is at `{address}`",
                    step.slug, term.address
                ),
            );
        }
        let home = heading(lesson, step.line);
        let is_home = |user: &Lesson, used: &Mention| {
            user.file == lesson.file
                && (heading(user, used.line) == home || (within == 0 && used.line < step.line))
        };
        // The heading over an explanation may name what is explained.
        let counts = |user: &Lesson, used: &Mention| {
            used.term == at && !(used.kind == Reading::Heading && is_home(user, used))
        };
        let first =
            uses.iter().find_map(|(user, all)| Some((*user, all.iter().find(|used| counts(user, used))?)));
        match first {
            None => found(term.line, format!("no lesson uses the term `{}`", term.name)),
            Some((user, used)) => {
                if !is_home(user, used) {
                    found(
                        term.met,
                        format!(
                            "`{}` is used in {}:{}, before or outside of `{}`, which is to explain it",
                            used.words, user.file, used.line, term.step
                        ),
                    );
                } else if !used.linked {
                    found(
                        term.met,
                        format!(
                            "`{}` is explained in {}:{} without a link",
                            used.words, user.file, used.line
                        ),
                    );
                }
            }
        }
    }
    findings
}

/// The heading under which a line of a lesson stands.
fn heading(lesson: &Lesson, line: usize) -> String {
    super::markdown::headings(&lesson.text)
        .into_iter()
        .take_while(|(at, _)| *at <= line)
        .last()
        .map(|(_, words)| words)
        .unwrap_or_default()
}
