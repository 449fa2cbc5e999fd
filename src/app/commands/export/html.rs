//! Pages to share: of steps and exercises, of the cells of a file, of a session.

use super::lineage::{Lineage, ShownTensors};
use super::material::{ExportPart, ExportedExercise, Material};
use crate::app::cells::plan::Plan;
use crate::app::cells::runner::{FinishedCell, Runner};
use crate::app::cells::step::{loop_variables, nonfinite, plots, shown_tensors};
use crate::app::cells::workspace::Workspace;
use crate::app::terminal::progress_bar::ProgressBar;
use crate::app::terminal::shell::{Exit, Failure};
use crate::lesson::exercise::{Prediction, RightAnswer};
use crate::lesson::{Catalogue, Lesson, Step};
use crate::session::Outcome;
use crate::view::Panel;
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
    let mut builder = PageBuilder { lineage, many, course, ..PageBuilder::default() };
    for part in shown {
        match part {
            ExportPart::Step(run) => {
                builder.step(run.step, run.lesson, &run.panel, &run.tensors, &run.asked);
            }
            ExportPart::Exercise(exported) => builder.exercise(exported),
        }
    }
    builder.finish(catalogue)
}

/// The page of the cells of a plan, which run for it; `progress` says how far it is.
/// Errors: Ctrl-C was pressed.
pub(crate) fn of_plan<'c>(
    plan: &Plan<'c>,
    workspace: &mut Workspace<'c>,
    catalogue: &Catalogue,
    progress: &ProgressBar,
) -> Result<(String, Exit), Failure> {
    let mut builder = PageBuilder::titled(&plan.title);
    let mut runner = Runner::new(workspace, &plan.cells).by_evidence();
    while let Some(cell) = runner.upcoming() {
        progress.at(runner.done(), &cell.title());
        let Some(finished) = runner.next() else { break };
        progress.at(finished.index, &format!("{}: where its numbers come from", cell.title()));
        builder.cell(&finished, runner.workspace, plan.script);
    }
    if runner.is_interrupted() {
        return Err(Failure::Stopped);
    }
    builder.prose(&plan.ending, 2);
    Ok((builder.finish(catalogue), runner.exit()))
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
    pub(crate) fn titled(title: &str) -> PageBuilder {
        let page = Page { title: title.to_owned(), ..Page::default() };
        PageBuilder { page, ..PageBuilder::default() }
    }

    /// Adds a step that has just run in `workspace`.
    pub(crate) fn ran(
        &mut self,
        (step, lesson): (&Step, &Lesson),
        panel: &Panel,
        outcome: &Outcome,
        workspace: &mut Workspace,
    ) {
        let shown = shown_tensors(step, outcome, &mut workspace.session);
        let shown = panel.figures.iter().cloned().zip(shown.into_iter().map(|it| it.value));
        let tensors = self.lineage.add(shown.collect(), workspace);
        let asked = |prediction: &Prediction| AnsweredQuestion {
            ask: prediction.ask.clone(),
            ..AnsweredQuestion::default()
        };
        let asked: Vec<AnsweredQuestion> = step.predictions.iter().map(asked).collect();
        self.step(step, lesson, panel, &tensors, &asked);
    }

    /// Adds a file's cell that has just run in `workspace`.
    pub(crate) fn cell(&mut self, finished: &FinishedCell, workspace: &mut Workspace, script: bool) {
        let FinishedCell { cell, outcome, .. } = finished;
        self.prose(&cell.prose, 2);
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

    /// Adds Markdown. A first heading that repeats the title is left out.
    pub(crate) fn prose(&mut self, markdown: &str, top: usize) {
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

    /// The text of the page.
    pub(crate) fn finish(mut self, catalogue: &Catalogue) -> String {
        if let Ok(glossary) = catalogue.glossary() {
            let terms = glossary.terms.into_iter().map(|term| (term.slug, term.name, term.text));
            self.page.terms = terms.collect();
        }
        self.page.tensors = self.lineage.tensors;
        page(&self.page)
    }

    fn push(&mut self, part: PagePart) {
        self.page.parts.push(part);
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

    fn step(
        &mut self,
        step: &Step,
        lesson: &Lesson,
        panel: &Panel,
        tensors: &ShownTensors,
        asked: &[AnsweredQuestion],
    ) {
        self.lesson(lesson);
        let level = self.level();
        self.prose(&before(panel), level);
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
        self.prose(&panel.after, level);
        for remark in &panel.remarks {
            self.push(PagePart::Remark(remark.clone()));
        }
    }

    fn exercise(&mut self, exported: &ExportedExercise) {
        self.lesson(exported.lesson);
        let level = self.level();
        let exercise = exported.exercise;
        self.prose(&format!("## {}\n\n{}", exercise.heading(), exercise.task.trim()), level);
        self.push(PagePart::Code(exported.code().to_owned()));
        for (at, hint) in exercise.hints.iter().enumerate() {
            self.push(PagePart::Folded(format!("Hint {}", at + 1), hint.clone()));
        }
        if exported.tried.passed.is_some() {
            self.prose(&exercise.after, level);
        }
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
