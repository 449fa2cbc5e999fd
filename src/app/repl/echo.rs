//! Shows what an input prints while it runs.

use std::borrow::Cow;
use std::io::{self, Write};

use super::super::terminal::progress_bar;
use super::super::terminal::shell::{Shell, printable};
use crate::session::{Channel, Interrupter, Listener};

/// A listener that writes output at once. If the output cannot be written, because its reader is gone, it interrupts
/// the cell.
pub(super) fn echo(shell: &Shell, interrupter: Interrupter) -> Listener {
    let terminal = shell.terminal;
    let progress = progress_bar::shows(&shell.options);
    let mut drawn = false;
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
