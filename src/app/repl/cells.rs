//! An input that is Python: it runs, and what came of it is shown.
//! What it prints is seen while it runs; errors are told in one place.

use std::borrow::Cow;
use std::io::{self, Write};

use super::super::shell::{Failure, Shell};
use super::super::workspace::Workspace;
use super::state::{CommandError, InputResult, Repl, UndoPoint, input_name};
use crate::session::{Channel, Listener, Outcome, Raised};
use crate::tensor::Tensor;
use crate::view::errors::{ErrorNote, error};
use crate::view::prose::prose;
use crate::view::text::escape_controls;
use crate::view::{Role, Text, table};

/// Tensors that one input bound are told up to this number.
const TOLD: usize = 6;

impl Repl<'_> {
    /// Runs an input and shows what came.
    pub(super) fn run_cell_input(&mut self, source: &str, shell: &mut Shell) -> Result<InputResult, Failure> {
        self.input_count += 1;
        let name = input_name(self.input_count);
        self.undo_points.push(UndoPoint::before_cells(name.clone(), self));
        self.run_cell(source, &name, shell)
    }

    /// Runs code under a name and shows what came.
    pub(super) fn run_cell(
        &mut self,
        source: &str,
        name: &str,
        shell: &mut Shell,
    ) -> Result<InputResult, Failure> {
        shell.flush()?;
        let outcome = {
            let workspace = &mut *self.workspace.borrow_mut();
            workspace.session.set_listener(Some(aloud(shell.terminal, workspace.session.interrupter())));
            let outcome = workspace.run(source, name);
            workspace.session.set_listener(None);
            outcome
        };
        let went = self.show(source, name, &outcome, shell);
        self.outcomes.insert(name.to_owned(), outcome);
        went
    }

    /// What came of an input, but for what it printed: that was shown while it ran.
    fn show(
        &mut self,
        source: &str,
        name: &str,
        outcome: &Outcome,
        shell: &mut Shell,
    ) -> Result<InputResult, Failure> {
        let stopped = outcome.error.as_ref().is_some_and(|raised| raised.interrupted);
        let open = !outcome.stdout.is_empty() && !outcome.stdout.ends_with('\n');
        if !outcome.stdout.is_empty() {
            shell.was_passed();
        }
        if open || (stopped && shell.terminal) {
            shell.say("\n")?;
        }
        if let Some(result) = &outcome.result {
            let shown = self.result_table(source);
            match shown {
                Some(text) => shell.show(&text(shell))?,
                None => shell.say(&format!("{}\n", printable(result, shell.terminal)))?,
            }
        }
        if let Some(raised) = &outcome.error {
            let mut note = self.explained(raised, source, None);
            if source.lines().count() == 1 {
                // The line stands right above.
                (note.line, note.source) = (None, None);
            }
            if !self.interactive && !raised.interrupted {
                shell.remark(&format!("{name} raised"));
            }
            self.show_error(&note, shell)?;
            return Ok(if raised.interrupted { InputResult::Interrupted } else { InputResult::Failed });
        }
        let text = self.bound(outcome, shell);
        shell.show(&text)?;
        Ok(InputResult::Done)
    }

    /// The table of the value that was just shown, where tables are wished for and it is a tensor.
    fn result_table(&mut self, source: &str) -> Option<impl Fn(&Shell) -> Text + use<>> {
        if !self.settings.tables {
            return None;
        }
        let mut workspace = self.workspace.borrow_mut();
        let tensor = workspace.session.tensor("_").ok().flatten()?;
        let last = source.lines().last().unwrap_or_default().trim();
        let figure = workspace.figure(if last.chars().count() <= 40 { last } else { "_" }, &tensor);
        Some(move |shell: &Shell| table::figure(&figure, shell.look))
    }

    /// The tensors that an input bound or changed: a line each, or their tables.
    fn bound(&self, outcome: &Outcome, shell: &Shell) -> Text {
        let workspace = self.workspace.borrow();
        let mut text = Text::new();
        if !self.settings.tables && !self.settings.shapes {
            return text;
        }
        for variable in outcome.changed.iter().take(TOLD) {
            if self.settings.tables {
                let figure = workspace.figure(&variable.name, &variable.value);
                text.section(table::figure(&figure, shell.look));
                continue;
            }
            let words =
                format!("{}: {}", variable.name, shape_words(&workspace, &variable.name, &variable.value));
            text.say(Role::Dim, words);
        }
        if let Some(more) = outcome.changed.len().checked_sub(TOLD).filter(|more| *more > 0) {
            text.say(Role::Dim, format!("and {more} more: `:vars`"));
        }
        text
    }

    /// What was raised, explained. Every error that a learner sees here comes through this function.
    pub(super) fn explained(&self, raised: &Raised, source: &str, at: Option<&Workspace>) -> ErrorNote {
        match at {
            Some(workspace) => workspace.error_note(raised, source),
            None => self.workspace.borrow().error_note(raised, source),
        }
    }

    /// Shows an error: as a result to someone who types, else as a remark.
    pub(super) fn show_error(&self, note: &ErrorNote, shell: &mut Shell) -> Result<(), Failure> {
        let text = error(note, shell.look);
        match self.interactive {
            true => shell.show(&text),
            false => {
                shell.note(&text);
                Ok(())
            }
        }
    }

    /// Answers in words, given as Markdown.
    pub(super) fn answer(&self, words: &str, shell: &mut Shell) -> Result<InputResult, Failure> {
        shell.show(&prose(words, shell.look)).map(|()| InputResult::Done)
    }

    /// Says something, given as Markdown: to someone who types as a result, else as a remark.
    pub(super) fn say(&self, words: &str, shell: &mut Shell) -> Result<(), Failure> {
        match self.interactive {
            true => shell.show(&prose(words, shell.look)),
            false => {
                shell.remark(&words.replace('`', ""));
                Ok(())
            }
        }
    }

    /// The tensor that an expression gives. Random numbers that it draws are drawn again by whoever comes next.
    pub(super) fn tensor(&mut self, expression: &str) -> Result<Tensor, CommandError> {
        let found = {
            let mut workspace = self.workspace.borrow_mut();
            let stream = workspace.session.state().generator.borrow().clone();
            let found = workspace.session.tensor(expression);
            *workspace.session.state().generator.borrow_mut() = stream;
            found
        };
        match found {
            Ok(Some(tensor)) => Ok(tensor),
            Ok(None) => Err(CommandError::Message(format!(
                "`{expression}` is no tensor but {}.",
                self.kind(expression).unwrap_or_else(|| "something else".to_owned())
            ))),
            Err(raised) => Err(self.refused(&raised, expression, None)),
        }
    }

    /// An expression that raised, on another workspace if one is given: its line is the one that was typed.
    pub(super) fn refused(&self, raised: &Raised, expression: &str, at: Option<&Workspace>) -> CommandError {
        let mut note = self.explained(raised, expression, at);
        (note.line, note.source) = (None, None);
        CommandError::Raised(Box::new(note))
    }

    /// The type of what an expression gives, with its article: "a list".
    pub(super) fn kind(&self, expression: &str) -> Option<String> {
        let code = format!("type({expression}).__name__");
        let mut workspace = self.workspace.borrow_mut();
        let name = workspace.session.evaluate(&code, |name, vm| name.try_to_value::<String>(vm).ok());
        let name = name.ok().flatten()?;
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        Some(format!("{article} {name}"))
    }
}

/// `float32 (query 6, key 6)`.
pub(super) fn shape_words(workspace: &Workspace, name: &str, tensor: &Tensor) -> String {
    let figure = workspace.outline(name, tensor);
    format!("{} {}", figure.dtype, figure.shape_words())
}

/// Writes what a cell prints as soon as it prints it. When nobody reads any more, the cell is stopped.
fn aloud(terminal: bool, interrupter: crate::session::Interrupter) -> Listener {
    Box::new(move |channel, text| {
        let text = printable(text, terminal);
        let written = match channel {
            // A whole line is handed on in any case.
            Channel::Stdout if terminal && !text.ends_with('\n') => {
                io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
            }
            Channel::Stdout => io::stdout().write_all(text.as_bytes()),
            Channel::Stderr => io::stderr().write_all(text.as_bytes()),
        };
        if written.is_err() {
            interrupter.interrupt();
        }
    })
}

/// Printed text as a terminal may show it: of the control characters only tabs, new lines and those that rewrite
/// a line are left.
fn printable(text: &str, terminal: bool) -> Cow<'_, str> {
    match terminal {
        true => escape_controls(text, &['\n', '\r', '\t', '\u{8}']),
        false => Cow::Borrowed(text),
    }
}
