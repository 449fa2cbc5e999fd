//! The state of a REPL session, and the results of its inputs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::cells::workspace::{RanCell, Workspace};
use super::super::terminal::shell::{Failure, Shell};
use crate::lesson::{Catalogue, Lesson, Step};
use crate::session::Outcome;
use crate::view::Text;
use crate::view::errors::ErrorNote;

/// A session of the REPL. The other files of this folder implement its commands.
pub(super) struct Repl<'c> {
    /// The workspace in which inputs run. The line editor shares it to complete names.
    pub(crate) workspace: Rc<RefCell<Workspace<'c>>>,
    pub(crate) catalogue: &'c Catalogue,
    /// The number of inputs so far.
    pub(crate) input_count: usize,
    /// The outcomes of the cells that ran, by the name of the cell.
    pub(crate) outcomes: Outcomes,
    /// The states that `:undo` returns to, the latest last.
    pub(crate) undo_points: Vec<UndoPoint<'c>>,
    /// The names that were bound before the first input.
    pub(crate) initial_names: Vec<String>,
    /// The file or the step that the session started from.
    pub(crate) source: Option<String>,
    /// What state the session started in, where it is not that after a step or a file.
    pub(crate) place: Option<String>,
    /// Whether the walkthrough opened the REPL and continues after it.
    pub(crate) in_walkthrough: bool,
    /// Whether inputs are typed at a terminal.
    pub(crate) interactive: bool,
}

/// The outcomes of cells, by the name of the cell.
pub(super) type Outcomes = BTreeMap<String, Outcome>;

impl<'c> Repl<'c> {
    pub(super) fn new(workspace: Workspace<'c>, catalogue: &'c Catalogue) -> Repl<'c> {
        let initial_names = workspace.session.names();
        Repl {
            workspace: Rc::new(RefCell::new(workspace)),
            catalogue,
            input_count: 0,
            outcomes: Outcomes::new(),
            undo_points: Vec::new(),
            initial_names,
            source: None,
            place: None,
            in_walkthrough: false,
            interactive: false,
        }
    }
}

/// The name of the cell that input number `number` runs as.
pub(super) fn input_name(number: usize) -> String {
    format!("input {number}")
}

/// Whether a cell was typed as an input, by its name.
pub(super) fn is_input(name: &str) -> bool {
    name.strip_prefix("input ").is_some_and(|number| number.parse::<usize>().is_ok())
}

/// A state that `:undo` returns to.
pub(super) struct UndoPoint<'c> {
    /// The input that changed this state.
    pub(crate) input: String,
    pub(crate) at: Option<(&'c Step, &'c Lesson)>,
    /// The names that were bound before the first input.
    pub(crate) initial_names: Vec<String>,
    /// The cells that lead to the state.
    pub(crate) cells: Vec<RanCell>,
}

impl<'c> UndoPoint<'c> {
    /// The current state, before `input` changes it.
    pub(super) fn before(input: String, repl: &Repl<'c>) -> UndoPoint<'c> {
        let workspace = repl.workspace.borrow();
        let (at, cells) = (workspace.at, workspace.ran.clone());
        UndoPoint { input, at, initial_names: repl.initial_names.clone(), cells }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InputResult {
    /// It did what was asked.
    Done,
    /// It raised or failed, and the error was shown.
    Failed,
    /// Ctrl-C stopped it.
    Interrupted,
    /// The learner leaves the REPL.
    Quit,
}

/// Why a command did nothing.
pub(super) enum CommandError {
    /// What is wrong and what to try, as Markdown.
    Message(String),
    /// Ctrl-C stopped the command. The state is unchanged.
    Interrupted,
    Raised(Box<ErrorNote>),
    /// attn itself failed: the output could not be written, for example.
    Failure(Failure),
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> CommandError {
        match failure {
            Failure::Usage(message) | Failure::Unreadable(message) => CommandError::Message(message),
            Failure::Stopped => CommandError::Interrupted,
            failure => CommandError::Failure(failure),
        }
    }
}

impl CommandError {
    pub(super) fn message(message: impl Into<String>) -> CommandError {
        CommandError::Message(message.into())
    }
}

pub(super) type CommandResult = Result<InputResult, CommandError>;

/// Shows the answer of a command.
pub(super) fn shown(text: &Text, shell: &mut Shell) -> CommandResult {
    shell.show(text)?;
    Ok(InputResult::Done)
}
