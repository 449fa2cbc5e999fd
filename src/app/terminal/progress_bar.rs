//! A progress bar on stderr while long work runs, on terminals only. Another thread draws it, since the interpreter runs on
//! this one. `indicatif` is not used: the bar, its colours and `--plain` are the view's.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::super::commands::options::GlobalOptions;
use super::shell::{Shell, columns};
use crate::view::progress_line::{progress, working};
use crate::view::slice::ellipsized;
use crate::view::text::escape_controls;
use crate::view::{Line, Look, Role};

/// Shorter work has no bar.
const DELAY: Duration = Duration::from_millis(500);
/// How often the bar is drawn.
const INTERVAL: Duration = Duration::from_millis(100);

struct BarState {
    /// The part that is worked on; empty between parts.
    what: String,
    done: usize,
    all: usize,
    /// When this part began.
    since: Instant,
    ended: bool,
    drawn: bool,
}

/// The line in which a running cell says how far it is, while a [`ProgressBar`] is there to draw it.
static OF_CELL: Mutex<CellLine> = Mutex::new(CellLine { watched: 0, line: String::new() });

struct CellLine {
    /// How many progress bars there are.
    watched: usize,
    /// Empty if the cell says nothing.
    line: String,
}

thread_local! {
    /// Whether the cell that runs in this thread only prepares for others: then it has no line, unless a [`ProgressBar`] has one.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs cells that only prepare for others, without a line of their own.
pub(crate) fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let before = QUIET.replace(true);
    let ran = run();
    QUIET.set(before);
    ran
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows the line in which a cell says how far it is, in place of the one before; removes it if it is empty.
pub(crate) fn of_cell(line: &str) {
    let line = escape_controls(line, &[]);
    let line = ellipsized(&line, columns(true).saturating_sub(1));
    let mut shown = locked(&OF_CELL);
    match shown.watched {
        0 if QUIET.get() => {}
        0 => rewrite(&line),
        _ => shown.line = line,
    }
}

/// Writes this in place of the line before.
fn rewrite(line: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r{line}\x1b[K");
    let _ = err.flush();
}

/// Whether lines can be drawn again: on a terminal, without `--plain` and `--json`.
pub(crate) fn shows(options: &GlobalOptions) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && io::stdout().is_terminal() && !options.plain && !options.json && !dumb
}

/// A progress bar. It appears once the work has taken half a second.
pub(crate) struct ProgressBar {
    shared: Option<Arc<(Mutex<BarState>, Condvar)>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressBar {
    /// A bar for work of `all` parts. It is never drawn in a pipe, with `--plain` or with `--json`.
    pub(crate) fn watch(all: usize, shell: &Shell) -> ProgressBar {
        if !(shell.terminal && shows(&shell.options)) {
            return ProgressBar { shared: None, thread: None };
        }
        locked(&OF_CELL).watched += 1;
        let since = Instant::now();
        let state = BarState { what: String::new(), done: 0, all, since, ended: false, drawn: false };
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let (own, look) = (shared.clone(), shell.look);
        let draw = move || drawing(&own, look);
        let thread =
            std::thread::Builder::new().name("attn progress".into()).stack_size(128 << 10).spawn(draw).ok();
        ProgressBar { shared: Some(shared), thread }
    }

    /// Says which part is being worked on, `done` being behind.
    pub(crate) fn at(&self, done: usize, what: &str) {
        if let Some(shared) = &self.shared {
            let mut state = locked(&shared.0);
            if (state.done, state.what.as_str()) != (done, what) {
                state.since = Instant::now();
            }
            state.done = done;
            what.clone_into(&mut state.what);
        }
    }

    /// Removes the bar until the next part begins. Call it before anything else is written.
    pub(crate) fn hide(&self) {
        if let Some(shared) = &self.shared {
            let mut state = locked(&shared.0);
            state.what.clear();
            locked(&OF_CELL).line.clear();
            erase(&mut state);
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        let Some(shared) = &self.shared else { return };
        locked(&OF_CELL).watched -= 1;
        locked(&shared.0).ended = true;
        shared.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread returns nothing.
            let _ = thread.join();
        }
    }
}

fn drawing(shared: &(Mutex<BarState>, Condvar), look: Look) {
    let begun = Instant::now();
    let mut state = locked(&shared.0);
    while !state.ended {
        if !state.what.is_empty() && begun.elapsed() >= DELAY {
            let of_cell = locked(&OF_CELL).line.clone();
            let line = match state.all {
                _ if !of_cell.is_empty() => Line::new().with(Role::Prose, of_cell),
                0 | 1 => working(&state.what, state.since.elapsed()),
                all => progress(&state.what, state.done as f64 / all as f64, look),
            };
            let text = crate::view::Text { lines: vec![line] }.render(look);
            rewrite(text.trim_end_matches('\n'));
            state.drawn = true;
        }
        let waited = shared.1.wait_timeout(state, INTERVAL);
        state = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
    }
    erase(&mut state);
}

fn erase(state: &mut BarState) {
    if std::mem::take(&mut state.drawn) {
        rewrite("");
    }
}
