//! Reads inputs line by line: from a pipe, or from a terminal that cannot be redrawn. The parser says where an input
//! ends.

use super::super::cells::machine::input_begins;
use super::super::terminal::prompt::{TypedLine, line_of_stdin};
use super::super::terminal::shell::{Failure, Shell};
use crate::session::{InputState, input_state};

/// Reads inputs from stdin.
pub(super) struct LineReader {
    /// Whether inputs are typed. Then there are prompts, and a blank line always ends an input.
    interactive: bool,
    /// A line that was read already and belongs to the next input.
    next_line: Option<String>,
}

impl LineReader {
    pub(super) fn new(interactive: bool) -> LineReader {
        LineReader { interactive, next_line: None }
    }

    /// The next input. In a pipe an input ends where the next statement begins.
    pub(super) fn read(&mut self, number: usize, shell: &mut Shell) -> Result<TypedLine, Failure> {
        let input = self.next_input(number, shell);
        input_begins();
        input
    }

    fn next_input(&mut self, number: usize, shell: &mut Shell) -> Result<TypedLine, Failure> {
        let prompt = format!("attn [{number}]> ");
        let under = format!("{:>1$}", "...> ", prompt.len());
        let mut input = String::new();
        loop {
            if self.interactive && self.next_line.is_none() {
                shell.say(if input.is_empty() { &prompt } else { &under })?;
                shell.flush()?;
            }
            let Some(line) = self.line(shell)? else {
                if self.interactive {
                    shell.say("\n")?;
                }
                return Ok(if input.trim().is_empty() { TypedLine::End } else { TypedLine::Line(input) });
            };
            if input.trim().is_empty() {
                if line.trim().is_empty() {
                    return Ok(TypedLine::Interrupt);
                }
                input = line;
            } else if begins_input(&input, &line, self.interactive) {
                self.next_line = Some(line);
                return Ok(TypedLine::Line(input));
            } else {
                input.push('\n');
                input.push_str(&line);
            }
            if self.is_complete(&input) {
                return Ok(TypedLine::Line(input));
            }
        }
    }

    /// Whether `input` is complete. In a pipe a block may contain blank lines: there only two of them end it.
    fn is_complete(&self, input: &str) -> bool {
        if input.trim_start().starts_with(':') {
            return true;
        }
        match (self.interactive, input_state(input)) {
            (true, state) => state != InputState::Incomplete,
            (false, InputState::Complete) => !input.ends_with('\n') || input.ends_with("\n\n"),
            // An open bracket or string may contain blank lines.
            (false, InputState::Error) => !input.ends_with('\n'),
            (false, InputState::Incomplete) => false,
        }
    }

    fn line(&mut self, shell: &mut Shell) -> Result<Option<String>, Failure> {
        match self.next_line.take() {
            Some(line) => Ok(Some(line)),
            None => Ok(line_of_stdin(shell)?.map(|line| line.replace('\t', "    "))),
        }
    }
}

/// Whether `line` begins a new input after the complete one in `input`: it is a command, or, in a pipe, a statement.
fn begins_input(input: &str, line: &str, interactive: bool) -> bool {
    if line.is_empty()
        || line.starts_with([' ', '#'])
        || input_state(&format!("{input}\n")) != InputState::Complete
    {
        return false;
    }
    line.starts_with(':') || !interactive && statements(&format!("{input}\n{line}")) > statements(input)
}

/// The command in the last line of an input, and the complete Python before it.
pub(super) fn command_after(input: &str) -> Option<(&str, &str)> {
    input.rsplit_once('\n').filter(|(before, line)| line.starts_with(':') && begins_input(before, line, true))
}

/// The number of statements in code. The last one may be incomplete.
pub(super) fn statements(code: &str) -> usize {
    let parsed = crate::syntax::parse_unchecked(code, ruff_python_parser::Mode::Module);
    parsed.syntax().as_module().map_or(0, |module| module.body.len())
}
