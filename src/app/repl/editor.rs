//! The line editor: prompts, several lines, history, completion, colours.
//! `rustyline` reads the keys; what they mean here is in [`super::keys`].
//!
//! Lines after the first begin with a margin as wide as the prompt, so that code stands under code. The
//! margin is made of a space that nobody types, is shown as `...> `, and is taken out again.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{
    Behavior, ColorMode, CompletionType, Config, Context, Event, EventHandler, Helper, KeyCode, KeyEvent,
    Modifiers,
};
use unicode_width::UnicodeWidthStr;

use super::super::shell::{Failure, Shell};
use super::super::suspend::suspend;
use super::super::workspace::Workspace;
use super::complete::{Completion, complete};
use super::hints::{Hint, hint};
use super::history::History;
use super::keys::{Key, Keys, MARGIN, unmargined};
use super::state::{Input, Repl};
use crate::lesson::Catalogue;
use crate::view::code::highlighted;
use crate::view::{Line, Look, Role, Text};

/// The editor and what it remembers.
pub(super) struct LineEditor<'c> {
    editor: rustyline::Editor<EditorHelper<'c>, MemHistory>,
    history: History,
    /// The width of the prompt that the history is laid out for.
    margin: usize,
}

impl<'c> LineEditor<'c> {
    /// An editor on this terminal; `None` if it cannot be had.
    pub(super) fn new(repl: &Repl<'c>, shell: &Shell) -> Option<LineEditor<'c>> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            // Colours are left out by the highlighter itself: it also draws the margin.
            .color_mode(ColorMode::Forced)
            .behavior(Behavior::Stdio)
            .auto_add_history(false)
            .max_history_size(1000)
            .ok()?
            .build();
        let history = MemHistory::with_config(&config);
        let mut editor = rustyline::Editor::with_history(config, history).ok()?;
        editor.set_helper(Some(EditorHelper {
            workspace: repl.workspace.clone(),
            catalogue: repl.catalogue,
            look: shell.look,
            matching: RefCell::new(None),
        }));
        bind(&mut editor);
        Some(LineEditor { editor, history: History::read(), margin: 0 })
    }

    /// The next input.
    pub(super) fn read(&mut self, number: usize, shell: &mut Shell) -> Result<Input, Failure> {
        let prompt = format!("attn [{number}]> ");
        if let Some(helper) = self.editor.helper_mut() {
            helper.look = shell.look;
        }
        self.lay_out_history(prompt.width());
        let mut typed = (String::new(), String::new());
        let read = loop {
            let read = self.editor.readline_with_initial(&prompt, (&typed.0, &typed.1));
            match Keys::suspended() {
                Some(so_far) => typed = so_far,
                None => break read,
            }
            suspend();
        };
        match read {
            Ok(line) => {
                let input = unmargined(&line).replace('\t', "    ");
                if !input.trim().is_empty() {
                    self.history.add(input.trim_end());
                    self.margin = 0;
                }
                Ok(Input::Text(input))
            }
            Err(ReadlineError::Interrupted) => Ok(Input::Discarded),
            Err(ReadlineError::Eof) => Ok(Input::End),
            Err(ReadlineError::Io(error)) => Err(error.into()),
            // A signal or a key sequence that cannot be read: the line is given up, the session is not.
            Err(ReadlineError::Signal(_)) => Ok(Input::Discarded),
            Err(error) => Err(Failure::Unwritable(std::io::Error::other(error.to_string()))),
        }
    }

    /// Earlier inputs with the margin of this prompt; anew when one was added or the prompt grew.
    fn lay_out_history(&mut self, margin: usize) {
        if self.margin == margin {
            return;
        }
        self.margin = margin;
        Keys::set_margin(margin);
        // The history in memory takes every entry that is no repetition.
        let _ = self.editor.clear_history();
        for input in &self.history.inputs {
            let under = format!("\n{}", String::from(MARGIN).repeat(margin));
            let _ = self.editor.add_history_entry(input.replace('\n', &under));
        }
    }
}

