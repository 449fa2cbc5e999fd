//! The keys that behave differently in an input of several lines: Enter, deletions, movements and indentation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged;
use rustyline::{
    CharSearch, Cmd, ConditionalEventHandler, Event, EventContext, KeyCode, KeyEvent, Modifiers, Movement,
    RepeatCount,
};

use super::lines::command_after;
use crate::session::{InputState, input_state};

/// The width of one indentation.
const INDENT: usize = 4;

/// The character of the margin: U+2007, a space as wide as a digit, which does not occur in code.
pub const MARGIN: char = '\u{2007}';

/// The width of the margin, which is the width of the prompt.
static MARGIN_WIDTH: AtomicUsize = AtomicUsize::new(0);

/// The keys that would touch the margin, which have the same bindings wherever lines have one.
pub(crate) fn at_margin() -> [(KeyEvent, BoundKey); 14] {
    let plain = |code| KeyEvent(code, Modifiers::NONE);
    [
        (plain(KeyCode::Backspace), BoundKey::Backspace),
        (KeyEvent::ctrl('H'), BoundKey::Backspace),
        (plain(KeyCode::Delete), BoundKey::Delete),
        (KeyEvent::ctrl('D'), BoundKey::Delete),
        (KeyEvent::ctrl('K'), BoundKey::KillToEnd),
        (plain(KeyCode::Home), BoundKey::Home),
        (KeyEvent::ctrl('A'), BoundKey::Home),
        (plain(KeyCode::Left), BoundKey::Left),
        (KeyEvent::ctrl('B'), BoundKey::Left),
        (plain(KeyCode::Right), BoundKey::Right),
        (KeyEvent::ctrl('F'), BoundKey::Right),
        (KeyEvent::ctrl('U'), BoundKey::KillToStart),
        (KeyEvent::ctrl('W'), BoundKey::KillWord),
        (plain(KeyCode::BackTab), BoundKey::BackTab),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BoundKey {
    Enter,
    Submit,
    Backspace,
    Delete,
    Home,
    Left,
    Right,
    KillToStart,
    KillToEnd,
    KillWord,
    Tab,
    BackTab,
    Suspend,
    /// Any other: it may be part of a paste.
    Other,
}

/// What was pasted so far, while the terminal sends a paste.
static PASTED: Mutex<Option<String>> = Mutex::new(None);

/// The text and the position of the cursor when Ctrl-Z was pressed.
static SUSPENDED: Mutex<Option<(String, usize)>> = Mutex::new(None);

pub(crate) struct KeyHandler {
    pub(crate) key: BoundKey,
}

impl KeyHandler {
    /// Takes the replacement that the last key requested: its text, and the byte from which it replaces.
    pub(crate) fn take_replacement() -> Option<(usize, String)> {
        REPLACEMENT.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Takes the text that was typed when Ctrl-Z was pressed: before the cursor, and after it.
    pub(super) fn take_suspended() -> Option<(String, String)> {
        let (line, pos) = SUSPENDED.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some((line[..pos].to_owned(), line[pos..].to_owned()))
    }

    /// Sets the width of the margin.
    pub(super) fn set_margin(columns: usize) {
        MARGIN_WIDTH.store(columns, Ordering::Relaxed);
    }
}

/// Whether a key belongs to a paste; with its last key, all of the pasted text.
pub(crate) fn of_paste(event: &Event) -> Option<Option<String>> {
    let Event::KeySeq(keys) = event else { return None };
    let [KeyEvent(code, modifiers)] = keys[..] else { return None };
    let mut pasted = PASTED.lock().unwrap_or_else(PoisonError::into_inner);
    match (code, pasted.as_mut()) {
        (KeyCode::BracketedPasteStart, _) => *pasted = Some(String::new()),
        (_, None) => return None,
        (KeyCode::BracketedPasteEnd, Some(_)) => {
            return Some(pasted.take().map(|text| text.replace("\r\n", "\n").replace('\r', "\n")));
        }
        (KeyCode::Char(letter), Some(text)) if modifiers.is_empty() => text.push(letter),
        (KeyCode::Char('J'), Some(text)) if modifiers == Modifiers::CTRL => text.push('\n'),
        (KeyCode::Enter, Some(text)) => text.push('\r'),
        (KeyCode::Tab, Some(text)) => text.push_str(&" ".repeat(INDENT)),
        _ => {}
    }
    Some(None)
}

/// The requested replacement of the text before the cursor: the byte where it begins, and the new text. Completion is
/// the only command of rustyline that replaces text and leaves the cursor behind it, so the completer takes this value.
static REPLACEMENT: Mutex<Option<(usize, String)>> = Mutex::new(None);

#[derive(Clone, Debug, PartialEq)]
pub enum KeyAction {
    /// Runs a command of rustyline.
    Command(Cmd),
    /// Replaces this many bytes before the cursor with another text.
    Replace(usize, String),
}

impl KeyAction {
    /// The command of rustyline that performs it. A replacement is left in [`REPLACEMENT`].
    pub(crate) fn command(self, pos: usize) -> Cmd {
        match self {
            KeyAction::Command(command) => command,
            KeyAction::Replace(bytes, text) => {
                *REPLACEMENT.lock().unwrap_or_else(PoisonError::into_inner) = Some((pos - bytes, text));
                Cmd::Complete
            }
        }
    }
}

impl ConditionalEventHandler for KeyHandler {
    fn handle(&self, event: &Event, count: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        if let Some(pasted) = of_paste(event) {
            let under = format!("\n{}", String::from(MARGIN).repeat(MARGIN_WIDTH.load(Ordering::Relaxed)));
            return Some(pasted.map_or(Cmd::Noop, |text| Cmd::Insert(1, text.replace('\n', &under))));
        }
        let cursor = Cursor::new(context.line(), context.pos());
        match self.key {
            BoundKey::Submit => Some(Cmd::AcceptLine),
            BoundKey::Suspend => {
                let typed = (context.line().to_owned(), context.pos());
                *SUSPENDED.lock().unwrap_or_else(PoisonError::into_inner) = Some(typed);
                Some(Cmd::Interrupt)
            }
            BoundKey::Enter => {
                Some(cursor.enter(MARGIN_WIDTH.load(Ordering::Relaxed)).command(context.pos()))
            }
            BoundKey::Right if context.has_hint() && context.pos() == context.line().len() => None,
            _ if count > 1 => None,
            key => cursor.key(key).map(|action| action.command(context.pos())),
        }
    }
}

/// The typed text without its margins.
pub fn without_margins(typed: &str) -> String {
    let lines: Vec<&str> = typed.split('\n').map(|line| line.trim_start_matches(MARGIN)).collect();
    lines.join("\n")
}

/// The code that was typed: a key that joins two lines leaves the margin of the second one in the middle.
pub fn code_of(typed: &str) -> String {
    typed.replace(MARGIN, "")
}

/// The text around the cursor.
pub struct Cursor<'t> {
    typed: &'t str,
    /// The text of the line before the cursor and after it, without the margin.
    before: &'t str,
    after: &'t str,
    /// The width of the line's margin.
    margin: usize,
    /// The width of the margin of the next line, if there is one, and the character after it.
    below: Option<(usize, Option<char>)>,
}

impl<'t> Cursor<'t> {
    /// The cursor at byte `pos` of `typed`.
    pub fn new(typed: &'t str, pos: usize) -> Cursor<'t> {
        let start = typed[..pos].rfind('\n').map_or(0, |at| at + 1);
        let end = typed[pos..].find('\n').map_or(typed.len(), |at| pos + at);
        let margin = |line: &str| line.chars().take_while(|letter| *letter == MARGIN).count();
        Cursor {
            typed,
            before: typed[start..pos].trim_start_matches(MARGIN),
            after: typed[pos..end].trim_start_matches(MARGIN),
            margin: margin(&typed[start..end]),
            below: typed
                .get(end + 1..)
                .map(|below| (margin(below), below.trim_start_matches(MARGIN).chars().next())),
        }
    }

    /// Enter: submits a complete input, else begins a new line with the right indentation.
    pub fn enter(&self, width: usize) -> KeyAction {
        let plain = without_margins(self.typed);
        let command = plain.trim_start().starts_with(':');
        let last = self.below.is_none();
        let is_complete = || input_state(&plain) != InputState::Incomplete || command_after(&plain).is_some();
        if command || plain.trim().is_empty() || (last && is_complete()) {
            return KeyAction::Command(Cmd::AcceptLine);
        }
        let margin = String::from(MARGIN).repeat(width);
        KeyAction::Command(Cmd::Insert(1, format!("\n{margin}{}", " ".repeat(self.indent()))))
    }

    /// The indentation of the next line: the same as this one's, more after a colon or an open bracket, less after a
    /// statement that ends a block.
    pub(crate) fn indent(&self) -> usize {
        let own = self.before.len() - self.before.trim_start_matches(' ').len();
        if self.before.trim().is_empty() {
            return own;
        }
        let parsed =
            crate::syntax::parse_unchecked(self.before.trim_start(), ruff_python_parser::Mode::Module);
        let words = parsed.tokens().iter().filter(|token| !token.range().is_empty());
        let words: Vec<TokenKind> =
            words.map(|token| token.kind()).filter(|kind| !kind.is_trivia()).collect();
        match (words.first(), words.last()) {
            (_, Some(TokenKind::Colon | TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace)) => {
                own + INDENT
            }
            (
                Some(
                    TokenKind::Return
                    | TokenKind::Pass
                    | TokenKind::Break
                    | TokenKind::Continue
                    | TokenKind::Raise,
                ),
                _,
            ) => own.saturating_sub(INDENT),
            _ => own,
        }
    }

    /// What a key does where its usual action would touch the margin; `None` means its usual action. Movements search
    /// for a character, because rustyline does not let a key move by a number of characters.
    pub fn key(&self, key: BoundKey) -> Option<KeyAction> {
        let to = |search| Movement::ViCharSearch(1, search);
        let blank = self.before.bytes().all(|byte| byte == b' ');
        let indent = self.before.len();
        let margin = self.margin > 0;
        // The end of the line above, and the end of the margin.
        let above = || to(CharSearch::Backward('\n'));
        let start = || if margin { to(CharSearch::BackwardAfter(MARGIN)) } else { Movement::BeginningOfLine };
        let below = self.below.filter(|(margin, _)| *margin > 0 && self.after.is_empty());
        let command = match key {
            BoundKey::Left if margin && indent == 0 => Some(Cmd::Move(above())),
            BoundKey::Right => below.map(|(_, first)| {
                Cmd::Move(first.map_or(Movement::EndOfBuffer, |it| to(CharSearch::Forward(it))))
            }),
            BoundKey::Delete | BoundKey::KillToEnd => below.map(|(_, first)| {
                Cmd::Kill(first.map_or(Movement::EndOfBuffer, |it| to(CharSearch::ForwardBefore(it))))
            }),
            BoundKey::Backspace | BoundKey::KillWord if margin && indent == 0 => Some(Cmd::Kill(above())),
            BoundKey::Backspace | BoundKey::BackTab if blank && indent > 1 => {
                return Some(KeyAction::Replace(indent, " ".repeat((indent - 1) / INDENT * INDENT)));
            }
            BoundKey::KillWord if blank && margin => Some(Cmd::Kill(start())),
            BoundKey::Home | BoundKey::KillToStart if margin && indent == 0 => Some(Cmd::Noop),
            BoundKey::Home if margin => Some(Cmd::Move(start())),
            BoundKey::KillToStart if margin => Some(Cmd::Kill(start())),
            BoundKey::Tab if blank && (margin || indent > 0) => {
                Some(Cmd::Insert(1, " ".repeat(INDENT - indent % INDENT)))
            }
            _ => None,
        };
        command.map(KeyAction::Command)
    }
}
