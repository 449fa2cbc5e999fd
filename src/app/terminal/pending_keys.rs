//! Keys that were pressed while the terminal answered a question of the program. They came between its answers, and whatever
//! reads keys or lines next begins with them.

use std::cell::RefCell;
use std::mem;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

thread_local! {
    static TYPED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Keeps bytes that the terminal sent for keys. Terminals are asked only on Unix.
#[cfg(unix)]
pub(crate) fn keep(bytes: &[u8]) {
    TYPED.with_borrow_mut(|typed| typed.extend_from_slice(bytes));
}

/// What was typed so far of a line, and whether Enter ended it. What follows is kept.
pub(crate) fn line() -> (String, bool) {
    TYPED.with_borrow_mut(|typed| {
        let end = typed.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let rest = end.map_or_else(Vec::new, |end| typed.split_off(end + 1));
        let line = mem::replace(typed, rest);
        let line = String::from_utf8_lossy(&line).into_owned();
        (line.trim_end_matches(['\n', '\r']).to_owned(), end.is_some())
    })
}

/// All that was typed, as text.
pub(crate) fn text() -> String {
    let typed = TYPED.take();
    String::from_utf8_lossy(&typed).replace('\r', "\n")
}

/// All that was typed, key by key.
pub(crate) fn keys() -> Vec<Event> {
    let typed = TYPED.take();
    events(&String::from_utf8_lossy(&typed))
}

/// The sequences of keys that have no character, after the Esc that they begin with.
const SEQUENCES: [(&str, KeyCode); 10] = [
    ("[A", KeyCode::Up),
    ("[B", KeyCode::Down),
    ("[C", KeyCode::Right),
    ("[D", KeyCode::Left),
    ("OA", KeyCode::Up),
    ("OB", KeyCode::Down),
    ("OC", KeyCode::Right),
    ("OD", KeyCode::Left),
    ("[5~", KeyCode::PageUp),
    ("[6~", KeyCode::PageDown),
];

/// The keys that a terminal sends as this text.
fn events(text: &str) -> Vec<Event> {
    let mut events = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        let key = match letter {
            '\n' | '\r' => plain(KeyCode::Enter),
            '\t' => plain(KeyCode::Tab),
            '\x7f' | '\x08' => plain(KeyCode::Backspace),
            '\x1b' => match SEQUENCES.iter().find(|(sequence, _)| rest.starts_with(sequence)) {
                Some((sequence, code)) => {
                    rest = &rest[sequence.len()..];
                    plain(*code)
                }
                None => plain(KeyCode::Esc),
            },
            '\x01'..='\x1a' => {
                let letter = char::from(b'a' + (letter as u8 - 1));
                KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
            }
            letter => plain(KeyCode::Char(letter)),
        };
        events.push(Event::Key(key));
    }
    events
}
