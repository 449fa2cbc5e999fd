//! The REPL as it is typed at. A program of its own, so that no other test runs while signals are waited for.
#![cfg(unix)]

#[path = "../program/repl.rs"]
mod repl;
#[path = "../shared/terminal.rs"]
mod terminal;
