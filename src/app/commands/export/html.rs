//! Pages to share: of steps and exercises, of the cells of a file, of a session.

use super::cells::CellWriter;
use super::lineage::{Lineage, ShownTensors};
use super::material::{ExportPart, ExportedExercise, ExportedStep, Material};
use crate::app::cells::plan::PlannedCell;
use crate::app::cells::runner::FinishedCell;
use crate::app::cells::step::{loop_variables, nonfinite, plots};
use crate::app::cells::workspace::Workspace;
use crate::lesson::exercise::{Prediction, RightAnswer};
use crate::lesson::{Catalogue, Lesson};
use crate::view::html::{Page, PagePart, page};
use crate::view::markdown::{AnsweredQuestion, before};

/// The page of a step, a lesson or the chapter, with the learner's answers.
pub(super) fn of_material(material: &Material, lineage: Lineage, catalogue: &Catalogue) -> String {
    let shown = material.parts.iter().filter(|part| !matches!(part, ExportPart::Step(run) if run.silent));
    let lesson = |part: &ExportPart<'_>| match part {
        ExportPart::Step(run) => run.lesson.id.clone(),
        ExportPart::Exercise(exported) => exported.lesson.id.clone(),
    };
    let mut lessons: Vec<String> = shown.clone().map(lesson).collect();
    lessons.dedup();
    let many = lessons.len() > 1;
    let course = many.then(|| catalogue.course().heading.clone());
    let mut builder = PageBuilder { lineage, many, course, ..PageBuilder::new("", catalogue) };
    for part in shown {
        match part {
            ExportPart::Step(run) => builder.step(run),
            ExportPart::Exercise(exported) => builder.exercise(exported),
        }
    }
    Box::new(builder).finish()
}

/// A page that grows cell by cell.
#[derive(Default)]
pub(crate) struct PageBuilder {
    page: Page,
    lineage: Lineage,
    /// Whether it has several lessons, each with a heading.
    many: bool,
    /// The title of the course, if it has several lessons.
    course: Option<String>,
    /// The lesson of the step before.
    lesson: String,
}

impl PageBuilder {
    /// An empty page with this title. The glossary of the course explains its terms.
    pub(crate) fn new(title: &str, catalogue: &Catalogue) -> PageBuilder {
        let mut page = Page { title: title.to_owned(), ..Page::default() };
        if let Ok(glossary) = catalogue.glossary() {
            let terms = glossary.terms.into_iter().map(|term| (term.slug, term.name, term.text));
            page.terms = terms.collect();
        }
        PageBuilder { page, ..PageBuilder::default() }
    }

    fn push(&mut self, part: PagePart) {
        self.page.parts.push(part);
    }

    /// Adds Markdown whose headings begin at the level `top`. A first heading that repeats the title is left out.
    fn markdown(&mut self, markdown: &str, top: usize) {
        let mut rest = markdown.trim_start();
        if self.page.parts.is_empty()
            && let Some(first) = rest.lines().next()
            && first.starts_with('#')
            && first.trim_matches(['#', ' ']) == self.page.title
        {
            rest = &rest[first.len()..];
        }
        if !rest.trim().is_empty() {
            self.push(PagePart::Prose(rest.to_owned(), top));
        }
    }

    fn tensors(&mut self, tensors: &ShownTensors) {
        for number in &tensors.shown {
            self.push(PagePart::Tensor(*number));
        }
        self.push(PagePart::OnTheWay(tensors.on_the_way.clone()));
    }

    /// Begins a lesson, unless it has begun.
    fn lesson(&mut self, lesson: &Lesson) {
        let title = lesson.heading();
        if self.lesson != lesson.id && self.many {
            self.push(PagePart::Heading(title.clone()));
        }
        if self.page.title.is_empty() {
            self.page.title = self.course.clone().unwrap_or(title);
        }
        self.lesson.clone_from(&lesson.id);
    }

