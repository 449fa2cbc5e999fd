//! Reading one line from stdin, and questions that are answered with yes or no.

use std::io::{self, BufRead, IsTerminal};

use super::super::cells::machine::input_begins;
use super::shell::{Failure, Shell};

/// The result of waiting for a line.
pub enum TypedLine {
    /// The line, without its end.
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// There is no more input.
    End,
}

/// Reads a line without a line editor. If stdin is no terminal, which would echo the line, the line is written too, so
/// that the output reads as a transcript.
pub(crate) fn read_line(prompt: &str, shell: &mut Shell) -> Result<TypedLine, Failure> {
    shell.say(prompt)?;
    let read = line_of_stdin(shell)?;
    input_begins();
    let line = read.as_deref().map(without_sequences).unwrap_or_default();
    if !io::stdin().is_terminal() {
        shell.say(&format!("{line}\n"))?;
    }
    Ok(if read.is_none() { TypedLine::End } else { TypedLine::Line(line) })
}

/// A line of stdin without its end. `None`: there is no more.
pub(crate) fn line_of_stdin(shell: &mut Shell) -> Result<Option<String>, Failure> {
    shell.flush()?;
    // Input that is not UTF-8 is no error: it is an answer that is not understood.
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_until(b'\n', &mut bytes).map_err(Failure::Unwritable)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()))
}

/// A typed line without the sequences that Esc and the arrow keys send where no line editor takes them.
fn without_sequences(line: &str) -> String {
    let mut letters = line.chars().peekable();
    let mut kept = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' if letters.next_if(|next| matches!(next, '[' | 'O')).is_some() => {
                letters.find(|letter| ('@'..='~').contains(letter));
            }
            '\x1b' => {}
            other => kept.push(other),
        }
    }
    kept
}

/// Asks a question and returns whether the answer is yes; anything else means no.
pub(crate) fn confirmed(question: &str, shell: &mut Shell) -> Result<bool, Failure> {
    Ok(match read_line(&format!("{question} [y/N] "), shell)? {
        TypedLine::Line(line) => matches!(line.trim().to_lowercase().as_str(), "y" | "yes"),
        TypedLine::Interrupt | TypedLine::End => false,
    })
}
