//! One interpreter for a plan, and what stops it: Ctrl-C stops the running cell, a second one the program.
//! Where a learner works (walkthrough, REPL) it stops cells only, as often as wished, never the program.
//! Session options come from the command line; signals come from `ctrlc`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::{env, process};

use super::options::GlobalOptions;
use super::shell::{Exit, Failure};
use crate::session::{Interrupter, Session, SessionOptions, default_limit};

/// What Ctrl-C stops: every session there is, for several may be open and one of them runs.
static SESSIONS: Mutex<Vec<Interrupter>> = Mutex::new(Vec::new());

/// Whether Ctrl-C is to leave the program running.
static KEEP_RUNNING: AtomicBool = AtomicBool::new(false);

/// How often Ctrl-C was pressed.
static PRESSES: AtomicUsize = AtomicUsize::new(0);

/// Bytes that a cell of a file may print: far more than a lesson's, since machines read them.
const OUTPUT: usize = 64 << 20;

/// A fresh session as the command line options it.
pub fn session(options: &GlobalOptions) -> Session {
    let max_memory =
        options.max_memory.map_or_else(default_limit, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    crate::tensor::set_memory_limit(max_memory as u64);
    let session = Session::new(SessionOptions {
        max_output: OUTPUT,
        max_memory,
        random: options.random,
        on_output: None,
    });
    session.state().recorder.set_off(options.no_record);
    listen();
    let mut sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    sessions.retain(|interrupter| !interrupter.is_orphan());
    sessions.push(session.interrupter());
    drop(sessions);
    session
}

/// Takes over how many threads the arithmetic may use: `ATTN_THREADS`, where it is set.
/// Errors: it is no whole number from 1 on.
pub fn threads() -> Result<(), Failure> {
    let Some(text) = env::var_os("ATTN_THREADS").filter(|text| !text.is_empty()) else { return Ok(()) };
    let text = text.to_string_lossy();
    match text.trim().parse::<usize>() {
        Ok(count) if count > 0 => {
            crate::kernel::threads::set_count(count);
            Ok(())
        }
        _ => Err(Failure::Usage(format!(
            "ATTN_THREADS is `{text}`; it takes a whole number from 1 on: how many threads may compute"
        ))),
    }
}

/// From here on Ctrl-C stops the cell that runs, however often; at a prompt it does nothing by itself.
pub fn keep_running() {
    KEEP_RUNNING.store(true, Ordering::Release);
    listen();
}

/// How often Ctrl-C was pressed so far. Work of many cells compares it: one pressed between two of them counts.
pub fn presses() -> usize {
    PRESSES.load(Ordering::Acquire)
}

/// Lets Ctrl-C stop the cell that runs; where none runs, or at the second time, the program ends,
/// unless it is to stay.
fn listen() {
    static ONCE: Once = Once::new();
    static BEFORE: AtomicBool = AtomicBool::new(false);
    ONCE.call_once(|| {
        let heard = || {
            PRESSES.fetch_add(1, Ordering::AcqRel);
            let sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
            // All of them are asked, not only the first that runs.
            let stopped = sessions.iter().filter(|session| session.interrupt()).count() > 0;
            let before = BEFORE.swap(true, Ordering::AcqRel);
            if !KEEP_RUNNING.load(Ordering::Acquire) && (before || !stopped) {
                process::exit(Exit::Interrupted as i32);
            }
        };
        // Where signals cannot be heard, Ctrl-C ends the program as it does by default.
        let _ = ctrlc::set_handler(heard);
    });
}
