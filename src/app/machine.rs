//! One interpreter for a plan, and what stops it: Ctrl-C stops the running cell, a second one the program.
//! Room: app. Session options come from the command line; signals come from `ctrlc`.

use std::process;
use std::sync::{Mutex, Once, PoisonError};

use super::shell::{Exit, Wishes};
use crate::session::{Interrupter, Options, Session, default_limit};

/// What Ctrl-C stops; the second one finds nothing here and ends the program.
static RUNNING: Mutex<Option<Interrupter>> = Mutex::new(None);

/// Bytes that a cell of a file may print: far more than a lesson's, since machines read them.
const OUTPUT: usize = 64 << 20;

/// A fresh session as the command line wishes it.
pub fn session(wishes: &Wishes) -> Session {
    let max_memory =
        wishes.max_memory.map_or_else(default_limit, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    crate::tensor::set_memory_limit(max_memory as u64);
    let session =
        Session::new(Options { max_output: OUTPUT, max_memory, random: wishes.random, on_output: None });
    listen();
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.interrupter());
    session
}

/// Lets Ctrl-C stop the cell that runs; where none runs, or at the second time, the program ends.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let heard = || {
            let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
            if !running.is_some_and(|cell| cell.interrupt()) {
                process::exit(Exit::Interrupted as i32);
            }
        };
        // Where signals cannot be heard, Ctrl-C ends the program as it does by default.
        let _ = ctrlc::set_handler(heard);
    });
}
