//! Sessions with the options of the command line, and Ctrl-C. Ctrl-C interrupts the running cell; pressed again, it ends the
//! program. In the walkthrough and the REPL it only interrupts cells.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use std::{env, process, thread};

use super::super::commands::options::GlobalOptions;
use super::super::keeper::{self, journal};
use super::super::terminal::ctrl_c;
use super::super::terminal::progress_bar;
use super::super::terminal::restore::restore_now;
use super::super::terminal::shell::{Exit, Failure};
use crate::session::{Channel, Interrupter, Listener, Session, SessionOptions, default_limit, limit_process};
use crate::shims::wall;

/// All open sessions: Ctrl-C interrupts the one that runs.
static SESSIONS: Mutex<Vec<Interrupter>> = Mutex::new(Vec::new());

/// Whether Ctrl-C never ends the program.
static KEEP_RUNNING: AtomicBool = AtomicBool::new(false);

/// How often Ctrl-C was pressed before the current input.
static HANDLED: AtomicUsize = AtomicUsize::new(0);

/// How often Ctrl-C was pressed.
static PRESSES: AtomicUsize = AtomicUsize::new(0);

/// The most bytes that a cell may print. It is far more than a lesson prints, since other programs may read the output.
const OUTPUT: usize = 64 << 20;

/// Whether sessions are behind the wall: those of the program are; a test that starts one goes on reading files.
static WALLS: AtomicBool = AtomicBool::new(false);

/// From now on each thread gives up what no cell needs before its first session.
pub(crate) fn raise_walls() {
    WALLS.store(true, Ordering::Release);
}

/// How many bytes cells may take.
pub(crate) fn memory(options: &GlobalOptions) -> usize {
    options.max_memory.map_or_else(default_limit, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// A new session with the options of the command line.
pub(crate) fn session(options: &GlobalOptions) -> Session {
    if WALLS.load(Ordering::Acquire) {
        wall::raise();
    }
    let max_memory = memory(options);
    limit_process(max_memory);
    let session = Session::new(SessionOptions {
        max_output: OUTPUT,
        max_memory,
        random: options.random.unwrap_or_default(),
        on_cpu: options.device.clone(),
        // A path that is not there was refused when the command line was read.
        files: options.files().unwrap_or_default(),
        modules: options.modules.clone(),
        on_output: progress_bar::shows(options).then(|| -> Listener {
            Box::new(|channel, line| {
                if channel == Channel::Progress {
                    progress_bar::of_cell(line);
                }
            })
        }),
    });
    session.state().recorder.set_off(options.no_record);
    install_handler();
    let mut sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    sessions.retain(|interrupter| !interrupter.is_orphan());
    let interrupter = session.interrupter();
    if KEEP_RUNNING.load(Ordering::Acquire) && presses() != HANDLED.load(Ordering::Acquire) {
        interrupter.interrupt_now_or_next();
    }
    // A program that was stopped runs nothing more.
    if !KEEP_RUNNING.load(Ordering::Acquire) && presses() > 0 {
        interrupter.interrupt_for_good();
    }
    sessions.push(interrupter);
    drop(sessions);
    session
}

/// Sets the number of threads from `ATTN_THREADS`. Errors: its value is no positive integer.
pub(crate) fn threads() -> Result<(), Failure> {
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

/// From now on Ctrl-C only interrupts cells and never ends the program.
pub(crate) fn keep_running() {
    KEEP_RUNNING.store(true, Ordering::Release);
    install_handler();
}

/// How often Ctrl-C was pressed so far. A run of several cells compares it, to notice Ctrl-C between two cells.
pub(crate) fn presses() -> usize {
    PRESSES.load(Ordering::Acquire)
}

/// Begins a new input of the REPL or the walkthrough: what was pressed before it stops none of its cells. What is pressed
/// while it is worked on stops its next cell too, in a session that does not exist yet as well.
pub(crate) fn input_begins() {
    let sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    // The handler of such a press may not have run yet.
    ctrl_c::take();
    HANDLED.store(presses(), Ordering::Release);
    sessions.iter().for_each(Interrupter::forget_next);
}

/// Installs the handler of Ctrl-C. It interrupts the running cell; if no cell runs, or at the second time, it ends the
/// program, unless the program should keep running.
fn install_handler() {
    static ONCE: Once = Once::new();
    static BEFORE: AtomicBool = AtomicBool::new(false);
    ONCE.call_once(|| {
        let handler = || {
            let sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
            let keeps_running = KEEP_RUNNING.load(Ordering::Acquire);
            let pressed = ctrl_c::take();
            if keeps_running && !pressed {
                return;
            }
            PRESSES.fetch_add(1, Ordering::AcqRel);
            if sessions.iter().any(Interrupter::is_waiting) && UNSTOPPABLE.load(Ordering::Acquire) {
                end();
            }
            // `count` calls every session; `any` would end at the first one that runs.
            let stop = match keeps_running {
                true => Interrupter::interrupt_now_or_next,
                false => Interrupter::interrupt_for_good,
            };
            let stopped = sessions.iter().filter(|session| stop(session)).count() > 0;
            let before = BEFORE.swap(true, Ordering::AcqRel);
            if !keeps_running && (before || !stopped) {
                restore_now();
                process::exit(Exit::Interrupted as i32);
            }
            drop(sessions);
            if stopped {
                watch();
            }
        };
        // Without a handler, Ctrl-C ends the program, as it does by default.
        let _ = ctrl_c::handle(handler);
    });
}

/// Whether the learner was told that the cell does not stop.
static UNSTOPPABLE: AtomicBool = AtomicBool::new(false);

/// How long a cell may take to stop before the learner is told.
const SOON: Duration = Duration::from_secs(1);

/// How long after that the process ends.
const AT_LAST: Duration = Duration::from_secs(3);

/// Ends the process if a cell cannot be stopped: one call of a function that is not Python's may never look for it.
fn watch() {
    static WATCHING: AtomicBool = AtomicBool::new(false);
    if WATCHING.swap(true, Ordering::AcqRel) {
        return;
    }
    let presses_before = presses();
    let waits = |time: Duration| {
        let start = Instant::now();
        while start.elapsed() < time {
            let sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
            if !sessions.iter().any(Interrupter::is_waiting) {
                return false;
            }
            drop(sessions);
            thread::sleep(Duration::from_millis(20));
        }
        true
    };
    let wait = move || {
        if waits(SOON) {
            UNSTOPPABLE.store(true, Ordering::Release);
            let again =
                if presses() == presses_before { "Ctrl-C again ends it at once" } else { "it ends soon" };
            let kept = if journal::is_kept() { ", and nothing that you typed is lost" } else { "" };
            let words =
                format!("\nattn: the cell is in one long call that cannot be stopped; {again}{kept}.\n");
            let _ = io::stderr().write_all(words.as_bytes());
            if waits(AT_LAST) {
                end();
            }
            UNSTOPPABLE.store(false, Ordering::Release);
        }
        WATCHING.store(false, Ordering::Release);
    };
    // Without this thread only a second Ctrl-C helps.
    let _ = thread::Builder::new().name("attn watch".into()).spawn(wait);
}

/// Ends the process in the middle of a cell.
fn end() -> ! {
    restore_now();
    process::exit(if journal::is_kept() { keeper::UNSTOPPABLE } else { Exit::Interrupted as i32 });
}
