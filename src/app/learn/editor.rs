//! Code as the learner writes it: in a line editor over several lines, as a file, or line by line.
//! What is written comes back as text; nothing is run here.

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

use super::super::shell::{Failure, Shell};
use super::input::{Mode, Read, of_editor, typed};
use super::terminal;
use crate::view::learn::remark;
use crate::view::{Look, Text, code};

/// How code is written, said before it is.
const KEYS_HELP: &str = "Arrow keys move about. Enter adds a line; on an empty line at the end it runs the code, as \
                         Alt-Enter does from anywhere. Ctrl-C leaves without running.";
/// The same where lines are typed.
const WORDS_HELP: &str = "Type the code anew, line by line. A line with a single dot ends it and runs it; \
                          `cancel` as the only line leaves without running; a dot at once runs it as it is.";

/// Asks for code that begins as `text`. `None`: the learner left.
pub fn code(text: &str, mode: Mode, shell: &mut Shell) -> Result<Option<String>, Failure> {
    match mode {
        Mode::Keys => {
            shell.show(&remark(KEYS_HELP, shell.look))?;
            in_lines(text, shell)
        }
        Mode::Words => {
            shell.show(&remark(WORDS_HELP, shell.look))?;
            by_lines(text, shell)
        }
    }
}

fn in_lines(text: &str, shell: &mut Shell) -> Result<Option<String>, Failure> {
    shell.flush()?;
    let config = Config::builder().auto_add_history(false).tab_stop(4).indent_size(4).build();
    let look = shell.look;
    let read = terminal::awaiting(|| {
        let mut editor: Editor<Writer, _> = Editor::with_config(config)?;
        editor.set_helper(Some(Writer { look }));
        let enter = EventHandler::Conditional(Box::new(Enter));
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::NONE), enter);
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::AcceptLine);
        editor.bind_sequence(KeyEvent(KeyCode::Tab, Modifiers::NONE), Cmd::Insert(1, "    ".to_owned()));
        editor.readline_with_initial("", (text.trim_end(), ""))
    });
    Ok(match of_editor(read)? {
        Read::Line(code) => Some(code),
        Read::Stop | Read::End => None,
    })
}

/// Enter: on an empty line at the end the code is whole; else a new line, as far in as the one above.
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

/// Whether Enter between these two ends the code.
fn ends(before: &str, after: &str) -> bool {
    let last = before.rsplit('\n').next().unwrap_or_default();
    after.trim().is_empty() && last.trim().is_empty()
}

/// How far in a line begins that follows this text.
fn indent(before: &str) -> usize {
    let last = before.rsplit('\n').next().unwrap_or_default();
    let own = last.len() - last.trim_start_matches(' ').len();
    let opens = last.trim_end().ends_with(':');
    own + if opens { 4 } else { 0 }
}

/// Colours the code in the line editor.
struct Writer {
    look: Look,
}

impl Helper for Writer {}

impl Completer for Writer {
    type Candidate = String;
}

impl Hinter for Writer {
    type Hint = String;
}

impl Validator for Writer {}

impl Highlighter for Writer {
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

/// Code with the colours of its tokens, and every character where it was: the line editor counts them.
fn coloured(source: &str, look: Look) -> String {
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

fn by_lines(text: &str, shell: &mut Shell) -> Result<Option<String>, Failure> {
    let mut lines: Vec<String> = Vec::new();
    loop {
        let Read::Line(line) = typed("... ", shell)? else {
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

/// The editor that VISUAL or EDITOR names.
pub fn external() -> Option<String> {
    let named = |name: &str| env::var(name).ok().filter(|command| !command.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

/// Opens code in the learner's own editor, as a file. Errors, in words: the editor did not start, or the
/// file is gone.
pub fn file(slug: &str, text: &str) -> Result<String, String> {
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
    // Editors that write a new file and rename it are read, too: by name.
    std::fs::read_to_string(file.path()).map_err(|error| format!("what was written cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_ends_the_code_on_an_empty_line_only() {
        assert!(ends("x = 1\n", ""));
        assert!(ends("for i in x:\n    y\n    ", "\n"));
        assert!(!ends("x = 1", ""));
        assert!(!ends("x = 1\n", "\ny = 2"));
        assert_eq!([indent("for i in x:"), indent("    y = 1"), indent("x")], [4, 4, 0]);
    }

    #[test]
    fn colours_move_no_character() {
        let look = Look { width: 80, colour: true, plain: false };
        for source in ["for i in x:\n    print(i)  ", "", "def f(x):\n\n", "x = '''a\nb'''", "x\t= 1"] {
            let drawn = coloured(source, look);
            let mut bare = String::new();
            let mut rest = drawn.as_str();
            while let Some((before, after)) = rest.split_once('\x1b') {
                bare.push_str(before);
                rest = after.split_once('m').map_or("", |(_, rest)| rest);
            }
            bare.push_str(rest);
            assert_eq!(bare, source);
        }
    }
}
