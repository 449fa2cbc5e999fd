//! Exports the cells of a notebook, a script or a Markdown file as Markdown or as a notebook, with what they show now.

use super::notebook::recorded;
use crate::app::cells::evidence::output_of;
use crate::app::cells::plan::Plan;
use crate::app::cells::runner::Runner;
use crate::app::cells::workspace::Workspace;
use crate::app::terminal::progress_bar::ProgressBar;
use crate::app::terminal::shell::{Exit, Failure};
use crate::lesson::ipynb::IpynbWriter;
use crate::lesson::notebook::{RAISES, VARIES};
use crate::session::Outcome;
use crate::view::markdown::{fenced, joined};

/// A form in which cells are written.
pub(super) trait CellWriter {
    /// Adds Markdown.
    fn prose(&mut self, text: &str);
    /// Adds a cell, with its outcome if it has run.
    fn cell(&mut self, source: &str, outcome: Option<&Outcome>, tags: &[&str]);
    /// The text of the file.
    fn finish(self: Box<Self>) -> String;
}

/// Runs the cells of a plan and writes them. After a cell that raises, the others are written without outputs.
/// Errors: Ctrl-C was pressed.
pub(super) fn of_plan<'c>(
    plan: &Plan<'c>,
    mut file: Box<dyn CellWriter>,
    workspace: &mut Workspace<'c>,
    progress: &ProgressBar,
) -> Result<(String, Exit), Failure> {
    let mut runner = Runner::new(workspace, &plan.cells).by_evidence();
    for cell in &plan.cells {
        progress.at(runner.done(), &cell.title());
        let mut outcome = runner.next().map(|finished| finished.outcome);
        if runner.is_interrupted() {
            return Err(Failure::Stopped);
        }
        if let Some(outcome) = outcome.as_mut().filter(|_| plan.script) {
            outcome.result = None;
        }
        let tags = [(RAISES, cell.raises), (VARIES, cell.varies)];
        let tags: Vec<&str> = tags.into_iter().filter_map(|(tag, applies)| applies.then_some(tag)).collect();
        file.prose(&cell.prose);
        file.cell(&cell.source, outcome.as_ref(), &tags);
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

    fn cell(&mut self, source: &str, outcome: Option<&Outcome>, _: &[&str]) {
        self.0.push(fenced("python", source));
        self.0.extend(outcome.map(|outcome| fenced("output", &output_of(outcome))));
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

    fn cell(&mut self, source: &str, outcome: Option<&Outcome>, tags: &[&str]) {
        match outcome {
            Some(outcome) => self.0.code("cell", source, &recorded(outcome), tags),
            None => self.0.code_without_output("cell", source),
        }
    }

    fn finish(self: Box<Self>) -> String {
        self.0.finish()
    }
}
