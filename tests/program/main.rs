//! The program `attn` as a learner runs it: transcripts of commands, pipes, and keys in a pseudo-terminal.

mod browser;
mod cli;
mod compare;
#[path = "../shared/course.rs"]
mod course;
mod courses;
mod escapes;
#[cfg(unix)]
mod hours;
#[cfg(target_os = "linux")]
mod kept;
mod keys;
mod models;
mod page;
#[cfg(unix)]
mod review;
mod schema;
mod scripts;
#[path = "../shared/snapshot.rs"]
mod snapshot;
#[cfg(unix)]
#[path = "../shared/terminal.rs"]
mod terminal;
#[cfg(unix)]
mod walk;
