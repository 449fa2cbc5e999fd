//! The commands: the only code that reads keys or writes to the terminal. All other layers take and return values.
//!
//! | file | what it does |
//! |---|---|
//! | [`verbs`], [`options`] | the table of commands, and the options that every command takes |
//! | [`shell`], [`prompt`], [`json`] | results, remarks and exit codes; questions; JSON |
//! | [`course`] | the lessons: those of the program, or of a folder |
//! | [`plan`] | from a name or a file to the cells that should run |
//! | [`runner`] | runs the cells of a plan: expected errors, Ctrl-C, the end of a run |
//! | [`machine`] | sessions with the options of the command line; Ctrl-C |
//! | [`workspace`] | an interpreter with the state of a step, and the names of its tensors |
//! | [`state`], [`file`] | the folder for progress and history; writing files |
//! | [`suspend`], [`restore`], [`typed`] | Ctrl-Z; the settings of the terminal; keys pressed while it answered |
//! | [`graphics`] | whether figures are shown as pictures: asks the terminal |
//! | [`document`] | the JSON of cells that ran |
//! | [`what_if`] | runs steps without and with a change, and compares them |
//! | [`trace`] | the operations of a cell in order, as text and as JSON |
//! | [`step`], [`figures`], [`pictures`], [`notes`] | from a step that ran, its tensors and its error to what the view shows |
//! | [`progress`] | a progress bar while long work runs |
//! | [`repl`] | the learner's own code over a step's tensors |
//! | [`store`], [`summary`], [`stops`] | the learner's progress in its file and in words; the stops of the walkthrough |
//! | [`learn`] | the walkthrough |
//! | [`export`] | writes steps and answers as a file |
//! | [`run`], [`show`], [`list`], [`reset`], [`check`], [`doctor`], [`why`], [`bench`], [`spread`] | the commands |

mod axis_names;
pub mod bench;
mod check;
mod course;
mod ctrl_c;
mod doctor;
mod document;
mod element_text;
mod evidence;
mod export;
mod faq;
mod figures;
mod file;
pub mod graphics;
mod json;
pub mod learn;
mod list;
mod machine;
mod naming;
mod new;
mod notes;
pub mod options;
mod pictures;
mod plan;
mod progress;
pub mod prompt;
pub mod repl;
mod reset;
mod restore;
mod review;
mod run;
mod runner;
mod shell;
mod show;
mod spread;
mod state;
pub mod step;
mod stops;
mod store;
mod summary;
mod suspend;
mod trace;
mod typed;
pub mod verbs;
mod what_if;
pub(crate) mod why;
pub mod workspace;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal};
use std::process::ExitCode;

use crate::session::with_large_stack;
use shell::Shell;

/// Runs the program on these arguments, the first being its own name.
pub fn main(args: Vec<OsString>) -> ExitCode {
    let exit = with_large_stack(|| {
        let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        // Not locked: while a cell runs, the bar of `progress` is drawn from another thread.
        let mut err = io::stderr();
        let mut shell = Shell::new(&mut out, &mut err, io::stdout().is_terminal());
        let ended = verbs::dispatch(args, &mut shell);
        shell.finish(ended)
    });
    ExitCode::from(exit as u8)
}
