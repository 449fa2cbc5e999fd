//! Shows what an input prints while it runs. On a terminal, a line wider than the screen is wrapped as the walkthrough
//! wraps it.

use std::borrow::Cow;
use std::io::{self, Write};

use super::super::terminal::progress_bar;
use super::super::terminal::shell::{Shell, printable};
use crate::session::{Channel, Interrupter, Listener};
use crate::view::panel::verbatim;
use crate::view::{Look, Text};

/// The longest unfinished line that is wrapped; a longer one is written as it is.
const LONGEST: usize = 10_000;

/// A listener that writes output at once. If the output cannot be written, because its reader is gone, it interrupts
/// the cell.
pub(super) fn echo(shell: &Shell, interrupter: Interrupter) -> Listener {
    let terminal = shell.terminal;
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let progress = progress_bar::shows(&shell.options);
    let mut drawn = false;
    let mut open = (terminal && !dumb && !shell.look.plain).then(|| OpenLine::new(shell.look));
    Box::new(move |channel, text| {
        if channel == Channel::Progress {
            if progress {
                drawn = !text.is_empty();
                progress_bar::of_cell(text);
            }
            return;
        }
        if std::mem::take(&mut drawn) {
            // What is written begins a line of its own.
            progress_bar::of_cell("");
        }
        let shown = terminal || channel == Channel::Stderr;
        let text = if shown { printable(text) } else { Cow::Borrowed(text) };
        let text = match (channel, &mut open) {
            (Channel::Stdout, Some(open)) => Cow::Owned(open.wrapped(&text)),
            _ => text,
        };
        let result = match channel {
            // Stdout is line-buffered: an unfinished line must be flushed to be seen.
            Channel::Stdout if terminal && !text.ends_with('\n') => {
                io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
            }
            Channel::Stdout => io::stdout().write_all(text.as_bytes()),
            Channel::Stderr | Channel::Progress => io::stderr().write_all(text.as_bytes()),
        };
        if result.is_err() {
            interrupter.interrupt();
        }
    })
}

/// The line that a cell is printing. It is on the screen as far as it was printed.
struct OpenLine {
    look: Look,
    text: String,
    /// Whether it is written as it is: it moves the cursor itself, or is very long.
    raw: bool,
}

impl OpenLine {
    fn new(look: Look) -> OpenLine {
        OpenLine { look, text: String::new(), raw: false }
    }

    /// What to write to the terminal for `text`.
    fn wrapped(&mut self, text: &str) -> String {
        let mut out = String::new();
        for piece in text.split_inclusive('\n') {
            let part = piece.strip_suffix('\n').unwrap_or(piece);
            self.extend(part, &mut out);
            if part.len() < piece.len() {
                out.push('\n');
                (self.text, self.raw) = (String::new(), false);
            }
        }
        out
    }

    /// Adds to the line. Its last row on the screen is written again if the addition changes it.
    fn extend(&mut self, part: &str, out: &mut String) {
        self.raw |= part.contains(['\r', '\u{8}']) || self.text.len() + part.len() > LONGEST;
        if self.raw {
            out.push_str(part);
            return;
        }
        let before = self.rows();
        self.text.push_str(part);
        let after = self.rows();
        let last = before.lines.len().saturating_sub(1);
        let old = before.lines.get(last).map(|line| line.text()).unwrap_or_default();
        let new = after.lines.get(last).map(|line| line.text()).unwrap_or_default();
        match new.strip_prefix(&old) {
            Some(more) => out.push_str(more),
            None => {
                let row = Text { lines: after.lines[last..=last].to_vec() };
                out.push_str("\r\x1b[K");
                out.push_str(row.render(self.look).trim_end_matches('\n'));
            }
        }
        let more = Text { lines: after.lines.get(last + 1..).unwrap_or_default().to_vec() };
        if !more.is_empty() {
            out.push('\n');
            out.push_str(more.render(self.look).trim_end_matches('\n'));
        }
    }

    fn rows(&self) -> Text {
        match self.text.is_empty() {
            true => Text::new(),
            false => verbatim(&self.text, self.look),
        }
    }
}
