//! Exports as Markdown: exercises, and a page on the chapter.

use super::material::{ExportPart, ExportedExercise, ExportedStep};
use crate::app::learner::summary;
use crate::lesson::progress::{GivenAnswer, Progress};
use crate::lesson::terms::ADDRESS;
use crate::lesson::{Catalogue, Lesson};
use crate::view::Figure;
use crate::view::markdown::{fenced, inline, joined, table};

/// Markdown without the links to the glossary's file, which is not beside an export.
pub(super) fn without_links(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(&format!("]({ADDRESS}")) {
        let (head, word) = before.rsplit_once('[').unwrap_or((before, ""));
        out.extend([head, word]);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

impl ExportedExercise<'_> {
    /// The task and the learner's code, if `says_whose` with words before it.
    pub(super) fn markdown(&self, says_whose: bool) -> String {
        let exercise = self.exercise;
        let mut parts = vec![format!("## {}", exercise.heading()), exercise.task.trim().to_owned()];
        let words = match (&self.tried.passed, self.tried.attempts.is_empty()) {
            (Some(_), _) => "My solution, which passed:",
            (None, false) => "My newest attempt:",
            (None, true) => "To start from:",
        };
        parts.extend(says_whose.then(|| words.to_owned()));
        parts.push(fenced("python", self.code()));
        if self.tried.passed.is_some() {
            parts.push(exercise.after.trim().to_owned());
        }
        joined(&parts)
    }
}

/// A page on the chapter: each lesson that the learner has begun, with their answers and one table.
pub(crate) fn of_chapter(material: &[ExportPart], catalogue: &Catalogue, progress: &Progress) -> String {
    let mut parts = vec![format!("# {}: what I learned", catalogue.course().heading)];
    parts.push(listed(&summary::of_course(catalogue, catalogue.lesson_count(), progress)));
    for lesson in catalogue.lessons().flatten() {
        match progress.lessons.contains_key(&lesson.id) {
            true => parts.push(of_lesson(lesson, material, progress)),
            false => parts.push(format!("## {}\n\n{} *Not begun.*", lesson.heading(), lesson.summary)),
        }
    }
    joined(&parts)
}

fn listed(results: &[(String, String)]) -> String {
    let lines: Vec<String> = results.iter().map(|(name, figure)| format!("- {name}: {figure}")).collect();
    lines.join("\n")
}

fn of_lesson(lesson: &Lesson, material: &[ExportPart], progress: &Progress) -> String {
    let mut parts = vec![format!("## {}", lesson.heading()), lesson.summary.clone()];
    parts.push(listed(&summary::results(&[lesson], progress)));
    let runs: Vec<&ExportedStep> = material
        .iter()
        .filter_map(|part| match part {
            ExportPart::Step(run) if run.lesson.id == lesson.id => Some(&**run),
            _ => None,
        })
        .collect();
    parts.push(answers(&runs));
    parts.extend(typical_table(&runs).map(table));
    for part in material {
        let ExportPart::Exercise(exported) = part else { continue };
        if let (true, Some(passed)) = (exported.lesson.id == lesson.id, &exported.tried.passed) {
            parts.push(format!("My solution of \"{}\":", inline(&exported.exercise.title)));
            parts.push(fenced("python", passed));
        }
    }
    joined(&parts)
}

/// A table of questions and answers.
fn answers(runs: &[&ExportedStep]) -> String {
    let mut lines = Vec::new();
    for asked in runs.iter().flat_map(|run| &run.asked).filter(|asked| !asked.answers.is_empty()) {
        let given = asked.answers.iter().map(|GivenAnswer { text, right }| {
            let mark = if *right { " ✓" } else { "" };
            format!("{}{mark}", inline(text))
        });
        let ask = asked.ask.trim().replace('|', "\\|").replace('\n', " ");
        lines.push(format!("| {ask} | {} |", given.collect::<Vec<_>>().join(", then ")));
    }
    if !lines.is_empty() {
        lines.splice(0..0, ["| asked before it ran | my answers |", "| --- | --- |"].map(str::to_owned));
    }
    lines.join("\n")
}

/// The table for a lesson: the last small one with named axes that the learner has seen.
fn typical_table<'r>(runs: &[&'r ExportedStep]) -> Option<&'r Figure> {
    let seen = runs.iter().rev().filter(|run| run.done && !run.step.aside);
    let fits = |figure: &&Figure| (2..=48).contains(&figure.count()) && figure.shape.len() <= 2;
    let named = |figure: &&Figure| fits(figure) && figure.shape.len() == 2 && !figure.axes.is_empty();
    let figures: Vec<&Figure> = seen.flat_map(|run| run.panel.figures.iter().rev()).collect();
    figures.iter().copied().find(named).or_else(|| figures.iter().copied().find(fits))
}
