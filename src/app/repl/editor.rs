//! The line editor: prompts, inputs of several lines, history, completion and colours, with `rustyline`.
//! [`keys`](super::keys) defines the keys.
//!
//! Lines after the first begin with a margin as wide as the prompt, so that their code is aligned with the first line.
//! The margin consists of a space character that is never typed. It is shown as `...> ` and removed before the input
//! runs.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{
    Behavior, ColorMode, CompletionType, Config, Context, Event, EventHandler, Helper, KeyCode, KeyEvent,
    Modifiers,
};
use unicode_width::UnicodeWidthStr;

use super::super::cells::machine::input_begins;
use super::super::cells::workspace::Workspace;
use super::super::keeper::journal::{self, Entry};
use super::super::learn::input::of_editor;
use super::super::learn::terminal::ESCAPE_WAIT;
use super::super::terminal::prompt::TypedLine;
use super::super::terminal::shell::{Failure, Shell};
use super::super::terminal::suspend::suspend;
use super::complete::{Completion, complete};
use super::hints::{InlineHint, hint};
use super::history::History;
use super::keys::{BoundKey, KeyHandler, MARGIN, at_margin, code_of, without_margins};
use super::lines::command_after;
use super::state::Repl;
use crate::lesson::Catalogue;
use crate::view::code::highlighted as highlighted_code;
use crate::view::slice::ellipsized;
use crate::view::{Line, Look, Role, Text};

/// The line editor and its history.
pub(super) struct LineEditor<'c> {
    editor: rustyline::Editor<EditorHelper<'c>, MemHistory>,
    history: History,
    /// A command that ended the last input, which runs after it.
    command: Option<String>,
    /// The text that the next input begins with.
    pub(super) draft: String,
    /// The width of the prompt that the history is laid out for.
    margin: usize,
}

impl<'c> LineEditor<'c> {
    /// An editor on this terminal; `None` if rustyline cannot use the terminal.
    pub(super) fn new(repl: &Repl<'c>, shell: &Shell) -> Option<LineEditor<'c>> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .keyseq_timeout(Some(ESCAPE_WAIT))
            .completion_show_all_if_ambiguous(true)
            // The highlighter also draws the margin, so it runs without colours too, and leaves them out itself.
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
        }));
        bind(&mut editor);
        Some(LineEditor { editor, history: History::read(), command: None, draft: String::new(), margin: 0 })
    }

    /// The next input.
    pub(super) fn read(&mut self, number: usize, shell: &mut Shell) -> Result<TypedLine, Failure> {
        if let Some(command) = self.command.take() {
            return Ok(TypedLine::Line(command));
        }
        let prompt = format!("attn [{number}]> ");
        if let Some(helper) = self.editor.helper_mut() {
            helper.look = shell.look;
        }
        self.update_history(prompt.width());
        let under = format!("\n{}", String::from(MARGIN).repeat(prompt.width()));
        let draft = std::mem::take(&mut self.draft).replace('\n', &under);
        let mut typed = (draft, String::new());
        // Before the line is read: the terminal sends no signal while it is, and one that comes right after it counts.
        input_begins();
        let read = loop {
            let read = self.editor.readline_with_initial(&prompt, (&typed.0, &typed.1));
            match KeyHandler::take_suspended() {
                Some(so_far) => typed = so_far,
                None => break read,
            }
            suspend();
        };
        // A signal or an unknown key sequence discards the line and keeps the session.
        match of_editor(read)? {
            TypedLine::Line(line) => {
                let mut input = code_of(&line).replace('\t', "    ");
                if !input.trim().is_empty() {
                    self.history.add(input.trim_end());
                    self.margin = 0;
                }
                if let Some((before, command)) = command_after(&input) {
                    self.command = Some(command.to_owned());
                    input = before.to_owned();
                }
                Ok(TypedLine::Line(input))
            }
            TypedLine::Interrupt => {
                journal::note(&Entry::Draft(String::new()));
                Ok(TypedLine::Interrupt)
            }
            TypedLine::End => Ok(TypedLine::End),
        }
    }

    /// Gives the earlier inputs the margin of this prompt, after an input was added or the prompt became wider.
    fn update_history(&mut self, margin: usize) {
        if self.margin == margin {
            return;
        }
        self.margin = margin;
        KeyHandler::set_margin(margin);
        // Errors mean that an entry is a repetition, which the history ignores.
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
        (plain(KeyCode::Enter), BoundKey::Enter),
        (KeyEvent::ctrl('J'), BoundKey::Enter),
        (KeyEvent(KeyCode::Enter, Modifiers::ALT), BoundKey::Submit),
        (plain(KeyCode::Tab), BoundKey::Tab),
        (KeyEvent::ctrl('Z'), BoundKey::Suspend),
    ];
    for (event, key) in bindings.into_iter().chain(at_margin()) {
        editor.bind_sequence(Event::from(event), EventHandler::Conditional(Box::new(KeyHandler { key })));
    }
    editor
        .bind_sequence(Event::Any, EventHandler::Conditional(Box::new(KeyHandler { key: BoundKey::Other })));
}

/// Completes, hints and highlights while the learner types.
struct EditorHelper<'c> {
    workspace: Rc<RefCell<Workspace<'c>>>,
    catalogue: &'c Catalogue,
    look: Look,
}

