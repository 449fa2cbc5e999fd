//! The terminal: single keys, its size, and restoring its settings however the program ends. Raw mode is on only while the
//! program waits for a key; a cell runs with the settings that the terminal had.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::super::machine::input_begins;
use super::super::suspend::suspend;

/// Undoes what a line editor may have turned on: shows the cursor, ends bracketed paste and colours.
const RESET: &[u8] = b"\x1b[?25h\x1b[?2004l\x1b[0m";

/// How many milliseconds after an Esc its sequence may come: an Esc alone is the key. Arrow keys and Alt send sequences.
pub(crate) const ESCAPE_WAIT: u16 = 50;

/// Whether the program waits for a key or a line, so that the terminal has other settings than before.
static AWAITING: AtomicBool = AtomicBool::new(false);

/// A key press, or another event of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPress {
    /// A character.
    Letter(char),
    /// Return.
    Enter,
    /// Deletes the last character.
    Backspace,
    /// Escape.
    Escape,
    /// Tab.
    Tab,
    /// An arrow, by rows and columns.
    Arrow(isize, isize),
    /// A page, up or down.
    Page(isize),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    /// The screen has another size now.
    Resized,
}

/// Whether keys can be read one by one: stdin and stdout are terminals, and the cursor can be moved.
pub(crate) fn has_keys(out: bool) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb" || term.is_empty());
    out && io::stdin().is_terminal() && !dumb
}

/// Rows of the screen.
pub(crate) fn rows() -> usize {
    terminal_size::terminal_size().map_or(24, |(_, rows)| usize::from(rows.0)).max(6)
}

/// What was typed before the line editor opens, and whether Enter ended it.
pub(crate) fn typed_ahead() -> io::Result<(String, bool)> {
    let _raw = Raw::begin()?;
    let mut text = String::new();
    while let Some(event) = next_event(Duration::ZERO)? {
        let Event::Key(key) = event else { continue };
        match pressed(key) {
            Some(Ok(KeyPress::Letter(letter))) => text.push(letter),
            Some(Ok(KeyPress::Backspace)) => drop(text.pop()),
            Some(Ok(KeyPress::Enter)) => return Ok((text, true)),
            _ => {}
        }
    }
    Ok((text, false))
}

/// Ctrl-Z.
struct Suspend;

fn pressed(key: KeyEvent) -> Option<Result<KeyPress, Suspend>> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let press = match key.code {
        KeyCode::Char('c') if control => KeyPress::Interrupt,
        KeyCode::Char('d') if control => KeyPress::End,
        KeyCode::Char('l') if control => KeyPress::Resized,
        KeyCode::Char('z') if control => return Some(Err(Suspend)),
        // Ctrl-J is also what the terminal makes of an Enter that came before keys were read one by one.
        KeyCode::Char('j' | 'm') if control => KeyPress::Enter,
        KeyCode::Char('h') if control => KeyPress::Backspace,
        KeyCode::Char(_) if control => return None,
        KeyCode::Char(letter) => KeyPress::Letter(letter),
        KeyCode::Enter => KeyPress::Enter,
        KeyCode::Backspace => KeyPress::Backspace,
        KeyCode::Esc => KeyPress::Escape,
        KeyCode::Tab => KeyPress::Tab,
        KeyCode::Up => KeyPress::Arrow(-1, 0),
        KeyCode::Down => KeyPress::Arrow(1, 0),
        KeyCode::Left => KeyPress::Arrow(0, -1),
        KeyCode::Right => KeyPress::Arrow(0, 1),
        KeyCode::PageUp => KeyPress::Page(-1),
        KeyCode::PageDown => KeyPress::Page(1),
        _ => return None,
    };
    Some(Ok(press))
}

thread_local! {
    /// An event that was read while another kind was looked for.
    static HELD: RefCell<Option<Event>> = const { RefCell::new(None) };
}

/// The next event, if one comes within this time.
fn next_event(patience: Duration) -> io::Result<Option<Event>> {
    if let Some(held) = HELD.take() {
        return Ok(Some(held));
    }
    // Without any time the library does not even look at the events that it has read already.
    let patience = patience.max(Duration::from_millis(1));
    if event::poll(patience)? { event::read().map(Some) } else { Ok(None) }
}

