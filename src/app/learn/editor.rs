//! Editors for code: a line editor for several lines, the learner's own editor, or line by line.

use std::borrow::Cow;
use std::env;
use std::io::Write;
use std::process::Command;

use rustyline::completion::Completer;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler, Helper, KeyCode,
    KeyEvent, Modifiers, RepeatCount,
};

use super::super::prompt::{TypedLine, read_line};
use super::super::shell::{Failure, Shell};
use super::input::{InputMode, of_editor};
use super::terminal;
use crate::view::wrap::remark;
use crate::view::{Look, Text, code};

/// The instructions for the line editor.
const KEYS_HELP: &str = "Arrow keys move about. Enter adds a line; on an empty line at the end it runs the code, as \
                         Alt-Enter does from anywhere. Ctrl-C leaves without running.";
/// The instructions for typing line by line.
const WORDS_HELP: &str = "Type the code anew, line by line. A line with a single dot ends it and runs it; \
                          `cancel` as the only line leaves without running; a dot at once runs it as it is.";

/// Lets the learner edit code. `None`: they left without running it.
pub(crate) fn code(text: &str, mode: InputMode, shell: &mut Shell) -> Result<Option<String>, Failure> {
    match mode {
        InputMode::Keys => {
            shell.show(&remark(KEYS_HELP, shell.look))?;
            in_line_editor(text, shell)
        }
        InputMode::Words => {
            shell.show(&remark(WORDS_HELP, shell.look))?;
            line_by_line(text, shell)
        }
    }
}

fn in_line_editor(text: &str, shell: &mut Shell) -> Result<Option<String>, Failure> {
    shell.flush()?;
    let config = Config::builder().auto_add_history(false).tab_stop(4).indent_size(4).build();
    let look = shell.look;
    let read = terminal::awaiting(|| {
        let mut editor: Editor<CodeEditor, _> = Editor::with_config(config)?;
        editor.set_helper(Some(CodeEditor { look }));
        let enter = EventHandler::Conditional(Box::new(Enter));
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::NONE), enter);
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::AcceptLine);
        editor.bind_sequence(KeyEvent(KeyCode::Tab, Modifiers::NONE), Cmd::Insert(1, "    ".to_owned()));
        editor.readline_with_initial("", (text.trim_end(), ""))
    });
    Ok(match of_editor(read)? {
        TypedLine::Line(code) => Some(code),
        TypedLine::Interrupt | TypedLine::End => None,
    })
}

/// Enter: ends the code on an empty line at its end; elsewhere it adds a line with the indentation of the one above.
struct Enter;

impl ConditionalEventHandler for Enter {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let (before, after) = context.line().split_at(context.pos());
        Some(match ends(before, after) {
            true => Cmd::AcceptLine,
            false => Cmd::Insert(1, format!("\n{}", " ".repeat(indent(before)))),
        })
    }
}

/// Whether Enter ends the code, given the text before and after the cursor.
pub fn ends(before: &str, after: &str) -> bool {
    let last = before.rsplit('\n').next().unwrap_or_default();
    after.trim().is_empty() && last.trim().is_empty()
}

/// The indentation of a line that follows this text.
pub fn indent(before: &str) -> usize {
    let last = before.rsplit('\n').next().unwrap_or_default();
    let own = last.len() - last.trim_start_matches(' ').len();
    let opens = last.trim_end().ends_with(':');
    own + if opens { 4 } else { 0 }
}

/// The line editor's helper, which colours the code.
struct CodeEditor {
    look: Look,
}

impl Helper for CodeEditor {}

impl Completer for CodeEditor {
    type Candidate = String;
}

impl Hinter for CodeEditor {
    type Hint = String;
}

impl Validator for CodeEditor {}

impl Highlighter for CodeEditor {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        match self.look.coloured() {
            true => Cow::Owned(coloured(line, self.look)),
            false => Cow::Borrowed(line),
        }
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        self.look.coloured()
    }
}

/// Code with the colours of its tokens. Every character stays where it is, since the line editor computes the position of
/// the cursor.
pub fn coloured(source: &str, look: Look) -> String {
    let lines = code::highlighted(source);
    let mut out = String::new();
    for (at, line) in source.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        match lines.get(at).filter(|painted| painted.text() == line) {
            Some(painted) => {
                let kept = painted.text().trim_end().len();
                let drawn = Text { lines: vec![painted.clone()] }.render(look);
                out.push_str(drawn.trim_end_matches('\n'));
                out.push_str(&line[kept..]);
            }
            None => out.push_str(line),
        }
    }
    out
}

fn line_by_line(text: &str, shell: &mut Shell) -> Result<Option<String>, Failure> {
    let mut lines: Vec<String> = Vec::new();
    loop {
        let TypedLine::Line(line) = read_line("... ", shell)? else {
            return Ok(None);
        };
        match line.trim() {
            "." if lines.is_empty() => return Ok(Some(text.to_owned())),
            "." => return Ok(Some(lines.join("\n"))),
            "cancel" if lines.is_empty() => return Ok(None),
            _ => lines.push(line),
        }
    }
}

/// The editor that the variable VISUAL or EDITOR names.
pub(crate) fn external() -> Option<String> {
    let named = |name: &str| env::var(name).ok().filter(|command| !command.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

/// Opens code as a file in the learner's own editor and returns the text when the editor ends.
/// Errors: a sentence that says why there is no text.
pub(crate) fn file(slug: &str, text: &str) -> Result<String, String> {
    let command = external().ok_or("neither VISUAL nor EDITOR names an editor")?;
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("VISUAL and EDITOR are empty")?;
    let made = tempfile::Builder::new().prefix(&format!("{slug}-")).suffix(".py").tempfile();
    let mut file = made.map_err(|error| format!("no file can be made for it: {error}"))?;
    let text = format!("{}\n", text.trim_end());
    file.write_all(text.as_bytes()).map_err(|error| format!("the file cannot be written: {error}"))?;
    let ended = Command::new(program).args(words).arg(file.path()).status();
    match ended {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(format!("`{command}` ended with an error; nothing was run")),
        Err(error) => return Err(format!("`{command}` cannot be started: {error}")),
    }
    // Read by name, since many editors write a new file and rename it.
    std::fs::read_to_string(file.path()).map_err(|error| format!("what was written cannot be read: {error}"))
}
