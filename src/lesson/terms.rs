//! Checks the links between the lessons and the glossary: links to a term that does not exist, and the links of terms to the
//! steps that explain them.

use std::path::Path;

use super::fault::Fault;
use super::glossary::{Glossary, anchor};
use super::markdown::headings;
use super::step::Lesson;
use crate::ops::nearest;

/// The start of a link to a term.
pub(crate) const ADDRESS: &str = "glossary.md#";

/// The links of a lesson to terms that do not exist.
pub(crate) fn in_lesson(lesson: &Lesson, glossary: &Glossary) -> Vec<Fault> {
    dead_links(&lesson.file, &lesson.text, ADDRESS, glossary)
}

/// The links of a text whose address begins or goes on like this, and whose term does not exist.
fn dead_links(file: &str, text: &str, address: &str, glossary: &Glossary) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let slugs = line.split(address).skip(1).filter_map(|rest| rest.split_once(')'));
        for (slug, _) in slugs.filter(|(slug, _)| glossary.terms.iter().all(|term| term.slug != *slug)) {
            let nearest = nearest(slug, glossary.terms.iter().map(|term| &term.slug), 3);
            let what = format!("the glossary has no term `{slug}`");
            faults.push(Fault { nearest, ..Fault::new(file, at + 1, what) });
        }
    }
    faults
}

/// The faults of a glossary, compared with all lessons: steps that do not exist, and wrong links.
pub fn in_glossary(glossary: &Glossary, text: &str, lessons: &[&Lesson]) -> Vec<Fault> {
    let mut faults = dead_links(&glossary.file, text, "](#", glossary);
    for term in &glossary.terms {
        let fault = |what| Fault::new(&glossary.file, term.link_line, what);
        match address_of(&term.step, lessons) {
            Some(address) if address == term.address => {}
            Some(address) => faults.push(fault(format!(
                "the link to `{}` leads to `{}`, and the step is at `{address}`",
                term.step, term.address
            ))),
            None => {
                let steps = lessons.iter().flat_map(|lesson| &lesson.steps).map(|step| &step.slug);
                let what =
                    format!("`{}` is explained in `{}`, and no step has that name", term.name, term.step);
                faults.push(Fault { nearest: nearest(&term.step, steps, 3), ..fault(what) });
            }
        }
    }
    faults
}

/// The address of the section of a lesson that has a step, in links.
fn address_of(slug: &str, lessons: &[&Lesson]) -> Option<String> {
    lessons.iter().find_map(|lesson| {
        let step = lesson.steps.iter().find(|step| step.slug == slug)?;
        let above = headings(&lesson.text).into_iter().take_while(|(at, _)| *at <= step.line).last();
        let heading = above.map_or(String::new(), |(_, words)| words);
        let file = Path::new(&lesson.file).file_name().expect("a lesson is a file").to_string_lossy();
        Some(format!("{file}#{}", anchor(&heading)))
    })
}
