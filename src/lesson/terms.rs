//! Checks the links of lessons to terms of the glossary: each leads to a term, and the first of the whole course is in the
//! step that the glossary names, which explains the term.

use std::path::Path;

use super::fault::Fault;
use super::glossary::{Glossary, anchor};
use super::markdown::headings;
use super::step::Lesson;

/// The start of a link to a term.
pub(crate) const ADDRESS: &str = "glossary.md#";

/// The slugs of the terms that a text links to, each with its line. Addresses of terms begin with `start`.
fn links<'t>(text: &'t str, start: &'static str) -> impl Iterator<Item = (usize, &'t str)> {
    text.lines().enumerate().flat_map(move |(at, line)| {
        let slug = |rest: &'t str| rest.split([')', '"', ' ']).next().unwrap_or(rest);
        line.split(start).skip(1).map(move |rest| (at + 1, slug(rest)))
    })
}

/// The faults of links to terms that do not exist.
pub(super) fn dead_links(file: &str, text: &str, start: &'static str, glossary: &Glossary) -> Vec<Fault> {
    let slugs = || glossary.terms.iter().map(|term| &term.slug);
    let dead = links(text, start).filter(|(_, slug)| !slugs().any(|known| known == slug));
    let fault = |(line, slug): (usize, &str)| {
        Fault::new(file, line, format!("the glossary has no term `{slug}`")).near(slug, slugs())
    };
    dead.map(fault).collect()
}

/// The faults of a glossary, compared with all lessons: steps that do not exist, wrong links, terms that no lesson links to,
/// and terms that are linked before the step that explains them.
pub fn in_glossary(glossary: &Glossary, text: &str, lessons: &[&Lesson]) -> Vec<Fault> {
    let mut faults = dead_links(&glossary.file, text, "](#", glossary);
    for term in &glossary.terms {
        let mut found = |line, what| faults.push(Fault::new(&glossary.file, line, what));
        let Some(home) = StepSection::of(&term.step, lessons) else {
            let steps = lessons.iter().flat_map(|lesson| &lesson.steps).map(|step| &step.slug);
            let what = format!("`{}` is explained in `{}`, and no step has that name", term.name, term.step);
            faults.push(Fault::new(&glossary.file, term.link_line, what).near(&term.step, steps));
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
        let first = lessons.iter().find_map(|lesson| {
            let (line, _) = links(&lesson.text, ADDRESS).find(|(_, slug)| *slug == term.slug)?;
            Some((lesson, line))
        });
        match first {
            None => found(term.line, format!("no lesson uses the term `{}`", term.name)),
            Some((lesson, line)) if !home.has(lesson, line) => found(
                term.link_line,
                format!(
                    "{}:{line} links to `{}` before or outside of `{}`, which explains it",
                    lesson.file, term.name, term.step
                ),
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
