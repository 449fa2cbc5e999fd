//! What keys do in an input of several lines.
//! Sees the text and the cursor; the compiler says whether Enter submits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged;
use rustyline::{CharSearch, Cmd, ConditionalEventHandler, Event, EventContext, Movement, RepeatCount};

use crate::session::{InputState, input_state};

/// Columns of an indentation.
const INDENT: usize = 4;

/// What the margin of later lines is made of: U+2007, a space as wide as a digit, which no code has.
pub(super) const MARGIN: char = '\u{2007}';

/// How wide the margin is: as the prompt.
static WIDTH: AtomicUsize = AtomicUsize::new(0);

/// The keys that mean something of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Enter,
    Submit,
    Backspace,
    Delete,
    Home,
    Left,
    Right,
    KillToStart,
    KillWord,
    Tab,
    BackTab,
    Suspend,
}

/// What was typed when Ctrl-Z was pressed, and where the cursor was.
static SUSPENDED: Mutex<Option<(String, usize)>> = Mutex::new(None);

/// The handler of one key.
pub(super) struct Keys {
    pub key: Key,
}

impl Keys {
    /// The text that is to stand from a byte to the cursor, if a key has just asked for that.
    pub(super) fn rewriting() -> Option<(usize, String)> {
        REWRITING.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What was typed when Ctrl-Z was pressed, before the cursor and after it.
    pub(super) fn suspended() -> Option<(String, String)> {
        let (line, pos) = SUSPENDED.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some((line[..pos].to_owned(), line[pos..].to_owned()))
    }

    /// From now on later lines stand this far in.
    pub(super) fn set_margin(columns: usize) {
        WIDTH.store(columns, Ordering::Relaxed);
    }
}

/// What is to stand before the cursor: from which byte, and what. The editor has no command that puts
/// one text for another and leaves the cursor behind it, but for completion: that takes it from here.
static REWRITING: Mutex<Option<(usize, String)>> = Mutex::new(None);

/// What a key does.
#[derive(Clone, Debug, PartialEq)]
enum Does {
    /// What the editor can do by itself.
    Command(Cmd),
    /// Puts another text in the place of this many bytes before the cursor.
    Rewrite(usize, String),
}

impl Does {
    fn command(self, pos: usize) -> Cmd {
        match self {
            Does::Command(command) => command,
            Does::Rewrite(bytes, text) => {
                *REWRITING.lock().unwrap_or_else(PoisonError::into_inner) = Some((pos - bytes, text));
                Cmd::Complete
            }
        }
    }
}

impl ConditionalEventHandler for Keys {
    fn handle(&self, _: &Event, count: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let place = Place::of(context.line(), context.pos());
        match self.key {
            Key::Submit => Some(Cmd::AcceptLine),
            Key::Suspend => {
                let typed = (context.line().to_owned(), context.pos());
                *SUSPENDED.lock().unwrap_or_else(PoisonError::into_inner) = Some(typed);
                Some(Cmd::Interrupt)
            }
            Key::Enter => Some(place.enter(WIDTH.load(Ordering::Relaxed)).command(context.pos())),
            Key::Right if context.has_hint() && context.pos() == context.line().len() => None,
            _ if count > 1 => None,
            key => place.key(key).map(|does| does.command(context.pos())),
        }
    }
}

/// What was typed without its margins.
pub(super) fn unmargined(typed: &str) -> String {
    let lines: Vec<&str> = typed.split('\n').map(|line| line.trim_start_matches(MARGIN)).collect();
    lines.join("\n")
}

/// Where the cursor is.
struct Place<'t> {
    typed: &'t str,
    /// The line's text before the cursor and after it, without its margin.
    before: &'t str,
    after: &'t str,
    /// Characters of the line's margin.
    margin: usize,
    /// Characters of the margin of the line below, and what follows it; if there is such a line.
    below: Option<(usize, Option<char>)>,
}

