//! Keys and lines from the learner: single keys where the terminal has them, lines elsewhere.

use std::io;

use rustyline::error::ReadlineError;
use rustyline::{Cmd, Config, DefaultEditor, EventHandler, KeyCode, KeyEvent, Modifiers, Movement};

use super::super::terminal::prompt::{TypedLine, read_line};
use super::super::terminal::shell::{Failure, Shell};
use super::terminal::{self, KeyPress, Raw};
use crate::view::Text;

/// How the learner's input is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputMode {
    /// Single keys; answers in a line editor.
    Keys,
    Words,
}

/// Shows some lines, waits for a key, and removes the lines again. If the screen has another size now, it is cleared.
pub(crate) fn press(lines: &Text, shell: &mut Shell) -> Result<KeyPress, Failure> {
    let drawn = lines.render(shell.look);
    shell.flush()?;
    let raw = Raw::begin()?;
    shell.say(&drawn.trim_end_matches('\n').replace('\n', "\r\n"))?;
    shell.flush()?;
    let pressed = raw.key()?;
    // The cursor is in the last of the lines.
    let up = match lines.lines.len().saturating_sub(1) {
        0 => String::new(),
        up => format!("\x1b[{up}A"),
    };
    match pressed {
        // The terminal may have wrapped the lines anew: how many rows they take now is not known.
        KeyPress::Resized => shell.say("\x1b[H\x1b[2J")?,
        _ => shell.say(&format!("\r{up}\x1b[J"))?,
    }
    shell.flush()?;
    Ok(pressed)
}

/// Does work that the learner waits for; where keys are read, keys that are pressed meanwhile are dropped.
pub(crate) fn unattended<T>(mode: InputMode, work: impl FnOnce() -> T) -> Result<T, Failure> {
    match mode {
        InputMode::Keys => Ok(terminal::unattended(work)?),
        InputMode::Words => Ok(work()),
    }
}

/// What Esc does while a line is typed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// It leaves: the result is [`TypedLine::Interrupt`].
    Leaves,
    /// It deletes what was typed.
    Clears,
}

/// Asks for a line with this prompt.
pub(crate) fn line(
    prompt: &str,
    escape: Escape,
    mode: InputMode,
    shell: &mut Shell,
) -> Result<TypedLine, Failure> {
    match mode {
        InputMode::Keys => edited(prompt, escape, shell),
        InputMode::Words => read_line(prompt, shell),
    }
}

/// A line from a line editor, which begins with what was typed before it opened.
fn edited(prompt: &str, escape: Escape, shell: &mut Shell) -> Result<TypedLine, Failure> {
    shell.flush()?;
    let (ahead, complete) = terminal::typed_ahead()?;
    if complete {
        shell.say(&format!("{prompt}{ahead}\n"))?;
        return Ok(TypedLine::Line(ahead));
    }
    let config =
        Config::builder().auto_add_history(false).keyseq_timeout(Some(terminal::ESCAPE_WAIT)).build();
    let on_escape = match escape {
        Escape::Leaves => Cmd::Interrupt,
        Escape::Clears => Cmd::Kill(Movement::WholeLine),
    };
    let read = terminal::awaiting(|| {
        let mut editor = DefaultEditor::with_config(config)?;
        let escape = KeyEvent(KeyCode::Esc, Modifiers::NONE);
        editor.bind_sequence(escape, EventHandler::Simple(on_escape));
        editor.readline_with_initial(prompt, (&ahead, ""))
    });
    of_editor(read)
}

pub(crate) fn of_editor(read: Result<String, ReadlineError>) -> Result<TypedLine, Failure> {
    match read {
        Ok(line) => Ok(TypedLine::Line(line)),
        Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Ok(TypedLine::Interrupt),
        Err(ReadlineError::Eof) => Ok(TypedLine::End),
        Err(ReadlineError::Io(error)) => Err(error.into()),
        Err(error) => Err(Failure::Unwritable(io::Error::other(error.to_string()))),
    }
}
