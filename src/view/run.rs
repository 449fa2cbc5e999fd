//! The cells of a notebook or a script after they ran, each a text of its own: the first lines of its code, then its
//! output.

use std::time::Duration;

use crate::view::code;
use crate::view::panel::{Panel, outcome};
use crate::view::quantity::{counted, duration};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// How many lines of a cell's code are shown.
const CODE_LINES: usize = 6;
/// The time of a cell is shown from this duration on.
pub(crate) const SLOW: Duration = Duration::from_millis(100);

/// One cell, which took so long: its title, its code shortened, its output, its result, its error.
pub fn cell(title: &str, run: &Panel, elapsed: Duration, look: Look) -> Text {
    let mut text = Text::new();
    let width = look.text_width();
    let time = (elapsed >= SLOW).then(|| duration(elapsed));
    match look.plain {
        true => {
            let time = time.map(|t| format!(", {t}")).unwrap_or_default();
            text.say(Role::Prose, format!("{title}{time}"));
        }
        false => {
            let time = time.map(|t| format!(" {t}")).unwrap_or_default();
            let mut head = wrap((Role::Title, title), width, 0, 0);
            if let Some(line) = head.lines.last_mut() {
                line.push(Role::Prose, " ");
                let rule = width.saturating_sub(line.width() + time.chars().count());
                line.push(Role::Dim, format!("{}{time}", "─".repeat(rule)));
            }
            text.append(head);
        }
    }
    if !run.code.trim().is_empty() {
        if look.plain {
            text.say(Role::Prose, "Code:");
        }
        text.append(code::code_short(&run.code, CODE_LINES, look));
    }
    let output = outcome(run, look);
    let is_quiet = run.stdout.is_empty() && run.result.is_none();
    match look.plain && !is_quiet {
        true => text.append(output),
        false => text.section(output),
    }
    text
}

/// The last line of a run: how many cells, how many raised, how long.
pub fn finished(cells: usize, raised: usize, elapsed: Duration, look: Look) -> Text {
    let mut line = Line::new().with(Role::Dim, counted(cells, "cell"));
    if raised > 0 {
        line.push(Role::Dim, ", ");
        line.push(Role::Bad, format!("{raised} raised"));
    }
    line.push(Role::Dim, format!(", {}", duration(elapsed)));
    wrap(&line, look.width, 0, 0)
}
