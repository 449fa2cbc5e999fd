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
    if !io::stdin().is_terminal() {
        shell.say(&format!("{}\n", read.as_deref().unwrap_or_default()))?;
    }
    Ok(read.map_or(TypedLine::End, TypedLine::Line))
}

/// A line of stdin without its end. `None`: there is no more.
pub(crate) fn line_of_stdin(shell: &mut Shell) -> Result<Option<String>, Failure> {
    shell.flush()?;
    // Input that is not UTF-8 is no error: it is an answer that is not understood.
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_until(b'\n', &mut bytes).map_err(Failure::Unwritable)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()))
}

/// Asks a question and returns whether the answer is yes; anything else means no.
pub(crate) fn confirmed(question: &str, shell: &mut Shell) -> Result<bool, Failure> {
    Ok(match read_line(&format!("{question} [y/N] "), shell)? {
        TypedLine::Line(line) => matches!(line.trim().to_lowercase().as_str(), "y" | "yes"),
        TypedLine::Interrupt | TypedLine::End => false,
    })
}
