//! `attn repl`: runs the learner's own code with the tensors of a step, and commands that inspect them.
//!
//! | file | contents |
//! |---|---|
//! | [`state`] | the state of the session, and the results of inputs |
//! | [`commands`] | the table of commands |
//! | [`cells`], [`echo`] | runs an input that is Python, and shows its output and its result |
//! | [`tensors`], [`variables`], [`analysis`], [`navigation`], [`files`], [`help`] | the commands |
//! | [`editor`], [`keys`], [`complete`], [`hints`], [`history`] | the line editor |
//! | [`lines`] | reads inputs from a pipe, or on a terminal that cannot be redrawn |

mod analysis;
mod cells;
pub mod commands;
pub mod complete;
mod echo;
pub mod editor;
mod files;
mod help;
mod hints;
mod history;
pub mod keys;
mod lines;
mod navigation;
mod state;
mod tensors;
mod variables;

use std::io::{self, IsTerminal};

use super::cells::course;
use super::cells::machine::{self, input_begins};
use super::cells::workspace::Workspace;
use super::keeper::journal::{self, Entry, Restored};
use super::learn::terminal::awaiting;
use super::terminal::prompt::TypedLine;
use super::terminal::restore::restore_at_exit;
use super::terminal::shell::{Exit, Failure, Shell};
use crate::lesson::Catalogue;
use state::{CommandError, InputResult, Outcomes, Repl};

/// The arguments of `attn repl`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step (scores), a lesson (3.4.1), or a .ipynb, .py or .md file whose state to start from; before it or alone, a
    /// folder of lessons
    #[arg(value_name = "WHERE|FILE|FOLDER", num_args = 0..=2, value_hint = clap::ValueHint::AnyPath)]
    target: Vec<String>,
    /// Go on after an input that raises, also where inputs come through a pipe
    #[arg(long)]
    keep_going: bool,
}

/// Runs `attn repl`.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let (catalogue, target) = course::of_place(&args.target, shell)?;
    let (workspace, outcomes) = match &target {
        Some(word) => navigation::workspace_at(word, &catalogue, shell)?,
        None => (navigation::bare_workspace(shell), Outcomes::new()),
    };
    let mut repl = Repl::new(workspace, &catalogue);
    repl.outcomes = outcomes;
    // A lesson's file is called as it was typed.
    repl.source = target.and(args.target.last().cloned());
    repl.run_inputs(journal::restored().unwrap_or_default(), args.keep_going, shell)
}

/// Runs a REPL in `workspace` until the learner leaves. The walkthrough passes a copy ([`Workspace::again`]) so that
/// its own variables stay as they are. `place` says what state it is, where it is not that after a step; `left` is what a
/// process that died had run in it.
pub(crate) fn open<'c>(
    workspace: Workspace<'c>,
    place: Option<String>,
    left: Restored,
    catalogue: &'c Catalogue,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let mut repl = Repl::new(workspace, catalogue);
    repl.in_walkthrough = true;
    repl.place = place;
    repl.run_inputs(left, false, shell)
}

impl<'c> Repl<'c> {
    /// Runs inputs until there are no more or the learner leaves.
    fn run_inputs(mut self, left: Restored, keep_going: bool, shell: &mut Shell) -> Result<Exit, Failure> {
        self.interactive = io::stdin().is_terminal();
        let mut reader = InputReader::new(&self, shell);
        if self.interactive {
            restore_at_exit();
            machine::keep_running();
            if left == Restored::default() {
                self.greet(shell)?;
            }
        }
        self.run_again(&left.inputs, shell)?;
        reader.begin_with(left.draft);
        let mut exit = Exit::Good;
        loop {
            self.separate(shell)?;
            shell.refit();
            let input = match reader.read(&self, shell)? {
                TypedLine::Line(input) => input,
                TypedLine::Interrupt => continue,
                TypedLine::End => break,
            };
            match self.run_noted(&input, shell)? {
                InputResult::Quit => break,
                InputResult::Done => {}
                InputResult::Failed | InputResult::Interrupted if self.interactive => {}
                InputResult::Interrupted => return Ok(Exit::Interrupted),
                InputResult::Failed => {
                    exit = Exit::Raised;
                    if !keep_going {
                        break;
                    }
                }
            }
        }
        shell.flush()?;
        Ok(exit)
    }

