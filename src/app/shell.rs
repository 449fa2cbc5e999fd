//! What a command writes through: two streams, the look of things, and how it may end.
//! The only writers are the two it is given; a reader who has gone away ends things quietly.

use std::env;
use std::fmt;
use std::io::{self, Write};

use super::options::{GlobalOptions, When};
use crate::view::{Look, Text};

/// How the program ends, from the best to the worst; the value is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All went well.
    Good = 0,
    /// A check failed.
    Failed = 1,
    /// The command line was not understood.
    Usage = 2,
    /// A cell raised, or a file is not what it claims to be.
    Raised = 3,
    /// Ctrl-C.
    Interrupted = 130,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// A name or an option is wrong: what, and what to try.
    Usage(String),
    /// A file cannot be read as what it claims to be.
    Unreadable(String),
    /// Who read the output has gone away.
    Closed,
    /// Ctrl-C, in the middle of work that has no partial result.
    Stopped,
    /// The output cannot be written.
    Unwritable(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Unwritable(error),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(words) | Failure::Unreadable(words) => f.write_str(words),
            Failure::Closed => f.write_str("the reader of the output is gone"),
            Failure::Stopped => f.write_str("stopped"),
            Failure::Unwritable(error) => write!(f, "the output could not be written: {error}"),
        }
    }
}

/// The streams of one command, and what was wished for.
pub struct Shell<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// Whether a result was written since this was last asked.
    said: bool,
    /// Whether results go to a terminal.
    pub terminal: bool,
    /// The options that hold everywhere.
    pub options: GlobalOptions,
    /// How results look.
    pub look: Look,
}

impl<'a> Shell<'a> {
    /// Writes results to `out`, remarks to `err`.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, terminal: bool) -> Shell<'a> {
        let mut shell = Shell {
            out,
            err,
            said: false,
            terminal,
            options: GlobalOptions::default(),
            look: Look { width: 80, colour: false, plain: false },
        };
        shell.set(GlobalOptions::default());
        shell
    }

    /// Takes over what the command line asks for.
    pub fn set(&mut self, options: GlobalOptions) {
        self.look = Look {
            width: options.width.map_or_else(|| columns(self.terminal), usize::from),
            colour: coloured(options.color, self.terminal),
            plain: options.plain,
        };
        self.options = options;
    }

    /// Looks again how wide the terminal is: it may have been resized.
    pub fn refit(&mut self) {
        self.look.width = self.options.width.map_or_else(|| columns(self.terminal), usize::from);
    }

    /// Whether results are to be laid out for a reader: on a terminal, or asked for.
    pub fn styled(&self) -> bool {
        self.terminal || self.look.plain || self.look.colour
    }

    /// Writes styled text as a result.
    pub fn show(&mut self, text: &Text) -> Result<(), Failure> {
        self.say(&text.render(self.look))
    }

    /// Writes a result as it is.
    pub fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.said |= !text.is_empty();
        self.out.write_all(text.as_bytes())?;
        Ok(())
    }

    /// A result was written past this shell: what a cell prints while it runs.
    pub fn was_passed(&mut self) {
        self.said = true;
    }

    /// Whether a result was written since this was last asked.
    pub fn has_said(&mut self) -> bool {
        std::mem::take(&mut self.said)
    }

    /// Writes a result made of bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes)?;
        Ok(())
    }

    /// Hands on what was written so far.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush()?;
        Ok(())
    }

    /// Writes a remark of the program. A remark that cannot be written is no reason to stop.
    pub fn remark(&mut self, words: &str) {
        let _ = self.out.flush();
        let _ = writeln!(self.err, "attn: {words}");
    }

    /// Writes remarks as they are: what a cell wrote to its own stderr.
    pub fn aside(&mut self, text: &str) {
        if !text.is_empty() {
            let _ = self.out.flush();
            let _ = self.err.write_all(text.as_bytes());
        }
    }

    /// Styled text as a remark, without colours.
    pub fn note(&mut self, text: &Text) {
        let look = Look { colour: false, ..self.look };
        self.aside(&text.render(look));
    }

    /// Says what went wrong, if it did, and how the program ends.
    pub fn finish(&mut self, ended: Result<Exit, Failure>) -> Exit {
        let ended = ended.and_then(|exit| self.flush().map(|()| exit));
        match ended {
            Ok(exit) => exit,
            Err(Failure::Closed) => Exit::Good,
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

/// Columns of the screen: `COLUMNS`, else the terminal's if results go to one, else 80.
pub fn columns(terminal: bool) -> usize {
    let stated = env::var("COLUMNS").ok().and_then(|text| text.trim().parse::<usize>().ok());
    let seen = || terminal_size::terminal_size().filter(|_| terminal).map(|(width, _)| usize::from(width.0));
    stated.filter(|width| *width > 0).or_else(seen).map_or(80, |width| width.clamp(20, 1000))
}

/// Whether colours are used, by `--color`, NO_COLOR, CLICOLOR_FORCE and TERM, in this order.
pub fn coloured(when: When, terminal: bool) -> bool {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto if set("NO_COLOR").is_some() => false,
        When::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        When::Auto => terminal && set("TERM").is_none_or(|term| term != "dumb"),
    }
}
