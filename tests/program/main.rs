//! The program `attn` as a learner runs it: transcripts of commands, pipes, and keys in a pseudo-terminal.

mod cli;
#[path = "../shared/course.rs"]
mod course;
mod renumbered;
#[cfg(unix)]
mod repl;
#[path = "../shared/snapshot.rs"]
mod snapshot;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod walk;
