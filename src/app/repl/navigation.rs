//! Moves between states: the start of a session, `:step`, `:next`, `:goto`, `:reset` and `:undo`.
//! Each state is computed by running the cells that lead to it.

use super::super::cells::notes::note;
use super::super::cells::plan;
use super::super::cells::runner::{Runner, replayed, unexpected};
use super::super::cells::step::step_panel;
use super::super::cells::workspace::Workspace;
use super::super::terminal::shell::{Failure, Shell};
use super::cells::shape_words;
use super::state::{CommandError, CommandResult, InputResult, Outcomes, Repl, UndoPoint, shown};
use crate::lesson::Catalogue;
use crate::view::errors::error;
use crate::view::panel;

/// The most tensors that the greeting lists.
const MAX_LISTED: usize = 6;

/// A workspace in which only `import torch` has run.
pub(super) fn bare_workspace<'c>(shell: &Shell) -> Workspace<'c> {
    let mut workspace = Workspace::new(&shell.options);
    workspace.run("import torch", "start");
    workspace
}

/// A workspace with the state after a step, a lesson or a file, and the outcomes of its cells.
pub(super) fn workspace_at<'c>(
    word: &str,
    catalogue: &'c Catalogue,
    shell: &mut Shell,
) -> Result<(Workspace<'c>, Outcomes), Failure> {
    let plan = plan::plan(word, None, catalogue)?;
    plan.show_remarks(shell);
    let mut outcomes = Outcomes::new();
    let mut workspace = plan.workspace(&shell.options);
    let mut runner = Runner::new(&mut workspace, &plan.cells).by_evidence();
    for finished in runner.by_ref() {
        let cell = finished.cell;
        // Ctrl-C is reported by the command that was stopped.
        if let Some(raised) = finished.failure().filter(|raised| !raised.interrupted) {
            shell.remark(&format!("{} raised; the state is that before it", cell.name));
            shell.note(&error(&note(raised, &cell.source), shell.look));
            break;
        }
        outcomes.insert(cell.name.clone(), finished.outcome);
    }
    if runner.is_interrupted() { Err(Failure::Stopped) } else { Ok((workspace, outcomes)) }
}

impl<'c> Repl<'c> {
    /// Shows the current state, and how to get help and to leave.
    pub(super) fn greet(&self, shell: &mut Shell) -> Result<(), Failure> {
        let leave = self.leaving();
        self.say(&format!("{} `:help` lists the commands; {leave}.", self.state_summary()), shell)
    }

