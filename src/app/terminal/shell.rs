//! The shell of a command: where it writes results and remarks, how text looks, and how the command may end.

use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal, Write};

use serde::{Deserialize, Serialize};

use super::super::commands::options::{GlobalOptions, When};
use super::part;
use crate::lesson::Fault;
use crate::view::text::escape_controls;
use crate::view::wrap::wrap;
use crate::view::{Look, Role, Text};

/// How the program ends, from the best to the worst; the value is the exit code.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Exit {
    #[default]
    Good = 0,
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A cell raised, or a file cannot be read or written.
    Raised = 3,
    /// Ctrl-C.
    Interrupted = 130,
}

/// Why a command could not do its work. A wrong answer or a cell that raises is no failure.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A name or an option is wrong. The text says which, and what to try.
    #[error("{0}")]
    Usage(String),
    /// A file cannot be read as what its name says.
    #[error("{0}")]
    Unreadable(String),
    /// The reader of the output has closed the pipe.
    #[error("the reader of the output is gone")]
    Closed,
    /// The reader has closed the pipe, and a cell raised, as stderr says.
    #[error("the reader of the output is gone")]
    ClosedAfterError,
    /// Ctrl-C, during work that has no partial result.
    #[error("stopped")]
    Stopped,
    /// The output cannot be written.
    #[error("the output could not be written: {0}")]
    Unwritable(io::Error),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Unreadable(fault.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Unwritable(error),
        }
    }
}

/// The streams and the options of one command.
pub(crate) struct Shell<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// Whether a result was written since the last call of `has_said`.
    said: bool,
    /// Whether results go to a terminal.
    pub(crate) terminal: bool,
    /// The options that every command takes.
    pub(crate) options: GlobalOptions,
    /// How results look.
    pub(crate) look: Look,
}

impl<'a> Shell<'a> {
    /// A shell that writes results to `out` and remarks to `err`.
    pub(crate) fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, terminal: bool) -> Shell<'a> {
        let mut shell = Shell {
            out,
            err,
            said: false,
            terminal,
            options: GlobalOptions::default(),
            look: Look { width: 80, colour: false, plain: false },
        };
        if let Some(part) = part::own() {
            shell.terminal = part.terminal;
        }
        shell.set(GlobalOptions::default());
        shell
    }

    /// Sets the options of the command line.
    pub(crate) fn set(&mut self, options: GlobalOptions) {
        self.look = Look {
            width: options.width.map_or_else(|| columns(self.terminal), usize::from),
            colour: coloured(options.color, self.terminal),
            plain: options.plain,
        };
        if let Some(part) = part::own() {
            self.look = part.look;
        }
        self.options = options;
    }

    /// Takes over the size of the terminal, which may have changed.
    pub(crate) fn refit(&mut self) {
        self.look.width = self.options.width.map_or_else(|| columns(self.terminal), usize::from);
    }

    /// Whether results are laid out for a reader: on a terminal, or if the options ask for it.
    pub(crate) fn styled(&self) -> bool {
        self.terminal || self.look.plain || self.look.colour
    }

    /// Writes styled text as a result.
    pub(crate) fn show(&mut self, text: &Text) -> Result<(), Failure> {
        self.say(&text.render(self.look))
    }

    /// Writes a result as it is.
    pub(crate) fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.said |= !text.is_empty();
        self.out.write_all(text.as_bytes())?;
        Ok(())
    }

    /// Notes that a result was written directly to stdout, as a running cell does.
    pub(crate) fn was_passed(&mut self) {
        self.said = true;
    }

    /// Whether a result was written since the last call.
    pub(crate) fn has_said(&mut self) -> bool {
        std::mem::take(&mut self.said)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush()?;
        Ok(())
    }

    /// Writes a remark of the program. If it cannot be written, the command goes on.
    pub(crate) fn remark(&mut self, words: &str) {
        let words = format!("attn: {words}\n");
        let columns = match part::own() {
            Some(part) => part.remarks,
            None => io::stderr().is_terminal().then(columns_of_stderr),
        };
        let Some(columns) = columns else { return self.aside(&words) };
        let width = if self.terminal { self.look.width } else { columns };
        // A terminal would break the lines inside of words.
        let mut text = Text::new();
        for line in words.lines() {
            text.append(wrap((Role::Prose, line), width, 0, 2));
        }
        self.note(&text);
    }

    /// Writes to stderr: what a cell wrote to its own stderr, and remarks that quote files and arguments. Of the control
    /// characters only those that place text are left.
    pub(crate) fn aside(&mut self, text: &str) {
        self.styled_aside(&printable(text));
    }

    /// Writes text to stderr that has styles of its own, and nothing from outside.
    pub(crate) fn styled_aside(&mut self, text: &str) {
        if !text.is_empty() {
            let _ = self.out.flush();
            let _ = self.err.write_all(text.as_bytes());
        }
    }

    /// Writes styled text to stderr, without colours.
    pub(crate) fn note(&mut self, text: &Text) {
        let look = Look { colour: false, ..self.look };
        self.aside(&text.render(look));
    }

    /// Writes what went wrong, if something did, and returns the exit code.
    pub(crate) fn finish(&mut self, ended: Result<Exit, Failure>) -> Exit {
        let ended = ended.and_then(|exit| self.flush().map(|()| exit));
        match ended {
            Ok(exit) => exit,
            Err(Failure::Closed) => Exit::Good,
            Err(Failure::ClosedAfterError) => Exit::Raised,
            Err(failure) => {
                self.remark(&failure.to_string());
                match failure {
                    Failure::Usage(_) => Exit::Usage,
                    Failure::Stopped => Exit::Interrupted,
                    _ => Exit::Raised,
                }
            }
        }
    }
}

/// Printed text as a terminal may show it: of the control characters only tabs, new lines and those that rewrite
/// a line are left.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escape_controls(text, &['\n', '\r', '\t', '\u{8}'])
}

/// The columns of the screen: `COLUMNS`, else the columns of the terminal that results go to, else 80.
pub(crate) fn columns(terminal: bool) -> usize {
    stated_columns(|| terminal_size::terminal_size().filter(|_| terminal))
}

/// As [`columns`], of the terminal that remarks go to, where results go somewhere else.
pub(crate) fn columns_of_stderr() -> usize {
    stated_columns(|| terminal_size::terminal_size_of(io::stderr()))
}

fn stated_columns(measured: impl FnOnce() -> Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    let stated = env::var("COLUMNS").ok().and_then(|text| text.trim().parse::<usize>().ok());
    let measured = || measured().map(|(width, _)| usize::from(width.0));
    stated.filter(|width| *width > 0).or_else(measured).map_or(80, |width| width.clamp(20, 1000))
}

/// Whether colours are used, by `--color`, NO_COLOR, CLICOLOR_FORCE and TERM, in this order.
pub(crate) fn coloured(when: When, terminal: bool) -> bool {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let obeys = obeys_escapes();
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto if set("NO_COLOR").is_some() => false,
        When::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        When::Auto => terminal && obeys && set("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// Whether a terminal can obey escape sequences. The console of Windows is asked to, which old ones cannot.
#[cfg(windows)]
pub(crate) fn obeys_escapes() -> bool {
    crossterm::ansi_support::supports_ansi()
}

/// Whether a terminal can obey escape sequences.
#[cfg(not(windows))]
pub(crate) fn obeys_escapes() -> bool {
    true
}
