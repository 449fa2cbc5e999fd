//! Restores the settings of the terminal however the program ends.

use std::fs::File;
use std::io::Write;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

/// Undoes what a line editor may have turned on: shows the cursor, ends bracketed paste and colours.
const RESET: &[u8] = b"\x1b[?25h\x1b[?2004l\x1b[0m";

/// The file that is the terminal.
const TERMINAL: &str = if cfg!(windows) { "CONOUT$" } else { "/dev/tty" };

/// Whether the terminal has other settings than before, because the program waits for a key, a line or an answer.
static CHANGED: AtomicBool = AtomicBool::new(false);

/// Saves what is being typed.
type Save = Box<dyn FnOnce() + Send>;

static BEFORE_END: Mutex<Option<Save>> = Mutex::new(None);

/// What is to be done before a signal ends the program, such as that of a closed window; nothing any more with `None`.
pub(crate) fn before_end(save: Option<Save>) {
    *BEFORE_END.lock().unwrap_or_else(PoisonError::into_inner) = save;
}

/// Does it now: the terminal is gone, or a signal came. Who comes second waits for it.
pub(crate) fn save_now() {
    let mut left = BEFORE_END.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(save) = left.take() {
        save();
    }
}

/// While the value lives, the terminal may have other settings; if the program ends meanwhile, they are restored.
pub(crate) struct ChangedSettings {
    before: bool,
}

impl ChangedSettings {
    /// To be called before the settings are changed.
    pub(crate) fn begin() -> ChangedSettings {
        ChangedSettings { before: CHANGED.swap(true, Ordering::AcqRel) }
    }
}

impl Drop for ChangedSettings {
    fn drop(&mut self) {
        CHANGED.store(self.before, Ordering::Release);
    }
}

/// Restores the settings of the terminal when the program panics or is terminated.
pub(crate) fn restore_at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = RESTORER.set(Restorer::new());
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore_now();
            before(info);
        }));
        handle_termination();
    });
}

static RESTORER: OnceLock<Restorer> = OnceLock::new();

/// Restores the settings, if they are changed: to be called where the program ends at once.
pub(crate) fn restore_now() {
    if !CHANGED.swap(false, Ordering::AcqRel) {
        return;
    }
    if let Some(restorer) = RESTORER.get() {
        restorer.restore();
    }
}

/// The settings that the terminal has when the value is made.
pub(crate) struct Restorer(Box<dyn Fn() + Send + Sync>);

impl Restorer {
    pub(crate) fn new() -> Restorer {
        Restorer(settings())
    }

    /// Gives the terminal these settings, a cursor and no colours.
    pub(crate) fn restore(&self) {
        (self.0)();
        // Another thread may have locked the streams; the terminal itself can always be opened.
        if let Ok(mut terminal) = File::options().write(true).open(TERMINAL) {
            let _ = terminal.write_all(RESET);
        }
    }
}

#[cfg(unix)]
fn settings() -> Box<dyn Fn() + Send + Sync> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    use std::io;
    match tcgetattr(io::stdin()) {
        Ok(found) => Box::new(move || {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &found);
        }),
        Err(_) => Box::new(|| {}),
    }
}

#[cfg(not(unix))]
fn settings() -> Box<dyn Fn() + Send + Sync> {
    Box::new(|| {
        let _ = crossterm::terminal::disable_raw_mode();
    })
}

/// Handles the signals of a closed window and of `kill`: restores the terminal, then does what the system does by default.
#[cfg(unix)]
fn handle_termination() {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGTERM]) else { return };
    let handle = move || {
        for signal in signals.forever() {
            restore_now();
            save_now();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // Without this thread such a signal ends the program without restoring the terminal.
    let _ = std::thread::Builder::new().name("attn signals".into()).spawn(handle);
}

#[cfg(not(unix))]
fn handle_termination() {}