/// Drops what was typed before something opens that would take it for its own input.
pub(crate) fn drop_typed() -> io::Result<()> {
    typed_ahead().map(drop)
}

/// Raw mode, for as long as the value lives: keys come one by one, and a new line needs `\r\n`.
pub(crate) struct Raw;

impl Raw {
    /// Begins before the keys are invited: what is pressed from then on is read as it is. Outside of raw mode the terminal
    /// itself would obey Backspace.
    pub(crate) fn begin() -> io::Result<Raw> {
        AWAITING.store(true, Ordering::Release);
        enable_raw_mode()?;
        let raw = Raw;
        // The first look for an event is what makes the library notice that the window changes.
        HELD.set(next_event(Duration::ZERO)?);
        Ok(raw)
    }

    /// Waits for a key. Ctrl-Z suspends the program; when it resumes, the result is `Resized`, so that the page is redrawn.
    pub(crate) fn key(self) -> io::Result<KeyPress> {
        loop {
            input_begins();
            let event = match HELD.take() {
                Some(held) => held,
                None => event::read()?,
            };
            match event {
                // What comes right after an Esc looks like a key with Alt. No such key has a meaning here.
                Event::Key(KeyEvent { code: code @ KeyCode::Char(_), modifiers, .. })
                    if modifiers.contains(KeyModifiers::ALT) =>
                {
                    HELD.set(Some(Event::Key(KeyEvent::new(code, modifiers - KeyModifiers::ALT))));
                    return Ok(KeyPress::Escape);
                }
                Event::Key(key) if key.kind != KeyEventKind::Release => match pressed(key) {
                    Some(Ok(pressed)) => return Ok(pressed),
                    Some(Err(Suspend)) => {
                        drop(self);
                        suspend();
                        return Ok(KeyPress::Resized);
                    }
                    None => {}
                },
                Event::Resize(..) => {
                    // A window that is being resized sends many events; a key among them is the next one.
                    while let Some(event) = next_event(Duration::from_millis(80))? {
                        if !matches!(event, Event::Resize(..)) {
                            HELD.set(Some(event));
                            break;
                        }
                    }
                    return Ok(KeyPress::Resized);
                }
                _ => {}
            }
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone has no settings to restore.
        let _ = disable_raw_mode();
        AWAITING.store(false, Ordering::Release);
    }
}

/// Calls a function in which a library changes the settings of the terminal; if the program ends meanwhile, they are
/// restored.
pub(crate) fn awaiting<T>(read: impl FnOnce() -> T) -> T {
    input_begins();
    let outer = AWAITING.swap(true, Ordering::AcqRel);
    let read = read();
    AWAITING.store(outer, Ordering::Release);
    read
}

/// Restores the settings of the terminal when the program panics or is terminated.
pub(crate) fn restore_at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let restore = restorer();
        let _ = RESTORE.set(restore);
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore_now();
            before(info);
        }));
        handle_termination();
    });
}

/// Restores the settings that the terminal had at the start.
type Restore = Box<dyn Fn() + Send + Sync>;

static RESTORE: OnceLock<Restore> = OnceLock::new();

fn restore_now() {
    if !AWAITING.swap(false, Ordering::AcqRel) {
        return;
    }
    if let Some(restore) = RESTORE.get() {
        restore();
    }
    // Another thread may have locked the streams; the terminal itself can always be opened.
    if let Ok(mut terminal) = File::options().write(true).open("/dev/tty") {
        let _ = terminal.write_all(RESET);
    }
}

#[cfg(unix)]
fn restorer() -> Restore {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    match tcgetattr(io::stdin()) {
        Ok(found) => Box::new(move || {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &found);
        }),
        Err(_) => Box::new(|| {}),
    }
}

#[cfg(not(unix))]
fn restorer() -> Restore {
    Box::new(|| {
        let _ = disable_raw_mode();
    })
}

/// Handles the signals of a closed window and of `kill`: restores the terminal, then does what the system does by default.
#[cfg(unix)]
fn handle_termination() {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGTERM]) else {
        return;
    };
    let handle = move || {
        for signal in signals.forever() {
            restore_now();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // Without this thread such a signal ends the program without restoring the terminal.
    let _ = std::thread::Builder::new().name("attn signals".into()).spawn(handle);
}

#[cfg(not(unix))]
fn handle_termination() {}