impl<'t> Place<'t> {
    fn of(typed: &'t str, pos: usize) -> Place<'t> {
        let start = typed[..pos].rfind('\n').map_or(0, |at| at + 1);
        let end = typed[pos..].find('\n').map_or(typed.len(), |at| pos + at);
        let margin = |line: &str| line.chars().take_while(|letter| *letter == MARGIN).count();
        Place {
            typed,
            before: typed[start..pos].trim_start_matches(MARGIN),
            after: typed[pos..end].trim_start_matches(MARGIN),
            margin: margin(&typed[start..end]),
            below: typed
                .get(end + 1..)
                .map(|below| (margin(below), below.trim_start_matches(MARGIN).chars().next())),
        }
    }

    /// Submits what is whole; else goes on to a new line, as far in as it belongs.
    fn enter(&self, width: usize) -> Does {
        let plain = unmargined(self.typed);
        let command = plain.trim_start().starts_with(':');
        let last = self.below.is_none();
        if command || plain.trim().is_empty() || (last && input_state(&plain) != InputState::Incomplete) {
            return Does::Command(Cmd::AcceptLine);
        }
        let margin = String::from(MARGIN).repeat(width);
        let line = format!("\n{margin}{}", " ".repeat(self.indent()));
        // Pasted lines have no margin yet.
        let ragged =
            plain.contains('\n') && self.typed.split('\n').skip(1).any(|line| !line.starts_with(MARGIN));
        match last && self.after.is_empty() && ragged {
            true => {
                let whole = plain.replace('\n', &format!("\n{margin}"));
                Does::Rewrite(self.typed.len(), whole + &line)
            }
            false => Does::Command(Cmd::Insert(1, line)),
        }
    }

    /// Where the next line begins: as this one; further in after a colon or an open bracket; further
    /// out after what ends a block.
    fn indent(&self) -> usize {
        let own = self.before.len() - self.before.trim_start_matches(' ').len();
        if self.before.trim().is_empty() {
            return own;
        }
        let parsed = ruff_python_parser::parse_unchecked(
            self.before.trim_start(),
            ruff_python_parser::Mode::Module.into(),
        );
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

    /// What a key does where it would otherwise see the margin; `None` leaves it to do what it does.
    /// Movements go to characters, for the editor does not let a key move by a number of them.
    fn key(&self, key: Key) -> Option<Does> {
        let to = |search| Movement::ViCharSearch(1, search);
        let blank = self.before.bytes().all(|byte| byte == b' ');
        let indent = self.before.len();
        let margin = self.margin > 0;
        // The end of the line above, and the margin's end.
        let above = || to(CharSearch::Backward('\n'));
        let start = || if margin { to(CharSearch::BackwardAfter(MARGIN)) } else { Movement::BeginningOfLine };
        let below = self.below.filter(|(margin, _)| *margin > 0 && self.after.is_empty());
        let command = match key {
            Key::Left if margin && indent == 0 => Some(Cmd::Move(above())),
            Key::Right => below.map(|(_, first)| {
                Cmd::Move(first.map_or(Movement::EndOfBuffer, |it| to(CharSearch::Forward(it))))
            }),
            Key::Delete => below.map(|(_, first)| {
                Cmd::Kill(first.map_or(Movement::EndOfBuffer, |it| to(CharSearch::ForwardBefore(it))))
            }),
            Key::Backspace | Key::KillWord if margin && indent == 0 => Some(Cmd::Kill(above())),
            Key::Backspace | Key::BackTab if blank && indent > 1 => {
                return Some(Does::Rewrite(indent, " ".repeat((indent - 1) / INDENT * INDENT)));
            }
            Key::KillWord if blank && margin => Some(Cmd::Kill(start())),
            Key::Home | Key::KillToStart if margin && indent == 0 => Some(Cmd::Noop),
            Key::Home if margin => Some(Cmd::Move(start())),
            Key::KillToStart if margin => Some(Cmd::Kill(start())),
            Key::Tab if blank && (margin || indent > 0) => {
                Some(Cmd::Insert(1, " ".repeat(INDENT - indent % INDENT)))
            }
            _ => None,
        };
        command.map(Does::Command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(typed: &str) -> Does {
        Place::of(typed, typed.len()).enter(2)
    }

    #[test]
    fn enter_submits_what_is_whole() {
        for typed in
            ["x = 1", "", ":shape (a", "x = = 1", "for i in x:\n\u{2007}\u{2007}    pass\n\u{2007}\u{2007}"]
        {
            assert_eq!(enter(typed), Does::Command(Cmd::AcceptLine), "{typed:?}");
        }
        let below = |indent: usize| {
            Does::Command(Cmd::Insert(1, format!("\n\u{2007}\u{2007}{}", " ".repeat(indent))))
        };
        for (typed, indent) in [
            ("for i in x:", 4),
            ("print(", 4),
            ("def f(a):  # so", 4),
            ("x = [1,", 0),
            ("def f():\n\u{2007}\u{2007}    return 1", 0),
            ("def f():\n\u{2007}\u{2007}    x = ':'", 4),
        ] {
            assert_eq!(enter(typed), below(indent), "{typed:?}");
        }
        let pasted = "def f():\n    return 1";
        let laid_out = "def f():\n\u{2007}\u{2007}    return 1\n\u{2007}\u{2007}".to_owned();
        assert_eq!(enter(pasted), Does::Rewrite(pasted.len(), laid_out));
    }

    #[test]
    fn the_margin_is_no_place_for_the_cursor() {
        let typed = "f(\n\u{2007}\u{2007}  a";
        let start = typed.find(' ').expect("it is there");
        let key = |pos: usize, key: Key| Place::of(typed, pos).key(key);
        let to = |search| Movement::ViCharSearch(1, search);
        let does = |command| Some(Does::Command(command));
        assert_eq!(key(start, Key::Left), does(Cmd::Move(to(CharSearch::Backward('\n')))));
        assert_eq!(key(start, Key::Backspace), does(Cmd::Kill(to(CharSearch::Backward('\n')))));
        assert_eq!(key(2, Key::Right), does(Cmd::Move(to(CharSearch::Forward(' ')))));
        assert_eq!(key(typed.len(), Key::Home), does(Cmd::Move(to(CharSearch::BackwardAfter(MARGIN)))));
        assert_eq!(key(start + 2, Key::Backspace), Some(Does::Rewrite(2, String::new())));
        assert_eq!(key(start, Key::Home), does(Cmd::Noop));
        assert_eq!(key(0, Key::Left), None);
        assert_eq!(unmargined(typed), "f(\n  a");
    }
}
