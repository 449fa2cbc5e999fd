//! Exports the cells of a notebook, a script or a Markdown file as Markdown or as a notebook, with what they show now.

use super::markdown::without_links;
use super::material::{ExportPart, ExportedExercise, ExportedStep};
use crate::app::cells::plan::{Plan, PlannedCell};
use crate::app::cells::runner::{FinishedCell, Runner};
use crate::app::cells::workspace::Workspace;
use crate::app::terminal::progress_bar::ProgressBar;
use crate::app::terminal::shell::{Exit, Failure};
use crate::lesson::Lesson;
use crate::lesson::ipynb::IpynbWriter;
use crate::lesson::notebook::RecordedOutput;
use crate::session::Outcome;
use crate::view::markdown::{self, before, fenced, joined, question};

/// A form in which the cells of a plan are written.
pub(crate) trait CellWriter {
    /// Adds Markdown.
    fn prose(&mut self, text: &str);
    /// Adds a cell that has just run in `workspace`. The last value of a script is not shown.
    fn ran(&mut self, finished: &FinishedCell, workspace: &mut Workspace, script: bool);
    /// Begins a lesson.
    fn lesson(&mut self, lesson: &Lesson);
    /// Adds a step that has run for the export.
    fn step(&mut self, run: &ExportedStep);
    fn exercise(&mut self, exported: &ExportedExercise);
    /// Adds a cell after one that raised.
    fn unrun(&mut self, cell: &PlannedCell);
    /// The text of the file.
    fn finish(self: Box<Self>) -> String;
}

/// Writes steps and exercises.
pub(crate) fn write(parts: &[ExportPart], mut file: Box<dyn CellWriter>) -> String {
    let mut lesson = "";
    for part in parts {
        if part.lesson().id != lesson {
            lesson = &part.lesson().id;
            file.lesson(part.lesson());
        }
        match part {
            ExportPart::Step(run) => file.step(run),
            ExportPart::Exercise(exported) => file.exercise(exported),
        }
    }
    file.finish()
}

/// Runs the cells of a plan and writes them. After a cell that raises, the others are written without outputs.
/// Errors: Ctrl-C was pressed.
pub(crate) fn of_plan<'c>(
    plan: &Plan<'c>,
    mut file: Box<dyn CellWriter>,
    workspace: &mut Workspace<'c>,
    progress: &ProgressBar,
) -> Result<(String, Exit), Failure> {
    let mut runner = Runner::new(workspace, &plan.cells).by_evidence();
    for cell in &plan.cells {
        progress.at(runner.done(), &cell.title());
        match runner.next() {
            Some(finished) => file.ran(&finished, runner.workspace, plan.script),
            None => file.unrun(cell),
        }
        if runner.is_interrupted() {
            return Err(Failure::Stopped);
        }
    }
    file.prose(&plan.ending);
    Ok((file.finish(), runner.exit()))
}

/// Markdown whose outputs `attn check` compares.
#[derive(Default)]
pub(super) struct MarkdownCells(Vec<String>);

impl CellWriter for MarkdownCells {
    fn prose(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }

    fn ran(&mut self, finished: &FinishedCell, _: &mut Workspace, script: bool) {
        self.unrun(finished.cell);
        self.0.push(fenced("output", &shown_of(script, &finished.outcome).shown()));
    }

    fn unrun(&mut self, cell: &PlannedCell) {
        self.prose(&cell.prose);
        self.0.push(fenced("python", &cell.source));
    }

    fn lesson(&mut self, lesson: &Lesson) {
        self.0.push(format!("# {}", lesson.heading()));
    }

    fn step(&mut self, run: &ExportedStep) {
        self.0.push(without_links(&markdown::step(
            &run.panel,
            &RecordedOutput::from(&run.outcome),
            &run.asked,
        )));
    }

    fn exercise(&mut self, exported: &ExportedExercise) {
        self.0.push(without_links(&exported.markdown(true)));
    }

    fn finish(self: Box<Self>) -> String {
        joined(&self.0)
    }
}

#[derive(Default)]
pub(super) struct NotebookCells(IpynbWriter);

impl CellWriter for NotebookCells {
    fn prose(&mut self, text: &str) {
        self.0.markdown("text", text);
    }

    fn ran(&mut self, finished: &FinishedCell, _: &mut Workspace, script: bool) {
        let cell = finished.cell;
        self.prose(&cell.prose);
        let outcome = shown_of(script, &finished.outcome);
        self.0.code("cell", &cell.source, &outcome, [cell.raises, cell.varies]);
    }

    fn unrun(&mut self, cell: &PlannedCell) {
        self.prose(&cell.prose);
        self.0.code_without_output("cell", &cell.source);
    }

    fn lesson(&mut self, lesson: &Lesson) {
        self.0.markdown(&format!("{}-title", lesson.id), &format!("# {}\n", lesson.heading()));
    }

    fn step(&mut self, run: &ExportedStep) {
        let slug = &run.step.slug;
        if !run.silent {
            let mut parts = vec![before(&run.panel)];
            parts.extend(run.asked.iter().map(question));
            self.0.markdown(&format!("{slug}-before"), &without_links(&joined(&parts)));
        }
        let shown = RecordedOutput::from(&run.outcome);
        self.0.code(slug, &run.step.code, &shown, [run.step.raises, run.step.varies]);
        if !run.silent {
            self.0.markdown(&format!("{slug}-after"), &without_links(&run.panel.after));
        }
    }

    /// It is no cell: the lesson goes on without what it changes.
    fn exercise(&mut self, exported: &ExportedExercise) {
        self.0.markdown(&exported.exercise.slug, &without_links(&exported.markdown(false)));
    }

    fn finish(self: Box<Self>) -> String {
        self.0.finish()
    }
}

/// What a cell showed; of a script without its last value.
fn shown_of(script: bool, outcome: &Outcome) -> RecordedOutput {
    let shown = RecordedOutput::from(outcome);
    RecordedOutput { result: shown.result.filter(|_| !script), ..shown }
}