    /// The level of the headings of steps.
    fn level(&self) -> usize {
        if self.many { 2 } else { 1 }
    }

    fn step(&mut self, ExportedStep { step, lesson, panel, tensors, asked, .. }: &ExportedStep) {
        self.lesson(lesson);
        let level = self.level();
        self.markdown(&before(panel), level);
        for (prediction, asked) in step.predictions.iter().zip(asked) {
            self.push(question(prediction, asked));
        }
        self.push(PagePart::Code(panel.code.clone()));
        self.push(PagePart::Output(panel.stdout.clone(), panel.result.clone()));
        if let Some(note) = &panel.error {
            self.push(PagePart::Error(Box::new(note.clone())));
        }
        self.tensors(tensors);
        for picture in &panel.pictures {
            self.push(PagePart::Picture(picture.clone()));
        }
        self.push(PagePart::Checks(panel.checks.clone()));
        self.push(PagePart::Worked(panel.worked.clone()));
        self.markdown(&panel.after, level);
        for remark in &panel.remarks {
            self.push(PagePart::Remark(remark.clone()));
        }
    }

    fn exercise(&mut self, exported: &ExportedExercise) {
        self.lesson(exported.lesson);
        let level = self.level();
        let exercise = exported.exercise;
        self.markdown(&format!("## {}\n\n{}", exercise.heading(), exercise.task.trim()), level);
        self.push(PagePart::Code(exported.code().to_owned()));
        for (at, hint) in exercise.hints.iter().enumerate() {
            self.push(PagePart::Folded(format!("Hint {}", at + 1), hint.clone()));
        }
        if exported.tried.passed.is_some() {
            self.markdown(&exercise.after, level);
        }
    }
}

impl CellWriter for PageBuilder {
    fn prose(&mut self, text: &str) {
        self.markdown(text, 2);
    }

    fn ran(&mut self, finished: &FinishedCell, workspace: &mut Workspace, script: bool) {
        let FinishedCell { cell, outcome, .. } = finished;
        self.prose(&cell.prose);
        self.push(PagePart::Code(cell.source.clone()));
        let result = outcome.result.clone().filter(|_| !script);
        self.push(PagePart::Output(outcome.stdout.clone(), result));
        if let Some(raised) = &outcome.error {
            self.push(PagePart::Error(Box::new(workspace.error_note(raised, &cell.source))));
        }
        let counters = loop_variables(&cell.source);
        let shown = outcome.changed.iter().filter(|variable| !counters.contains(&variable.name));
        let shown = shown.map(|it| (workspace.figure(&it.name, &it.value), it.value.clone()));
        let tensors = self.lineage.add(shown.collect(), workspace);
        self.tensors(&tensors);
        for picture in plots(outcome) {
            self.push(PagePart::Picture(picture));
        }
        let remarks = outcome.stderr.lines().map(str::to_owned);
        for remark in remarks.chain(nonfinite(outcome, &workspace.session)) {
            self.push(PagePart::Remark(remark));
        }
    }

    /// A page shows cells that ran.
    fn unrun(&mut self, _: &PlannedCell) {}

    fn finish(mut self: Box<Self>) -> String {
        self.page.tensors = self.lineage.tensors;
        page(&self.page)
    }
}

fn question(prediction: &Prediction, asked: &AnsweredQuestion) -> PagePart {
    let mut answer = prediction.right.clone();
    let mut choices = Vec::new();
    if let RightAnswer::Choice(all) = &prediction.answer {
        choices = all.iter().map(|choice| choice.text.clone()).collect();
        for choice in all {
            let because = match choice.right {
                true if choice.because.is_empty() => "**This one.**".to_owned(),
                true => format!("**This one.** {}", choice.because),
                false => choice.because.clone(),
            };
            answer.push_str(&format!("\n\n*{}* {because}", choice.text.trim()));
        }
    }
    PagePart::Question { ask: prediction.ask.clone(), choices, given: asked.answers.clone(), answer }
}