    /// Writes a blank line between output and the next prompt.
    fn separate(&self, shell: &mut Shell) -> Result<(), Failure> {
        if shell.has_said() && self.interactive && !shell.look.plain {
            shell.say("\n")?;
            shell.has_said();
        }
        Ok(())
    }

    /// Runs again what a process that died had run, and shows it. Ctrl-C leaves the rest out.
    fn run_again(&mut self, inputs: &[String], shell: &mut Shell) -> Result<(), Failure> {
        for (at, input) in inputs.iter().enumerate() {
            let prompt = format!("attn [{}]> ", self.input_count + 1);
            let under = format!("\n{:>1$}", "...> ", prompt.len());
            shell.say(&format!("{prompt}{}\n", input.replace('\n', &under)))?;
            shell.has_said();
            input_begins();
            if self.run_noted(input, shell)? == InputResult::Interrupted {
                journal::note(&Entry::Skipped);
                let words = match inputs.len() - at - 1 {
                    0 => return Ok(()),
                    1 => "The other input was not run again.".to_owned(),
                    rest => format!("The other {rest} inputs were not run again."),
                };
                return self.say(&words, shell);
            }
            self.separate(shell)?;
        }
        Ok(())
    }

    /// Runs one input, and notes in the journal that it begins and ends.
    fn run_noted(&mut self, input: &str, shell: &mut Shell) -> Result<InputResult, Failure> {
        if !input.trim().is_empty() {
            journal::note(&Entry::Input(input.to_owned()));
        }
        let result = self.run_input(input, shell)?;
        journal::note(if commands::only_looks(input) { &Entry::Looked } else { &Entry::Done });
        Ok(result)
    }

    /// Runs one input: a command or Python.
    fn run_input(&mut self, input: &str, shell: &mut Shell) -> Result<InputResult, Failure> {
        let words = input.trim();
        let command = match words {
            "" => return Ok(InputResult::Done),
            "exit" | "quit" | "exit()" | "quit()" => return Ok(InputResult::Quit),
            "help" | "?" | "help()" => Some("help"),
            "q" if self.interactive
                && !self.workspace.borrow().session.names().contains(&words.to_owned()) =>
            {
                let told = format!("There is no variable `q`. {}.", self.leaving());
                return self.say(&told, shell).map(|()| InputResult::Done);
            }
            _ => words.strip_prefix(':'),
        };
        let Some(command) = command else { return self.run_cell_input(input.trim_end(), shell) };
        match commands::call(self, command, shell) {
            Ok(result) => Ok(result),
            Err(CommandError::Failure(failure)) => Err(failure),
            Err(CommandError::Interrupted) => {
                if shell.terminal {
                    // The terminal has echoed ^C.
                    shell.say("\n")?;
                }
                self.say("Stopped. Everything is as it was.", shell).map(|()| InputResult::Interrupted)
            }
            Err(CommandError::Message(message)) => self.say(&message, shell).map(|()| InputResult::Failed),
            Err(CommandError::Raised(note)) => self.show_error(&note, shell).map(|()| InputResult::Failed),
        }
    }
}

/// Reads inputs: with the line editor, or line by line.
enum InputReader<'c> {
    Editor(Box<editor::LineEditor<'c>>),
    Lines(lines::LineReader),
}

impl<'c> InputReader<'c> {
    fn new(repl: &Repl<'c>, shell: &Shell) -> InputReader<'c> {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let can_edit = repl.interactive && shell.terminal && !shell.look.plain && !dumb;
        match can_edit.then(|| editor::LineEditor::new(repl, shell)).flatten() {
            Some(editor) => InputReader::Editor(Box::new(editor)),
            None => InputReader::Lines(lines::LineReader::new(repl.interactive)),
        }
    }

    /// Lets the next input begin with this text.
    fn begin_with(&mut self, draft: String) {
        if let InputReader::Editor(editor) = self {
            editor.draft = draft;
        }
    }

    /// The next input.
    fn read(&mut self, repl: &Repl, shell: &mut Shell) -> Result<TypedLine, Failure> {
        shell.flush()?;
        match self {
            InputReader::Editor(editor) => awaiting(|| editor.read(repl.input_count + 1, shell)),
            InputReader::Lines(lines) => lines.read(repl.input_count + 1, shell),
        }
    }
}
