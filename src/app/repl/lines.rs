//! Inputs read line by line: from a pipe, or typed where nothing on the screen may be redrawn.
//! The compiler says where an input ends.

use std::io::{self, BufRead};

use super::super::shell::{Failure, Shell};
use super::state::Input;
use crate::session::{InputState, input_state};

/// Reads stdin.
pub(super) struct LineReader {
    /// Whether someone types: then there are prompts, and a blank line always ends an input.
    typed: bool,
    /// A line that was read and belongs to the next input.
    kept: Option<String>,
}

impl LineReader {
    pub(super) fn new(typed: bool) -> LineReader {
        LineReader { typed, kept: None }
    }

    /// The next input. In a pipe it ends where the next statement begins.
    pub(super) fn read(&mut self, number: usize, shell: &mut Shell) -> Result<Input, Failure> {
        let prompt = format!("attn [{number}]> ");
        let under = format!("{:>1$}", "...> ", prompt.len());
        let mut input = String::new();
        loop {
            if self.typed && self.kept.is_none() {
                shell.say(if input.is_empty() { &prompt } else { &under })?;
                shell.flush()?;
            }
            let Some(line) = self.line()? else {
                if self.typed {
                    shell.say("\n")?;
                }
                return Ok(match input.trim().is_empty() {
                    true => Input::End,
                    false => Input::Text(input),
                });
            };
            if input.trim().is_empty() {
                if line.trim().is_empty() {
                    return Ok(Input::Discarded);
                }
                input = line;
            } else if !self.typed && begins_anew(&input, &line) {
                self.kept = Some(line);
                return Ok(Input::Text(input));
            } else {
                input.push('\n');
                input.push_str(&line);
            }
            if self.ended(&input) {
                return Ok(Input::Text(input));
            }
        }
    }

    /// Whether nothing more is to be waited for. In a pipe blank lines may stand within a block:
    /// there only two of them end it at once.
    fn ended(&self, input: &str) -> bool {
        if input.trim_start().starts_with(':') {
            return true;
        }
        match (self.typed, input_state(input)) {
            (true, state) => state != InputState::Incomplete,
            (false, InputState::Complete) => !input.ends_with('\n') || input.ends_with("\n\n"),
            // A bracket or a string that is open stays so over blank lines.
            (false, InputState::Error) => !input.ends_with('\n'),
            (false, InputState::Incomplete) => false,
        }
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        if let Some(line) = self.kept.take() {
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        match io::stdin().lock().read_until(b'\n', &mut bytes)? {
            0 => Ok(None),
            _ => {
                let line = String::from_utf8_lossy(&bytes);
                Ok(Some(line.trim_end_matches(['\n', '\r']).replace('\t', "    ")))
            }
        }
    }
}

/// Whether `line` begins a new statement after the whole ones in `input`.
fn begins_anew(input: &str, line: &str) -> bool {
    if line.is_empty()
        || line.starts_with([' ', '#'])
        || input_state(&format!("{input}\n")) != InputState::Complete
    {
        return false;
    }
    line.starts_with(':') || statements(&format!("{input}\n{line}")) > statements(input)
}

/// How many statements code has, also if the last one is not whole.
pub(super) fn statements(code: &str) -> usize {
    let parsed = ruff_python_parser::parse_unchecked(code, ruff_python_parser::Mode::Module.into());
    parsed.syntax().as_module().map_or(0, |module| module.body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart() {
        let block = "for i in x:\n    print(i)";
        for line in ["y = 1", "print(", ":vars", "def f():"] {
            assert!(begins_anew(block, line), "{line}");
        }
        for line in ["", "    print(2)", "# so", "else:"] {
            assert!(!begins_anew(block, line), "{line}");
        }
        assert!(!begins_anew("if x:\n    y = 1", "elif z:"));
        assert!(!begins_anew("x = [1,", "2]"));
        assert!(!begins_anew("try:\n    y = 1", "except ValueError:"));
    }

    #[test]
    fn blank_lines_may_stand_in_a_block() {
        let lines = LineReader::new(false);
        assert!(!lines.ended("def f():\n    x = 1\n"));
        assert!(lines.ended("def f():\n    x = 1\n\n"));
        assert!(lines.ended("x = 1"));
        assert!(!lines.ended("x = [1,\n"));
        assert!(lines.ended("x = = 1"));
        assert!(LineReader::new(true).ended("def f():\n    x = 1\n"));
    }
}
