//! Exports the cells of a notebook, a script or a Markdown file as Markdown or as a notebook, with what they show now.

use super::notebook::recorded;
use crate::app::cells::evidence::output_of;
use crate::app::cells::plan::{Plan, PlannedCell};
use crate::app::cells::runner::{FinishedCell, Runner};
use crate::app::cells::workspace::Workspace;
use crate::app::terminal::progress_bar::ProgressBar;
use crate::app::terminal::shell::{Exit, Failure};
use crate::lesson::ipynb::IpynbWriter;
use crate::lesson::notebook::{RAISES, VARIES};
use crate::session::Outcome;
use crate::view::markdown::{fenced, joined};

/// A form in which the cells of a plan are written.
pub(crate) trait CellWriter {
    /// Adds Markdown.
    fn prose(&mut self, text: &str);
    /// Adds a cell that has just run in `workspace`. The last value of a script is not shown.
    fn ran(&mut self, finished: &FinishedCell, workspace: &mut Workspace, script: bool);
    /// Adds a cell after one that raised.
    fn unrun(&mut self, cell: &PlannedCell);
    /// The text of the file.
    fn finish(self: Box<Self>) -> String;
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
        self.0.push(fenced("output", &output_of(&without_result_of(script, &finished.outcome))));
    }

    fn unrun(&mut self, cell: &PlannedCell) {
        self.prose(&cell.prose);
        self.0.push(fenced("python", &cell.source));
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
        let tags = [(RAISES, cell.raises), (VARIES, cell.varies)];
        let tags: Vec<&str> = tags.into_iter().filter_map(|(tag, applies)| applies.then_some(tag)).collect();
        self.prose(&cell.prose);
        let outcome = without_result_of(script, &finished.outcome);
        self.0.code("cell", &cell.source, &recorded(&outcome), &tags);
    }

    fn unrun(&mut self, cell: &PlannedCell) {
        self.prose(&cell.prose);
        self.0.code_without_output("cell", &cell.source);
    }

    fn finish(self: Box<Self>) -> String {
        self.0.finish()
    }
}

/// The outcome of a cell, or of a script, whose last value is not shown.
fn without_result_of(script: bool, outcome: &Outcome) -> Outcome {
    Outcome { result: outcome.result.clone().filter(|_| !script), ..outcome.clone() }
}