    /// How to leave.
    pub(super) fn leaving(&self) -> &'static str {
        match self.in_walkthrough {
            true => "Ctrl-D goes back to the lesson, whose own variables stay as they are",
            false => "Ctrl-D leaves",
        }
    }

    /// One sentence that names the current state and its tensors.
    fn state_summary(&self) -> String {
        let workspace = self.workspace.borrow();
        let at = match (workspace.at, &self.source) {
            _ if self.place.is_some() => self.place.clone().unwrap_or_default(),
            (Some((step, lesson)), _) => {
                format!("State after {} {}, {}", step.name(), step.slug, lesson.heading())
            }
            (None, Some(file)) => format!("State after `{file}`"),
            (None, None) => return "`torch` is imported; nothing else is there yet.".to_owned(),
        };
        let named = |variable: &crate::session::Variable| {
            let words = workspace.outline(&variable.name, &variable.value).named_shape();
            format!("`{}` {words}", variable.name)
        };
        let all = workspace.session.variables();
        // The step made the latest tensors.
        let shown: Vec<String> = all.iter().rev().take(MAX_LISTED).rev().map(named).collect();
        let rest = match all.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(", and {more} more (`:vars`)"),
        };
        match shown.is_empty() {
            true => format!("{at}."),
            false => format!("{at}: {}{rest}.", shown.join(", ")),
        }
    }

    pub(super) fn step(&mut self, shell: &mut Shell) -> CommandResult {
        let at = self.workspace.borrow().at;
        let Some((step, lesson)) = at else {
            return Err(CommandError::message("No step has run here. `:next` runs the first."));
        };
        let outcome = self.outcomes.get(&step.name()).cloned().unwrap_or_default();
        let parts = {
            let workspace = &mut *self.workspace.borrow_mut();
            step_panel(step, lesson, &outcome, &mut workspace.session)
        };
        shown(&panel(&parts, shell.look), shell)
    }

    pub(super) fn next(&mut self, shell: &mut Shell) -> CommandResult {
        let number = self.workspace.borrow().at.map_or(1, |(step, _)| step.number + 1);
        let (step, lesson) = match self.catalogue.step(number) {
            Some(Ok(next)) => next,
            Some(Err(fault)) => return Err(CommandError::Message(fault.to_string())),
            None => return Err(CommandError::message("That was the last step of the chapter.")),
        };
        let needs = self.catalogue.prelude(step).map_err(|fault| CommandError::Message(fault.to_string()))?;
        let ready = {
            let workspace = self.workspace.borrow();
            needs.iter().all(|(need, _)| workspace.ran.iter().any(|ran| ran.name == need.name()))
        };
        if !ready {
            return self.goto(&step.name(), shell);
        }
        self.undo_points.push(UndoPoint::before(format!("`:next` ({})", step.name()), self));
        let outcome = {
            let workspace = &mut *self.workspace.borrow_mut();
            workspace.enter(step, lesson);
            workspace.run(&step.code, &step.name())
        };
        let raised = unexpected(step.raises, &outcome).is_some();
        self.outcomes.insert(step.name(), outcome);
        self.step(shell)?;
        Ok(if raised { InputResult::Failed } else { InputResult::Done })
    }

    pub(super) fn goto(&mut self, word: &str, shell: &mut Shell) -> CommandResult {
        if word.is_empty() {
            return Err(CommandError::message("Where to? For example `:goto softmax` or `:goto 3.4.1`."));
        }
        let (workspace, outcomes) = workspace_at(word, self.catalogue, shell)?;
        self.replace_workspace(format!("`:goto {word}`"), workspace, outcomes);
        self.source = Some(word.to_owned());
        self.say(&self.state_summary(), shell)?;
        Ok(InputResult::Done)
    }

    pub(super) fn reset(&mut self, shell: &mut Shell) -> CommandResult {
        let at = self.workspace.borrow().at;
        let (workspace, outcomes) = match (at, self.source.clone()) {
            (Some((step, _)), _) => workspace_at(&step.name(), self.catalogue, shell)?,
            (None, Some(file)) => workspace_at(&file, self.catalogue, shell)?,
            (None, None) => (bare_workspace(shell), Outcomes::new()),
        };
        self.replace_workspace("`:reset`".to_owned(), workspace, outcomes);
        self.say(&self.state_summary(), shell)?;
        Ok(InputResult::Done)
    }

    /// Puts another workspace in the place of this one, with the names that its step gives to axes.
    fn replace_workspace(&mut self, what: String, workspace: Workspace<'c>, outcomes: Outcomes) {
        self.undo_points.push(UndoPoint::before(what, self));
        let mut old = self.workspace.borrow_mut();
        self.place = None;
        self.initial_names = workspace.session.names();
        self.outcomes.extend(outcomes);
        *old = workspace;
    }

    /// `:undo [N]`: the last N inputs.
    pub(super) fn undo(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let count = match words {
            "" => 1,
            number => number.parse::<usize>().ok().filter(|count| *count > 0).ok_or_else(|| {
                CommandError::Message(format!("`{number}` is no number of inputs: `:undo` or `:undo 3`."))
            })?,
        };
        let there = self.undo_points.len();
        if count > there && there > 0 {
            return Err(CommandError::Message(format!(
                "Only {there} can be undone: `:undo {there}` goes back to the start."
            )));
        }
        for _ in 0..count {
            self.undo_one(shell)?;
        }
        Ok(InputResult::Done)
    }

    /// Runs all cells before the last input again in a new workspace.
    fn undo_one(&mut self, shell: &mut Shell) -> CommandResult {
        let Some(before) = self.undo_points.pop() else {
            return Err(CommandError::message("There is nothing to undo."));
        };
        let fresh = replayed(&self.workspace.borrow(), &before.cells);
        let Some(mut fresh) = fresh else {
            self.undo_points.push(before);
            return Err(CommandError::Interrupted);
        };
        fresh.at = before.at;
        *self.workspace.borrow_mut() = fresh;
        self.initial_names = before.initial_names;
        self.say(&format!("Undone: {}.", before.input), shell)?;
        Ok(InputResult::Done)
    }

    /// `float32 (token 6, feature 3)`, if the variable is a tensor.
    pub(super) fn outline(&self, name: &str) -> Option<String> {
        let workspace = self.workspace.borrow();
        let variable = workspace.session.variables().into_iter().find(|variable| variable.name == name)?;
        Some(shape_words(&workspace, name, &variable.value))
    }
}
