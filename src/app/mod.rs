//! The commands: the only code that reads keys or writes to the terminal. All other layers take and return values.
//!
//! | folder or file | what it does |
//! |---|---|
//! | [`commands`] | the table of commands, and a file for each |
//! | [`cells`] | from a name or a file to cells that ran, and to what is shown of them |
//! | [`learn`], [`repl`] | the walkthrough; the learner's own code over a step's tensors |
//! | [`learner`] | the learner's record |
//! | [`terminal`] | results, remarks, questions, keys; Ctrl-C and Ctrl-Z |
//! | [`keeper`] | the process that goes on after the death of the one in which cells run |
//! | [`json`], [`file`](mod@file) | what all JSON documents share; writing files |

pub mod cells;
pub mod commands;
mod file;
mod json;
mod keeper;
pub mod learn;
mod learner;
pub mod repl;
pub mod terminal;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use crate::session::with_large_stack;
use commands::verbs::Line;
use terminal::part::{self, Frame, Stream};
use terminal::shell::Shell;

/// Runs the program on these arguments, the first being its own name.
pub fn main(args: Vec<OsString>) -> ExitCode {
    cells::machine::raise_walls();
    let line = Line::read(args);
    // A session is divided from its keeper before there is a second thread.
    if let Some(options) = line.session()
        && let Some(exit) = keeper::keep(options)
    {
        return ExitCode::from(exit as u8);
    }
    let exit = with_large_stack(|| {
        let mut streams: (Box<dyn Write>, Box<dyn Write>) = match part::own() {
            Some(_) => (Box::new(Stream(Frame::Out)), Box::new(Stream(Frame::Err))),
            // stderr is not locked: while a cell runs, the bar of `progress` is drawn from another thread.
            None => (Box::new(io::stdout().lock()), Box::new(io::stderr())),
        };
        let mut out = BufWriter::with_capacity(1 << 16, &mut streams.0);
        let mut shell = Shell::new(&mut out, &mut streams.1, io::stdout().is_terminal());
        let ended = line.run(&mut shell);
        shell.finish(ended)
    });
    ExitCode::from(exit as u8)
}
