//! What the learner says: a key, a typed word, an answer.
//! Keys where the terminal has them; else lines, the same words, and nothing redrawn.

use std::io::{self, BufRead, IsTerminal};

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use super::super::shell::{Failure, Shell};
use super::keys::{self, Key};
use super::terminal::{self, Pressed};
use crate::view::Text;

/// How the learner is listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Single keys; answers in a line editor.
    Keys,
    /// Lines.
    Words,
}

/// What was said.
pub enum Said {
    /// A key or its word, and what was typed after it.
    Key(&'static Key, String),
    /// An answer.
    Answer(String),
    /// A key or a word that stands for nothing.
    Unknown(String),
    /// Ctrl-C.
    Stop,
    /// The end of the input.
    End,
    /// The screen has another size now.
    Resized,
}

impl Said {
    /// What a line means: a word of the table, or an answer where one is awaited. `letters` are those
    /// that answer the question.
    fn line(line: &str, asked: bool, letters: usize) -> Said {
        let line = line.trim();
        if line.is_empty() {
            return Said::Key(&keys::KEYS[0], String::new());
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let answers = |word: &str| {
            let mut signs = word.chars();
            let first = signs.next().map(|sign| sign.to_ascii_lowercase() as usize);
            signs.next().is_none() && first.is_some_and(|sign| (97..97 + letters).contains(&sign))
        };
        match keys::of_word(word) {
            Some(key) if !asked => Said::Key(key, rest.trim().to_owned()),
            Some(key) if (rest.is_empty() || key.takes) && !answers(word) => {
                Said::Key(key, rest.trim().to_owned())
            }
            _ if asked => Said::Answer(line.to_owned()),
            _ => Said::Unknown(word.to_owned()),
        }
    }
}

/// Waits for a key, with the footer shown meanwhile.
pub fn by_key(footer: &Text, shell: &mut Shell) -> Result<Said, Failure> {
    press(footer, shell).map(meant)
}

/// What a key stands for.
pub fn meant(pressed: Pressed) -> Said {
    match pressed {
        Pressed::Letter(letter) => match keys::of_letter(letter) {
            Some(key) => Said::Key(key, String::new()),
            None => Said::Unknown(letter.to_string()),
        },
        Pressed::Enter => Said::Key(&keys::KEYS[0], String::new()),
        Pressed::Stop => Said::Stop,
        Pressed::End => Said::End,
        Pressed::Resized => Said::Resized,
        _ => Said::Unknown(String::new()),
    }
}

/// Shows some lines, waits for a key, and takes them away again.
pub fn press(lines: &Text, shell: &mut Shell) -> Result<Pressed, Failure> {
    let drawn = lines.render(shell.look);
    shell.say(drawn.trim_end_matches('\n'))?;
    shell.flush()?;
    let pressed = terminal::key()?;
    wipe(lines.lines.len(), shell)?;
    Ok(pressed)
}

/// Takes away the last `lines` lines; the cursor stands in the last of them.
pub fn wipe(lines: usize, shell: &mut Shell) -> Result<(), Failure> {
    let up = match lines.saturating_sub(1) {
        0 => String::new(),
        up => format!("\x1b[{up}A"),
    };
    shell.say(&format!("\r{up}\x1b[J"))?;
    shell.flush()
}

/// Waits for a line; `letters` single letters are answers to what was asked.
pub fn by_line(mode: Mode, asked: bool, letters: usize, shell: &mut Shell) -> Result<Said, Failure> {
    let read = match mode {
        Mode::Keys => edited("> ", shell)?,
        Mode::Words => typed("> ", shell)?,
    };
    Ok(match read {
        Read::Line(line) => Said::line(&line, asked, letters),
        Read::Stop => Said::Stop,
        Read::End => Said::End,
    })
}

/// A line that was asked for with this prompt.
pub fn line(prompt: &str, mode: Mode, shell: &mut Shell) -> Result<Read, Failure> {
    match mode {
        Mode::Keys => edited(prompt, shell),
        Mode::Words => typed(prompt, shell),
    }
}

/// What came of waiting for a line.
pub enum Read {
    /// It, without its end.
    Line(String),
    /// Ctrl-C.
    Stop,
    /// There is no more input.
    End,
}

/// A line from a line editor, with what was typed ahead of it.
fn edited(prompt: &str, shell: &mut Shell) -> Result<Read, Failure> {
    shell.flush()?;
    let (ahead, whole) = terminal::typed_ahead()?;
    if whole {
        shell.say(&format!("{prompt}{ahead}\n"))?;
        return Ok(Read::Line(ahead));
    }
    let config = Config::builder().auto_add_history(false).build();
    let read = terminal::awaiting(|| {
        let mut editor = DefaultEditor::with_config(config)?;
        editor.readline_with_initial(prompt, (&ahead, ""))
    });
    of_editor(read)
}

/// What a line editor gave.
pub fn of_editor(read: Result<String, ReadlineError>) -> Result<Read, Failure> {
    match read {
        Ok(line) => Ok(Read::Line(line)),
        Err(ReadlineError::Interrupted) => Ok(Read::Stop),
        Err(ReadlineError::Eof) => Ok(Read::End),
        Err(ReadlineError::Io(error)) => Err(error.into()),
        Err(error) => Err(Failure::Unwritable(io::Error::other(error.to_string()))),
    }
}

/// A line as it comes; one that no terminal echoes is written out, so that a transcript can be read.
pub fn typed(prompt: &str, shell: &mut Shell) -> Result<Read, Failure> {
    shell.say(prompt)?;
    shell.flush()?;
    let stdin = io::stdin();
    // Bytes that are no text are no reason to stop: they are no answer either.
    let mut bytes = Vec::new();
    let read = stdin.lock().read_until(b'\n', &mut bytes).map_err(Failure::Unwritable)?;
    let line = String::from_utf8_lossy(&bytes);
    let line = line.trim_end_matches(['\n', '\r']).to_owned();
    if !stdin.is_terminal() {
        shell.say(&format!("{line}\n"))?;
    }
    Ok(if read == 0 { Read::End } else { Read::Line(line) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(line: &str, asked: bool, letters: usize) -> String {
        match Said::line(line, asked, letters) {
            Said::Key(key, rest) => format!("{} {rest}", key.letter),
            Said::Answer(answer) => format!("answer {answer}"),
            Said::Unknown(word) => format!("unknown {word}"),
            _ => String::new(),
        }
    }

    #[test]
    fn lines_are_words_of_the_table_or_answers() {
        assert_eq!(heard("", false, 0), "n ");
        assert_eq!(heard("list step12", false, 0), "l step12");
        assert_eq!(heard("L", false, 0), "l ");
        assert_eq!(heard("lsit", false, 0), "unknown lsit");
        assert_eq!(heard("(6, 3)", true, 0), "answer (6, 3)");
        assert_eq!(heard("skip", true, 0), "k ");
        assert_eq!(heard("list step12", true, 0), "l step12");
        assert_eq!(heard("e", true, 3), "e ");
        assert_eq!(heard("e", true, 5), "answer e");
        assert_eq!(heard("next to nothing", true, 3), "answer next to nothing");
    }
}
