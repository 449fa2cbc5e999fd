//! Runs an input that is Python, and shows its output, its value, the tensors it bound and its error.

use super::super::cells::named_element::named;
use super::super::cells::workspace::Workspace;
use super::super::terminal::shell::{Failure, Shell};
use super::commands;
use super::echo::echo;
use super::lines::statements;
use super::state::{CommandError, InputResult, Repl, UndoPoint, input_name};
use crate::session::{Outcome, PythonError, Raised, Variable};
use crate::syntax::binds;
use crate::tensor::Tensor;
use crate::view::errors::{ErrorNote, error};
use crate::view::panel::verbatim_lines;
use crate::view::plot::plot;
use crate::view::prose::prose;
use crate::view::wrap::wrap;
use crate::view::{Look, Role, Text};

/// The most changed tensors that are listed after an input.
const MAX_LISTED: usize = 6;

impl Repl<'_> {
    /// Runs an input and shows the result.
    pub(super) fn run_cell_input(&mut self, source: &str, shell: &mut Shell) -> Result<InputResult, Failure> {
        self.input_count += 1;
        let name = input_name(self.input_count);
        let (first, more) = source.split_once('\n').map_or((source, ""), |(first, _)| (first, " …"));
        let before = UndoPoint::before(format!("{name} (`{first}`{more})"), self);
        let result = self.run_cell(source, &name, shell)?;
        // A single statement that raised changed nothing.
        if result != InputResult::Failed || statements(source) > 1 {
            self.undo_points.push(before);
        }
        Ok(result)
    }

    /// Runs a cell with this name and shows the result.
    pub(super) fn run_cell(
        &mut self,
        source: &str,
        name: &str,
        shell: &mut Shell,
    ) -> Result<InputResult, Failure> {
        shell.flush()?;
        let outcome = {
            let workspace = &mut *self.workspace.borrow_mut();
            let before = workspace.session.set_listener(Some(echo(shell, workspace.session.interrupter())));
            let outcome = workspace.run(source, name);
            workspace.session.set_listener(before);
            outcome
        };
        let result = self.show(source, name, &outcome, shell);
        self.outcomes.insert(name.to_owned(), outcome);
        result
    }

    /// Shows the result of an input. Its output was shown while it ran.
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
        for figure in &outcome.figures {
            shell.show(&plot(figure, shell.look))?;
        }
        if let Some(result) = &outcome.result {
            self.show_printed(&format!("{result}\n"), shell)?;
        }
        if let Some(raised) = &outcome.error {
            let mut note = self.explained(raised, source, None);
            if source.lines().count() == 1 && note.column.is_none() {
                // The line is right above.
                (note.line, note.source) = (None, None);
            }
            if !self.interactive && !raised.interrupted {
                shell.remark(&format!("{name} raised"));
            }
            self.show_error(&note, shell)?;
            if let Some(PythonError::UnknownName(name)) = PythonError::of(&raised.kind, &raised.message)
                && let Some((here, _)) = self.workspace.borrow().at
                && let Ok(steps) = self.catalogue.steps()
                && let Some(step) = steps.iter().rfind(|it| it.number < here.number && binds(&it.code, name))
            {
                let words = format!(
                    "`{name}` is made in {} `{}`; this state has what its own step needs. `:goto {}` goes there.",
                    step.name(),
                    step.slug,
                    step.slug
                );
                self.say(&words, shell)?;
            }
            let word = source.split_whitespace().next().filter(|_| source.trim().lines().count() == 1);
            let is_unknown = matches!(raised.kind.as_str(), "SyntaxError" | "NameError");
            if is_unknown && let Some(command) = word.and_then(commands::find) {
                let typed = source.trim();
                self.say(
                    &format!(
                        "A command begins with a colon: `:{typed}`. `:help {}` says more.",
                        command.name
                    ),
                    shell,
                )?;
            }
            return Ok(if raised.interrupted { InputResult::Interrupted } else { InputResult::Failed });
        }
        if self.interactive && shell.terminal {
            shell.show(&self.changed_tensors(outcome, shell.look))?;
        }
        Ok(InputResult::Done)
    }

    /// The tensors that an input bound or changed, one line each. What is written into one is in those that share its memory.
    fn changed_tensors(&self, outcome: &Outcome, look: Look) -> Text {
        let workspace = self.workspace.borrow();
        let mut text = Text::new();
        if !outcome.changed.is_empty() {
            text.say(Role::Dim, "New or changed:");
        }
        for (at, Variable { name, value }) in outcome.changed.iter().enumerate().take(MAX_LISTED) {
            let mut words = format!("{name}: {}", shape_words(&workspace, name, value));
            let mut before = outcome.changed[..at].iter();
            if let Some(other) = before.find(|other| other.value.storage().same(value.storage())) {
                words.push_str(&format!(", shares memory with {}", other.name));
            }
            text.append(wrap((Role::Dim, words), look.text_width(), 0, 2));
        }
        if let Some(more) = outcome.changed.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
            text.say(Role::Dim, format!("and {more} more: `:vars`"));
        }
        text
    }

    /// An error with its explanation, in this workspace or in `at`.
    pub(super) fn explained(&self, raised: &Raised, source: &str, at: Option<&Workspace>) -> ErrorNote {
        match at {
            Some(workspace) => workspace.error_note(raised, source),
            None => self.workspace.borrow().error_note(raised, source),
        }
    }

    /// Shows an error: on stdout in an interactive session, else on stderr.
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

    /// Shows printed text: on a terminal wrapped as the walkthrough wraps it, else as it is.
    pub(super) fn show_printed(&self, text: &str, shell: &mut Shell) -> Result<(), Failure> {
        if shell.terminal { shell.show(&verbatim_lines(text, shell.look)) } else { shell.say(text) }
    }

    /// Shows Markdown on stdout.
    pub(super) fn answer(&self, words: &str, shell: &mut Shell) -> Result<InputResult, Failure> {
        shell.show(&prose(words, shell.look)).map(|()| InputResult::Done)
    }

    /// Shows Markdown: on stdout in an interactive session, else on stderr as plain text.
    pub(super) fn say(&self, words: &str, shell: &mut Shell) -> Result<(), Failure> {
        match self.interactive {
            true => shell.show(&prose(words, shell.look)),
            false => {
                shell.remark(&words.replace('`', ""));
                Ok(())
            }
        }
    }

    /// The value of an expression, which must be a tensor. The random number generator keeps its state.
    pub(super) fn tensor(&mut self, expression: &str) -> Result<Tensor, CommandError> {
        let found = {
            let mut workspace = self.workspace.borrow_mut();
            let found = workspace.session.with_rng_restored(|session| session.tensor(expression));
            // Tokens, axes and the tensors inside functions have names that Python does not know.
            match found {
                Ok(Some(tensor)) => Ok(Some(tensor)),
                other => named(expression, &mut workspace).map(|named| Some(named.part())).or(other),
            }
        };
        match found {
            Ok(Some(tensor)) => Ok(tensor),
            Ok(None) => Err(CommandError::Message(format!(
                "`{expression}` is {}, not a tensor.",
                self.type_with_article(expression).unwrap_or_else(|| "something else".to_owned())
            ))),
            Err(raised) => Err(self.expression_error(&raised, expression, None)),
        }
    }

    /// The error of an expression that raised in this workspace or in `at`. Its line is the typed one, so it is not shown.
    pub(super) fn expression_error(
        &self,
        raised: &Raised,
        expression: &str,
        at: Option<&Workspace>,
    ) -> CommandError {
        if raised.interrupted {
            return CommandError::Interrupted;
        }
        let mut note = self.explained(raised, expression, at);
        (note.line, note.source) = (None, None);
        CommandError::Raised(Box::new(note))
    }

    /// The type of the value of an expression, with an article: "a list". `None` if its `__name__` cannot be read.
    fn type_with_article(&self, expression: &str) -> Option<String> {
        let name = self.workspace.borrow_mut().text(&format!("type({expression}).__name__"))?;
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        Some(format!("{article} {name}"))
    }
}

/// `float32 (query 6, key 6)`.
pub(super) fn shape_words(workspace: &Workspace, name: &str, tensor: &Tensor) -> String {
    let figure = workspace.outline(name, tensor);
    format!("{} {}", figure.dtype, figure.named_shape())
}
