//! The keys that behave differently in an input of several lines: Enter and indentation.
//!
//! Such an input begins under its prompt, with a new line that is no part of the code: all lines of code begin at the left
//! edge, and what is copied from the screen is code.

use std::sync::{Mutex, PoisonError};

use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged;
use rustyline::{
    Cmd, ConditionalEventHandler, Event, EventContext, KeyCode, KeyEvent, Modifiers, RepeatCount,
};

use super::lines::command_after;
use crate::session::{InputState, input_state};

/// The width of one indentation.
const INDENT: usize = 4;

/// The keys that take an indentation away, which have the same bindings wherever code is written.
pub(crate) fn for_indentation() -> [(KeyEvent, BoundKey); 3] {
    let plain = |code| KeyEvent(code, Modifiers::NONE);
    [
        (plain(KeyCode::Backspace), BoundKey::Backspace),
        (KeyEvent::ctrl('H'), BoundKey::Backspace),
        (plain(KeyCode::BackTab), BoundKey::BackTab),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BoundKey {
    Enter,
    Backspace,
    Tab,
    BackTab,
    Suspend,
}

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
    fn command(self, pos: usize) -> Cmd {
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
    fn handle(&self, _: &Event, count: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let cursor = Cursor { typed: context.line(), pos: context.pos() };
        let action = match self.key {
            BoundKey::Suspend => {
                let typed = (context.line().to_owned(), context.pos());
                *SUSPENDED.lock().unwrap_or_else(PoisonError::into_inner) = Some(typed);
                KeyAction::Command(Cmd::Interrupt)
            }
            BoundKey::Enter => cursor.enter(),
            _ if count > 1 => return None,
            key => cursor.indentation(key)?,
        };
        Some(action.command(context.pos()))
    }
}

/// The code that was typed.
pub fn code_of(typed: &str) -> &str {
    typed.strip_prefix('\n').unwrap_or(typed)
}

/// Code as it stands after a prompt: under it, if it has several lines.
pub(crate) fn placed(code: &str) -> String {
    if code.contains('\n') { format!("\n{code}") } else { code.to_owned() }
}

/// The typed text, and the byte at which the cursor is.
pub struct Cursor<'t> {
    pub typed: &'t str,
    pub pos: usize,
}

impl<'t> Cursor<'t> {
    /// The text of the line before the cursor.
    fn before(&self) -> &'t str {
        self.typed[..self.pos].rsplit('\n').next().unwrap_or_default()
    }

    /// Enter: submits a complete input, else begins a new line with the right indentation.
    pub fn enter(&self) -> KeyAction {
        let code = code_of(self.typed);
        let is_command = code.trim_start().starts_with(':');
        let is_last = !self.typed[self.pos..].contains('\n');
        let is_complete = || input_state(code) != InputState::Incomplete || command_after(code).is_some();
        if is_command || code.trim().is_empty() || (is_last && is_complete()) {
            return KeyAction::Command(Cmd::AcceptLine);
        }
        let line = format!("\n{}", " ".repeat(self.indent()));
        match self.typed.starts_with('\n') {
            true => KeyAction::Command(Cmd::Insert(1, line)),
            false => KeyAction::Replace(self.pos, format!("\n{}{line}", &self.typed[..self.pos])),
        }
    }

    /// The indentation of the next line: the same as this one's, more after a colon or an open bracket, less after a
    /// statement that ends a block.
    fn indent(&self) -> usize {
        let before = self.before();
        let own = before.len() - before.trim_start_matches(' ').len();
        if before.trim().is_empty() {
            return own;
        }
        let parsed = crate::syntax::parse_unchecked(before.trim_start(), ruff_python_parser::Mode::Module);
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

    /// What a key does in the indentation of a line; `None` means its usual action.
    pub fn indentation(&self, key: BoundKey) -> Option<KeyAction> {
        let before = self.before();
        let indent = before.len();
        let is_under = self.typed[..self.pos].contains('\n');
        match key {
            _ if before.bytes().any(|byte| byte != b' ') => None,
            BoundKey::Backspace | BoundKey::BackTab if indent > 1 => {
                Some(KeyAction::Replace(indent, " ".repeat((indent - 1) / INDENT * INDENT)))
            }
            BoundKey::Tab if is_under || indent > 0 => {
                Some(KeyAction::Command(Cmd::Insert(1, " ".repeat(INDENT - indent % INDENT))))
            }
            _ => None,
        }
    }
}
