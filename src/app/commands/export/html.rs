//! Pages to share: of steps and exercises, of the cells of a file, of a session.

use super::cells::{CellWriter, write};
use super::lineage::Lineage;
use super::material::{ExportPart, ExportedExercise, ExportedStep};
use crate::app::cells::plan::PlannedCell;
use crate::app::cells::runner::FinishedCell;
use crate::app::cells::step::loop_variables;
use crate::app::cells::workspace::Workspace;
use crate::lesson::Term;
use crate::lesson::{Catalogue, Lesson};
use crate::view::html::Page;
use crate::view::markdown::before;

/// The page of a step, a lesson or the chapter, with the learner's answers.
pub(super) fn of_material(parts: &[ExportPart], lineage: Lineage, catalogue: &Catalogue) -> String {
    let many = parts.windows(2).any(|pair| pair[0].lesson().id != pair[1].lesson().id);
    let course = many.then(|| catalogue.course().heading.clone());
    write(parts, Box::new(PageBuilder { lineage, course, ..PageBuilder::new("", catalogue) }))
}

/// A page that grows cell by cell.
#[derive(Default)]
pub(crate) struct PageBuilder {
    page: Page,
    lineage: Lineage,
    /// The glossary of the course.
    terms: Vec<Term>,
    /// The title of the course, if it has several lessons, each with a heading.
    course: Option<String>,
}

impl PageBuilder {
    /// An empty page with this title. The glossary of the course explains its terms.
    pub(crate) fn new(title: &str, catalogue: &Catalogue) -> PageBuilder {
        let page = Page::new(title);
        let terms = catalogue.glossary().map(|glossary| glossary.terms).unwrap_or_default();
        PageBuilder { page, terms, ..PageBuilder::default() }
    }

    /// Adds Markdown whose headings begin at the level `top`. A first heading that repeats the title is left out.
    fn markdown(&mut self, markdown: &str, top: usize) {
        let mut rest = markdown.trim_start();
        if self.page.is_empty()
            && let Some(first) = rest.lines().next()
            && first.starts_with('#')
            && first.trim_matches(['#', ' ']) == self.page.title
        {
            rest = &rest[first.len()..];
        }
        self.page.prose(rest, top);
    }

    /// The level of the headings of steps.
    fn level(&self) -> usize {
        if self.course.is_some() { 2 } else { 1 }
    }
}

impl CellWriter for PageBuilder {
    fn prose(&mut self, text: &str) {
        self.markdown(text, 2);
    }

    fn ran(&mut self, finished: &FinishedCell, workspace: &mut Workspace, script: bool) {
        let FinishedCell { cell, outcome, .. } = finished;
        self.prose(&cell.prose);
        let panel = finished.of_file(script, workspace);
        let counters = loop_variables(&cell.source);
        let shown = outcome.changed.iter().filter(|variable| !counters.contains(&variable.name));
        let shown = shown.map(|it| (workspace.figure(&it.name, &it.value), it.value.clone()));
        let tensors = self.lineage.add(shown.collect(), workspace);
        self.page.cell(&panel, &tensors, &self.lineage.tensors, 2);
    }

    fn lesson(&mut self, lesson: &Lesson) {
        let title = lesson.heading();
        if self.course.is_some() {
            self.page.heading(&title);
        }
        if self.page.title.is_empty() {
            self.page.title = self.course.clone().unwrap_or(title);
        }
    }

    fn step(&mut self, ExportedStep { step, panel, tensors, asked, .. }: &ExportedStep) {
        let level = self.level();
        self.markdown(&before(panel), level);
        for (prediction, asked) in step.predictions.iter().zip(asked) {
            self.page.question(prediction, &asked.answers);
        }
        self.page.cell(panel, tensors, &self.lineage.tensors, level);
    }

    fn exercise(&mut self, exported: &ExportedExercise) {
        let level = self.level();
        let exercise = exported.exercise;
        self.markdown(&format!("## {}\n\n{}", exercise.heading(), exercise.task.trim()), level);
        self.page.code(exported.code());
        for (at, hint) in exercise.hints.iter().enumerate() {
            self.page.folded(&format!("Hint {}", at + 1), hint);
        }
        if exported.tried.passed.is_some() {
            self.markdown(&exercise.after, level);
        }
    }
    /// A page shows cells that ran.
    fn unrun(&mut self, _: &PlannedCell) {}

    fn finish(self: Box<Self>) -> String {
        self.page.finish(&self.lineage.tensors, &self.terms)
    }
}