fn bind(editor: &mut rustyline::Editor<EditorHelper<'_>, MemHistory>) {
    let plain = |code| KeyEvent(code, Modifiers::NONE);
    let bindings = [
        (plain(KeyCode::Enter), Key::Enter),
        (KeyEvent::ctrl('J'), Key::Enter),
        (KeyEvent(KeyCode::Enter, Modifiers::ALT), Key::Submit),
        (plain(KeyCode::Backspace), Key::Backspace),
        (KeyEvent::ctrl('H'), Key::Backspace),
        (plain(KeyCode::Delete), Key::Delete),
        (plain(KeyCode::Home), Key::Home),
        (KeyEvent::ctrl('A'), Key::Home),
        (plain(KeyCode::Left), Key::Left),
        (KeyEvent::ctrl('B'), Key::Left),
        (plain(KeyCode::Right), Key::Right),
        (KeyEvent::ctrl('F'), Key::Right),
        (KeyEvent::ctrl('U'), Key::KillToStart),
        (KeyEvent::ctrl('W'), Key::KillWord),
        (plain(KeyCode::Tab), Key::Tab),
        (plain(KeyCode::BackTab), Key::BackTab),
        (KeyEvent::ctrl('Z'), Key::Suspend),
    ];
    for (event, key) in bindings {
        editor.bind_sequence(Event::from(event), EventHandler::Conditional(Box::new(Keys { key })));
    }
}

/// What the editor asks while someone types.
pub(super) struct EditorHelper<'c> {
    workspace: Rc<RefCell<Workspace<'c>>>,
    catalogue: &'c Catalogue,
    look: Look,
    /// Where the bracket stands that belongs to the one at the cursor.
    matching: RefCell<Option<usize>>,
}

impl Helper for EditorHelper<'_> {}

/// The keys decide what is complete.
impl Validator for EditorHelper<'_> {}

impl Completer for EditorHelper<'_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        if let Some((start, text)) = Keys::rewriting() {
            return Ok((start, vec![Pair { display: String::new(), replacement: text }]));
        }
        // The workspace is free while someone types; if it were not, there is nothing to offer.
        let Ok(mut workspace) = self.workspace.try_borrow_mut() else {
            return Ok((pos, Vec::new()));
        };
        let Completion { start, candidates } = complete(line, pos, &mut workspace, self.catalogue);
        let most = self.look.width.saturating_sub(1);
        let pair =
            |(display, replacement): (String, String)| Pair { display: clipped(&display, most), replacement };
        Ok((start, candidates.into_iter().map(pair).collect()))
    }
}

fn clipped(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if short.width() + 2 > most {
            break;
        }
        short.push(letter);
    }
    short + "…"
}

impl Hinter for EditorHelper<'_> {
    type Hint = Hint;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<Hint> {
        let mut workspace = self.workspace.try_borrow_mut().ok()?;
        hint(line, pos, context, &mut workspace, self.look.width)
    }
}

impl Highlighter for EditorHelper<'_> {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        Cow::Owned(coloured(line, *self.matching.borrow(), self.look))
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(one_line(Line::new().with(Role::Title, prompt), self.look))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        let lines: Vec<String> =
            hint.split('\n').map(|line| one_line(Line::new().with(Role::Dim, line), self.look)).collect();
        Cow::Owned(lines.join("\n"))
    }

    fn highlight_char(&self, line: &str, pos: usize, kind: CmdKind) -> bool {
        let before = *self.matching.borrow();
        let now = match kind {
            CmdKind::ForcedRefresh => None,
            _ => matching_bracket(line, pos),
        };
        *self.matching.borrow_mut() = now;
        // A key may change the colours of what stands before it: an open string, a keyword.
        kind == CmdKind::Other || before != now
    }
}

/// What is typed with its colours, as wide as it is. The margin is drawn; a command's word stands out.
fn coloured(typed: &str, matching: Option<usize>, look: Look) -> String {
    let plain = unmargined(typed);
    // A tab is as wide as the terminal makes it.
    if plain.contains(|letter: char| letter.is_control() && letter != '\n') {
        return typed.to_owned();
    }
    let command = plain.trim_start().starts_with(':');
    let painted = match command {
        true => plain.split('\n').map(|line| command_line(line, command)).collect(),
        false => highlighted(&plain),
    };
    let (mut out, mut at) = (String::new(), 0);
    for (number, raw) in typed.split('\n').enumerate() {
        let bare = raw.trim_start_matches(MARGIN);
        let margin = raw.len() - bare.len();
        if number > 0 {
            out.push('\n');
        }
        if margin > 0 {
            let columns = margin / MARGIN.len_utf8();
            out.push_str(&one_line(Line::new().with(Role::Dim, format!("{:>columns$}", "...> ")), look));
        }
        // What the painter leaves out are spaces at the end.
        let mut line = painted.get(number).cloned().unwrap_or_default().with_plain_spaces();
        if line.text().len() > bare.len() || !bare.starts_with(&line.text()) {
            line = Line::new().with(Role::Code, bare);
        }
        line.push(Role::Prose, &bare[line.text().len()..]);
        let within =
            matching.and_then(|place| place.checked_sub(at + margin)).filter(|place| *place < bare.len());
        out.push_str(&one_line(marked(line, within), look));
        at += raw.len() + 1;
    }
    out
}

