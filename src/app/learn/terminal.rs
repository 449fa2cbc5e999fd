//! The terminal: single keys, and its size. Raw mode is on only while the
//! program waits for a key; a cell runs with the settings that the terminal had.

use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::time::Duration;

use crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use crossterm::execute;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::super::cells::machine::input_begins;
use super::super::terminal::restore::ChangedSettings;
use super::super::terminal::shell::obeys_escapes;
use super::super::terminal::suspend::suspend;

/// How many milliseconds after an Esc its sequence may come: an Esc alone is the key. Arrow keys and Alt send sequences.
pub(crate) const ESCAPE_WAIT: u16 = 50;

/// A key press, or another event of the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPress {
    Letter(char),
    Enter,
    /// Deletes the last character.
    Backspace,
    Escape,
    Tab,
    /// An arrow, by rows and columns.
    Arrow(isize, isize),
    /// A page, up or down.
    Page(isize),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    /// Ctrl-Z, which [`Raw::key`] obeys itself.
    Suspend,
    /// The screen has another size now.
    Resized,
    /// Text was pasted: its letters are no keys.
    Pasted,
}

/// Whether keys can be read one by one: stdin and stdout are terminals, and the cursor can be moved.
pub(crate) fn has_keys(out: bool) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb" || term.is_empty());
    out && io::stdin().is_terminal() && !dumb && obeys_escapes()
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
        let key = match event {
            Event::Key(key) => key,
            Event::Paste(pasted) => {
                text.push_str(&pasted);
                continue;
            }
            _ => continue,
        };
        match pressed(key) {
            Some(KeyPress::Letter(letter)) => text.push(letter),
            Some(KeyPress::Backspace) => drop(text.pop()),
            Some(KeyPress::Enter) => return Ok((text, true)),
            _ => {}
        }
    }
    Ok((text, false))
}

fn pressed(key: KeyEvent) -> Option<KeyPress> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c') if control => KeyPress::Interrupt,
        KeyCode::Char('d') if control => KeyPress::End,
        KeyCode::Char('l') if control => KeyPress::Resized,
        KeyCode::Char('z') if control => KeyPress::Suspend,
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
    })
}

thread_local! {
    /// An event that was read while another kind was looked for.
    static HELD: RefCell<Option<Event>> = const { RefCell::new(None) };
}

/// Keeps an event, to be the next one.
fn hold(event: Event) {
    HELD.set(Some(event));
}

/// Lets the next key be this one, which was pressed before.
pub(crate) fn press_again(letter: char) {
    hold(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
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

/// Drops an Enter that came right behind a key: at a question letters need one, so that learners type it elsewhere too.
pub(crate) fn drop_enter() -> io::Result<()> {
    let _raw = Raw::begin()?;
    match next_event(Duration::ZERO)? {
        Some(Event::Key(key)) if matches!(pressed(key), Some(KeyPress::Enter)) => {}
        other => other.into_iter().for_each(hold),
    }
    Ok(())
}

/// Drops what was typed so far.
pub(crate) fn drop_typed() -> io::Result<()> {
    let _raw = Raw::begin()?;
    let mut resized = None;
    while let Some(event) = next_event(Duration::ZERO)? {
        resized = Some(event).filter(|event| matches!(event, Event::Resize(..))).or(resized);
    }
    resized.into_iter().for_each(hold);
    Ok(())
}

/// Does work that the learner waits for. What they type meanwhile is neither echoed nor kept; Ctrl-C is a signal.
pub(crate) fn unattended<T>(work: impl FnOnce() -> T) -> io::Result<T> {
    let _changed = ChangedSettings::begin();
    let echo = without_echo();
    let done = work();
    drop(echo);
    drop_typed()?;
    Ok(done)
}

/// The terminal echoes nothing while the value lives.
#[cfg(unix)]
fn without_echo() -> Option<impl Drop> {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    struct Echo(Termios);

    impl Drop for Echo {
        fn drop(&mut self) {
            // A terminal that is gone has no settings to restore.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        }
    }

    let before = tcgetattr(io::stdin()).ok()?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
    tcsetattr(io::stdin(), OptionalActions::Now, &silent).ok()?;
    Some(Echo(before))
}

/// The console echoes only while a line is read.
#[cfg(not(unix))]
fn without_echo() -> Option<Raw> {
    None
}

/// Raw mode, for as long as the value lives: keys come one by one, and a new line needs `\r\n`.
pub(crate) struct Raw {
    _changed: ChangedSettings,
}

impl Raw {
    /// Begins before the keys are invited: what is pressed from then on is read as it is. Outside of raw mode the terminal
    /// itself would obey Backspace.
    pub(crate) fn begin() -> io::Result<Raw> {
        let changed = ChangedSettings::begin();
        enable_raw_mode()?;
        let raw = Raw { _changed: changed };
        execute!(io::stdout(), EnableBracketedPaste)?;
        // The first look for an event is what makes the library notice that the window changes.
        if let Some(event) = next_event(Duration::ZERO)? {
            hold(event);
        }
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
                    hold(Event::Key(KeyEvent::new(code, modifiers - KeyModifiers::ALT)));
                    return Ok(KeyPress::Escape);
                }
                Event::Key(key) if key.kind != KeyEventKind::Release => match pressed(key) {
                    Some(KeyPress::Suspend) => {
                        drop(self);
                        suspend();
                        return Ok(KeyPress::Resized);
                    }
                    Some(pressed) => return Ok(pressed),
                    None => {}
                },
                Event::Resize(..) => {
                    // A window that is being resized sends many events; a key among them is the next one.
                    while let Some(event) = next_event(Duration::from_millis(80))? {
                        if !matches!(event, Event::Resize(..)) {
                            hold(event);
                            break;
                        }
                    }
                    return Ok(KeyPress::Resized);
                }
                Event::Paste(_) => return Ok(KeyPress::Pasted),
                _ => {}
            }
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone has no settings to restore.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        let _ = disable_raw_mode();
    }
}

/// Calls a function in which a library changes the settings of the terminal; if the program ends meanwhile, they are
/// restored.
pub(crate) fn awaiting<T>(read: impl FnOnce() -> T) -> T {
    input_begins();
    let _changed = ChangedSettings::begin();
    read()
}
