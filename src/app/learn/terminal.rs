//! The terminal: single keys, its size, and that it is left as it was found.
//! Modes are changed only while a key or a line is awaited; a cell runs on the terminal as it was.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::super::suspend::suspend;

/// What a program that writes into lines may have turned on: shows the cursor, ends bracketed paste and colours.
const CALM: &[u8] = b"\x1b[?25h\x1b[?2004l\x1b[0m";

/// Whether a key or a line is awaited, so that the terminal is not as it was found.
static AWAITING: AtomicBool = AtomicBool::new(false);

/// A key as the walkthrough hears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// A letter or a sign.
    Letter(char),
    /// Return.
    Enter,
    /// Rubs out.
    Backspace,
    /// Leaves.
    Escape,
    /// To the next of several.
    Tab,
    /// An arrow, by rows and columns.
    Arrow(isize, isize),
    /// A page, up or down.
    Page(isize),
    /// Ctrl-C.
    Stop,
    /// Ctrl-D.
    End,
    /// The screen has another size now.
    Resized,
}

/// Whether keys can be read one by one: a terminal at both ends that can move its cursor.
pub fn has_keys(out: bool) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb" || term.is_empty());
    out && io::stdin().is_terminal() && !dumb
}

/// Rows of the screen.
pub fn rows() -> usize {
    terminal_size::terminal_size().map_or(24, |(_, rows)| usize::from(rows.0)).max(6)
}

/// Waits for a key; Ctrl-Z stops the program until it is taken up again, which counts as another size.
pub fn key() -> io::Result<Pressed> {
    loop {
        let raw = Raw::begin()?;
        let event = event::read()?;
        let pressed = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => pressed(key),
            Event::Resize(..) => {
                // A window that is being drawn larger says so many times.
                while event::poll(Duration::from_millis(80))? {
                    match event::read()? {
                        Event::Resize(..) => {}
                        _ => break,
                    }
                }
                Some(Ok(Pressed::Resized))
            }
            _ => None,
        };
        drop(raw);
        match pressed {
            Some(Ok(pressed)) => return Ok(pressed),
            Some(Err(Suspend)) => {
                suspend();
                return Ok(Pressed::Resized);
            }
            None => {}
        }
    }
}

/// What was typed ahead of a line that is about to be asked for.
pub fn typed_ahead() -> io::Result<(String, bool)> {
    let _raw = Raw::begin()?;
    let mut text = String::new();
    while event::poll(Duration::ZERO)? {
        let Event::Key(key) = event::read()? else { continue };
        match pressed(key) {
            Some(Ok(Pressed::Letter(letter))) => text.push(letter),
            Some(Ok(Pressed::Backspace)) => drop(text.pop()),
            Some(Ok(Pressed::Enter)) if !text.is_empty() => return Ok((text, true)),
            _ => {}
        }
    }
    Ok((text, false))
}

/// Ctrl-Z.
struct Suspend;

fn pressed(key: KeyEvent) -> Option<Result<Pressed, Suspend>> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let heard = match key.code {
        KeyCode::Char('c') if control => Pressed::Stop,
        KeyCode::Char('d') if control => Pressed::End,
        KeyCode::Char('l') if control => Pressed::Resized,
        KeyCode::Char('z') if control => return Some(Err(Suspend)),
        KeyCode::Char('j' | 'm') if control => Pressed::Enter,
        KeyCode::Char('h') if control => Pressed::Backspace,
        KeyCode::Char(_) if control => return None,
        KeyCode::Char(letter) => Pressed::Letter(letter),
        KeyCode::Enter => Pressed::Enter,
        KeyCode::Backspace => Pressed::Backspace,
        KeyCode::Esc => Pressed::Escape,
        KeyCode::Tab => Pressed::Tab,
        KeyCode::Up => Pressed::Arrow(-1, 0),
        KeyCode::Down => Pressed::Arrow(1, 0),
        KeyCode::Left => Pressed::Arrow(0, -1),
        KeyCode::Right => Pressed::Arrow(0, 1),
        KeyCode::PageUp => Pressed::Page(-1),
        KeyCode::PageDown => Pressed::Page(1),
        _ => return None,
    };
    Some(Ok(heard))
}

/// Single keys for as long as it lives.
struct Raw;

impl Raw {
    fn begin() -> io::Result<Raw> {
        AWAITING.store(true, Ordering::Release);
        enable_raw_mode()?;
        Ok(Raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing put back.
        let _ = disable_raw_mode();
        AWAITING.store(false, Ordering::Release);
    }
}

/// Says that a library reads a line in its own way: if the program ends meanwhile, the terminal is put back.
pub fn awaiting<T>(read: impl FnOnce() -> T) -> T {
    AWAITING.store(true, Ordering::Release);
    let read = read();
    AWAITING.store(false, Ordering::Release);
    read
}

/// Sees to it that the terminal is as it was found, however the program ends.
pub fn keep_safe() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let restore = restorer();
        let _ = RESTORE.set(restore);
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            put_back();
            before(info);
        }));
        hear_endings();
    });
}

/// Gives the terminal the settings it was found with.
type Restore = Box<dyn Fn() + Send + Sync>;

static RESTORE: OnceLock<Restore> = OnceLock::new();

fn put_back() {
    if !AWAITING.swap(false, Ordering::AcqRel) {
        return;
    }
    if let Some(restore) = RESTORE.get() {
        restore();
    }
    // The streams may be held by the thread that works; the terminal itself can always be opened.
    if let Ok(mut terminal) = File::options().write(true).open("/dev/tty") {
        let _ = terminal.write_all(CALM);
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

/// Closing the window and being asked to end: the terminal first, then as the system does it.
#[cfg(unix)]
fn hear_endings() {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGTERM]) else {
        return;
    };
    let listen = move || {
        for signal in signals.forever() {
            put_back();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // Without this thread such a signal ends the program as it always does.
    let _ = std::thread::Builder::new().name("attn signals".into()).spawn(listen);
}

#[cfg(not(unix))]
fn hear_endings() {}