fn command_line(line: &str, command: bool) -> Line {
    match line.split_once(' ').filter(|_| command) {
        Some((word, rest)) => Line::new().with(Role::Keyword, word).with(Role::Code, format!(" {rest}")),
        None => Line::new().with(if command { Role::Keyword } else { Role::Code }, line),
    }
}

/// The line with the character at byte `place` marked.
fn marked(line: Line, place: Option<usize>) -> Line {
    let Some(place) = place else {
        return line;
    };
    let (mut out, mut at) = (Line::new(), 0);
    for span in line.spans {
        let end = at + span.text.len();
        match (at..end).contains(&place) {
            true => {
                let cut = place - at;
                out.push(span.role, &span.text[..cut]);
                out.push(Role::Match, &span.text[cut..cut + 1]);
                out.push(span.role, &span.text[cut + 1..]);
            }
            false => out.push(span.role, span.text),
        }
        at = end;
    }
    out
}

/// A line as it is written, the spaces at its end included.
fn one_line(line: Line, look: Look) -> String {
    let width = line.text().len();
    let kept = line.text().trim_end().len();
    let text = Text { lines: vec![line] }.render(look);
    format!("{}{}", text.trim_end_matches('\n'), " ".repeat(width - kept))
}

/// Where the bracket stands that belongs to the one under or before the cursor. Brackets in strings
/// and comments do not count: the tokens say which those are.
fn matching_bracket(typed: &str, pos: usize) -> Option<usize> {
    use ruff_python_ast::token::TokenKind as Kind;
    let at_cursor = |place: usize| typed.as_bytes().get(place).is_some_and(|byte| b"()[]{}".contains(byte));
    let here = [Some(pos), pos.checked_sub(1)].into_iter().flatten().find(|place| at_cursor(*place))?;
    // The margin is no Python: ordinary spaces of the same length stand in for it.
    let plain = typed.replace(MARGIN, &" ".repeat(MARGIN.len_utf8()));
    let parsed = ruff_python_parser::parse_unchecked(&plain, ruff_python_parser::Mode::Module.into());
    let mut open: Vec<usize> = Vec::new();
    for token in parsed.tokens() {
        let (kind, range) = token.as_tuple();
        let place = usize::from(range.start());
        match kind {
            Kind::Lpar | Kind::Lsqb | Kind::Lbrace => open.push(place),
            Kind::Rpar | Kind::Rsqb | Kind::Rbrace => {
                let other = open.pop()?;
                if place == here {
                    return Some(other);
                }
                if other == here {
                    return Some(place);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_leave_the_text_as_wide_as_it_was() {
        let look = Look { width: 80, colour: false, plain: false };
        let margin = String::from(MARGIN).repeat(10);
        for typed in ["x = 'a b'  ", "", ":table x ", "f(", "'''\n  a\t", "x  # é"] {
            assert_eq!(coloured(typed, None, look).replace("     ...> ", &margin), *typed);
        }
        let block = format!("for i in x:\n{margin}    pass  ");
        assert_eq!(coloured(&block, None, look), "for i in x:\n     ...>     pass  ");
        let bright = coloured("x = (1)", Some(4), Look { colour: true, ..look });
        assert!(bright.contains("\u{1b}[7m(\u{1b}[0m"), "{bright:?}");
    }

    #[test]
    fn brackets_are_matched_but_not_in_strings() {
        assert_eq!(matching_bracket("f(a[0])", 7), Some(1));
        assert_eq!(matching_bracket("f(a[0])", 1), Some(6));
        assert_eq!(matching_bracket("f(')')", 6), Some(1));
        assert_eq!(matching_bracket("f(a", 1), None);
        assert_eq!(matching_bracket("abc", 1), None);
    }
}