impl Helper for EditorHelper<'_> {}

/// The Enter key decides whether an input is complete, so there is nothing to validate.
impl Validator for EditorHelper<'_> {}

impl Completer for EditorHelper<'_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        if let Some((start, text)) = KeyHandler::take_replacement() {
            return Ok((start, vec![Pair { display: String::new(), replacement: text }]));
        }
        let mut workspace = self.workspace.borrow_mut();
        let Completion { start, candidates } = complete(line, pos, &mut workspace, self.catalogue);
        let width = self.look.width.saturating_sub(1);
        let word = line[start..pos].to_owned();
        let candidates = listed(candidates, &word, width);
        let pair = |(display, replacement): (String, String)| Pair {
            display: ellipsized(&display, width),
            replacement,
        };
        Ok((start, candidates.into_iter().map(pair).collect()))
    }
}

/// As many candidates as the screen has space for, in one list without a question: with their arguments if all fit,
/// else the names in columns, and how many there are beside them. The first are the most relevant.
fn listed(candidates: Vec<(String, String)>, word: &str, width: usize) -> Vec<(String, String)> {
    let rows = terminal_size::terminal_size().map_or(24, |(_, rows)| usize::from(rows.0)).max(8) - 4;
    if candidates.len() <= rows {
        return candidates;
    }
    let names = |all: &[(String, String)]| -> Vec<(String, String)> {
        all.iter().map(|(_, name)| (name.clone(), name.clone())).collect()
    };
    let column = |all: &[(String, String)]| all.iter().map(|(_, name)| name.width() + 2).max().unwrap_or(2);
    let mut count = candidates.len().min(90);
    while count > 1 && rows.saturating_sub(2) * (width / column(&candidates[..count]).max(1)).max(1) < count {
        count -= 1;
    }
    let mut shown = names(&candidates[..count]);
    if count < candidates.len() {
        // A candidate that types nothing.
        shown.push((format!("… {} more", candidates.len() - count), word.to_owned()));
    }
    shown
}

impl Hinter for EditorHelper<'_> {
    type Hint = InlineHint;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<InlineHint> {
        journal::note(&Entry::Draft(code_of(line)));
        let mut workspace = self.workspace.borrow_mut();
        hint(line, pos, context, &mut workspace, self.look.width)
    }
}

impl Highlighter for EditorHelper<'_> {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        Cow::Owned(coloured(line, self.look))
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(one_line(Line::new().with(Role::Title, prompt), self.look))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        let lines: Vec<String> =
            hint.split('\n').map(|line| one_line(Line::new().with(Role::Dim, line), self.look)).collect();
        Cow::Owned(lines.join("\n"))
    }

    /// A key may change the colours of earlier text: it may close a string or complete a keyword.
    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        kind == CmdKind::Other
    }
}

/// The typed text with colours, of the same width. The margin is drawn as `...> `, and the name of a command is
/// highlighted.
pub fn coloured(typed: &str, look: Look) -> String {
    let plain = without_margins(typed);
    let code = match plain.trim_start().starts_with(':') {
        true => plain.split('\n').map(command_line).collect(),
        false => highlighted_code(&plain),
    };
    drawn(typed, &code, |_, columns| format!("{:>columns$}", "...> "), look)
}

fn command_line(line: &str) -> Line {
    match line.split_once(' ') {
        Some((word, rest)) => Line::new().with(Role::Keyword, word).with(Role::Code, format!(" {rest}")),
        None => Line::new().with(Role::Keyword, line),
    }
}

/// Typed text with the colours of its lines, of the same width, since the line editor computes the position of the cursor.
/// `margin` is drawn in place of the margin of a line, by its number from 0 and its columns.
pub(crate) fn drawn(
    typed: &str,
    code: &[Line],
    margin: impl Fn(usize, usize) -> String,
    look: Look,
) -> String {
    let mut out = String::new();
    for (at, raw) in typed.split('\n').enumerate() {
        let bare = raw.trim_start_matches(MARGIN);
        if at > 0 {
            out.push('\n');
        }
        // Pasted lines have no margin yet.
        if bare.len() < raw.len() {
            let columns = (raw.len() - bare.len()) / MARGIN.len_utf8();
            out.push_str(&one_line(Line::new().with(Role::Dim, margin(at, columns)), look));
        }
        // The width of a tab depends on the terminal.
        if bare.contains(char::is_control) {
            out.push_str(bare);
            continue;
        }
        // The highlighter leaves out spaces at the end.
        let mut line = code.get(at).cloned().unwrap_or_default().with_plain_spaces();
        if !bare.starts_with(&line.text()) {
            line = Line::new().with(Role::Code, bare);
        }
        line.push(Role::Prose, &bare[line.text().len()..]);
        out.push_str(&one_line(line, look));
    }
    out
}

/// A line as text with its escape codes and the spaces at its end.
pub(crate) fn one_line(line: Line, look: Look) -> String {
    let width = line.text().len();
    let kept = line.text().trim_end().len();
    let text = Text { lines: vec![line] }.render(look);
    format!("{}{}", text.trim_end_matches('\n'), " ".repeat(width - kept))
}
