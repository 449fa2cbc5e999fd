//! The commands that analyse what ran: `:why`, `:trace`, `:what-if`, `:doctor`.

use super::super::cells::plan::PlannedCell;
use super::super::cells::runner::{FinishedCell, Runner, Tracing};
use super::super::cells::trace::Detail;
use super::super::cells::workspace::{RanCell, Workspace};
use super::super::cells::{trace, what_if};
use super::super::commands::{doctor, why};
use super::super::terminal::shell::Shell;
use super::commands::required;
use super::state::{CommandError, CommandResult, Repl, input_name, is_input, shown};
use crate::lesson::Target;
use crate::view::doctor as report;

impl Repl<'_> {
    pub(super) fn why(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let (expression, depth) = why::expression_and_depth(required(words, ":why keys[1,0]")?);
        let text = {
            let workspace = &mut *self.workspace.borrow_mut();
            let generator = workspace.session.state().generator.borrow().clone();
            let text = why::text(expression, depth.unwrap_or(why::DEPTH), workspace, shell.look);
            *workspace.session.state().generator.borrow_mut() = generator;
            text?
        };
        shown(&text, shell)
    }

    pub(super) fn trace(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let workspace = self.workspace.borrow();
        let at = self.cell_of(words, "trace", &workspace)?;
        let traced = trace::rerun(&workspace, at + 1).ok_or(CommandError::Interrupted)?;
        if traced.steps.is_empty() {
            return Err(CommandError::Message(format!(
                "`{}` runs no operation on tensors.",
                workspace.ran[at].name
            )));
        }
        shown(&trace::text(&traced, &workspace.session, Detail::Folded, shell.look), shell)
    }

    pub(super) fn what_if(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let change = required(words, ":what-if inputs[1,0]=0.9")?;
        let text = what_if::typed(&self.workspace.borrow(), change, shell.look)?;
        shown(&text, shell)
    }

    pub(super) fn doctor(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let workspace = self.workspace.borrow();
        let inputs: Vec<usize> = match words.is_empty() {
            true => (0..workspace.ran.len()).filter(|at| is_input(&workspace.ran[*at].name)).collect(),
            false => vec![self.cell_of(words, "doctor", &workspace)?],
        };
        let examined = if inputs.is_empty() { vec![self.cell_of("", "doctor", &workspace)?] } else { inputs };
        let last = examined.last().map_or(0, |at| at + 1);
        let cells = workspace
            .ran
            .iter()
            .take(last)
            .enumerate()
            .map(|(at, ran)| PlannedCell { silent: !examined.contains(&at), ..PlannedCell::again(ran) });
        let cells: Vec<PlannedCell> = cells.collect();
        let mut copy = workspace.empty();
        let mut runner = Runner::new(&mut copy, &cells).keep_going(true).tracing(Tracing::Examined);
        let (mut found, mut looked) = (Vec::new(), report::Looked::default());
        looked.cells = examined.len();
        while let Some(FinishedCell { trace, calls, .. }) = runner.next() {
            looked.operations += trace.complete();
            looked.repeats += trace.repeats;
            looked.lost += trace.lost();
            found.extend(doctor::findings(&trace, &calls, &runner.workspace.session));
        }
        if runner.is_interrupted() {
            return Err(CommandError::Interrupted);
        }
        for found in &found {
            let mut text = report::found(found, shell.look);
            text.gap();
            shell.show(&text)?;
        }
        shown(&report::summary(&looked, found.len(), &[], shell.look), shell)
    }

    /// The index of a cell that ran: by its name, its step or the number of its input. Without words, the last one.
    fn cell_of(&self, words: &str, command: &str, workspace: &Workspace) -> Result<usize, CommandError> {
        let words = words.trim();
        let number = words.trim_start_matches(['[', '#']).trim_end_matches(']').parse().ok().map(input_name);
        let slug = self.catalogue.find(words).ok().and_then(|target| match target {
            Target::Step(step, _) => Some(step.name()),
            _ => None,
        });
        let matches = |cell: &RanCell| {
            words.is_empty()
                || cell.name == words
                || number.as_ref() == Some(&cell.name)
                || slug.as_ref() == Some(&cell.name)
        };
        workspace.ran.iter().rposition(matches).ok_or_else(|| match workspace.ran.is_empty() {
            true => CommandError::message("Nothing has run here yet."),
            false => CommandError::Message(format!(
                "No cell here is called `{words}`. A number is that of an input: `:{command} {}`; a step has a name: `:{command} scores`.",
                self.input_count.max(1)
            )),
        })
    }
}
