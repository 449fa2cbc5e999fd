//! Long pages: where keys are read, no more of a text at once than the screen has lines for.

use super::super::terminal::shell::Failure;
use super::input::{self, InputMode};
use super::keys::WalkInput;
use super::terminal::{self, KeyPress};
use super::walk::Walk;
use crate::view::{Line, Role, Text};

impl Walk<'_, '_, '_> {
    /// Shows text; where keys are read, not more of it at once than the screen has lines for.
    pub(super) fn put(&mut self, text: &Text) -> Result<(), Failure> {
        self.put_paged(text, false)
    }

    /// As [`Walk::put`], of a text that `is_apart` from the page: Esc and `q` end it, and nothing else.
    pub(super) fn put_paged(&mut self, text: &Text, is_apart: bool) -> Result<(), Failure> {
        // What belongs to a page that a key interrupted follows it at once.
        if self.mode == InputMode::Words || self.pending.is_some() {
            return self.shell.show(text);
        }
        let mut lines = text.lines.as_slice();
        loop {
            let free = terminal::rows().saturating_sub(3).max(3).saturating_sub(self.lines_shown);
            if lines.len() <= free {
                self.lines_shown += lines.len();
                return self.shell.show(&Text { lines: lines.to_vec() });
            }
            // A break between two paragraphs reads better than one within a paragraph.
            let gap = (free / 2 + 1..free).rev().find(|at| lines[*at].spans.is_empty());
            let cut = gap.unwrap_or(free);
            self.shell.show(&Text { lines: lines[..cut].to_vec() })?;
            lines = &lines[cut..];
            let more = more_lines(lines.len(), is_apart, self.shell.look.width);
            let pressed = loop {
                match input::press(&more, self.shell)? {
                    KeyPress::Page(1) | KeyPress::Arrow(1, 0) => break KeyPress::Enter,
                    KeyPress::Escape | KeyPress::Letter('q') | KeyPress::Interrupt if is_apart => {
                        return Ok(());
                    }
                    KeyPress::Escape => break KeyPress::Letter(' '),
                    // A key that means nothing here leaves the page as it is.
                    other if self.acts(other) => break other,
                    _ => {}
                }
            };
            match pressed {
                KeyPress::Enter => self.lines_shown = 0,
                other => {
                    // Any other key shows the rest too, and then does what it always does.
                    self.pending = Some(other).filter(|it| *it != KeyPress::Letter(' '));
                    return match other {
                        KeyPress::Resized | KeyPress::Letter('q') => Ok(()),
                        _ => self.shell.show(&Text { lines: lines.to_vec() }),
                    };
                }
            }
        }
    }

    /// Whether a key means something in the middle of a page. Before a question letters begin an answer: only help and
    /// leaving are possible there.
    fn acts(&self, key: KeyPress) -> bool {
        match key {
            KeyPress::Enter | KeyPress::Letter(' ' | '?' | 'q') => true,
            KeyPress::Interrupt | KeyPress::End | KeyPress::Resized => true,
            KeyPress::Letter(_) if self.is_asking() => false,
            other => match WalkInput::of_key(other) {
                WalkInput::Key(key, _) => (key.here)(self),
                _ => false,
            },
        }
    }
}

/// The line at the end of a part of a page, or of a text that is apart from it; shorter on a narrow screen.
fn more_lines(count: usize, is_apart: bool, width: usize) -> Text {
    let lines = if count == 1 { " more line: " } else { " more lines: " };
    let whole = ["── ", lines, " the next   ", " all of them", "   ", " no more", " ──"];
    let short = ["", " more: ", " next  ", " all", " ", " end", ""];
    let line = |[rule, more, next, all, gap, end, rest]: [&str; 7]| {
        let mut line = Line::new().with(Role::Dim, format!("{rule}{count}{more}"));
        let esc = if is_apart { [(gap, "Esc"), (end, "")] } else { [("", ""); 2] };
        for (words, key) in [("", "Enter"), (next, "Space"), (all, "")].into_iter().chain(esc) {
            line.push(Role::Dim, words);
            line.push(Role::Strong, key);
        }
        line.with(Role::Dim, rest)
    };
    let long = line(whole);
    let line = if long.width() < width { long } else { line(short) };
    Text { lines: vec![line] }
}
