//! A notebook or a script as it runs on a terminal: cell by cell, the code short, then what came of it.
//! Each cell is a text of its own, so that it can be shown as soon as it has run.

use std::time::Duration;

use crate::view::code;
use crate::view::errors::{ErrorNote, error};
use crate::view::panel::printed;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::{paragraph, wrap};

/// Lines of a cell's code that are shown; the file has the rest.
const CODE: usize = 6;
/// From here on, how long a cell took is worth saying.
pub const SLOW: Duration = Duration::from_millis(100);

/// A cell that has run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellRun {
    /// Which: "cell 4", "step12 attention-weights".
    pub title: String,
    /// Its code.
    pub code: String,
    /// What it printed.
    pub stdout: String,
    /// The text of its bare last expression.
    pub result: Option<String>,
    /// What it raised.
    pub error: Option<ErrorNote>,
    /// Remarks of the tool: lines skipped, output cut.
    pub remarks: Vec<String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// One cell: its title, its code shortened, its output, its result, its error.
pub fn cell(run: &CellRun, look: Look) -> Text {
    let mut text = Text::new();
    let width = look.text_width();
    let time = (run.elapsed >= SLOW).then(|| spoken_time(run.elapsed));
    match look.plain {
        true => {
            let time = time.map(|t| format!(", {t}")).unwrap_or_default();
            text.say(Role::Prose, format!("{}{time}", run.title));
        }
        false => {
            let time = time.map(|t| format!(" {t}")).unwrap_or_default();
            let title = Line::new().with(Role::Title, &run.title);
            let mut head = wrap(&title, width, &Line::new(), &Line::new());
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
        text.append(code::code_short(&run.code, CODE, look));
    }
    let said = printed(&run.stdout, run.result.as_deref(), look);
    match look.plain {
        true => text.append(said),
        false => text.section(said),
    }
    if let Some(note) = &run.error {
        text.section(error(note, look));
    }
    for remark in &run.remarks {
        let line = Line::new().with(Role::Dim, remark);
        text.section(paragraph(&line, look));
    }
    text
}

/// The last line of a run: how many cells, how many raised, how long.
pub fn finished(cells: usize, raised: usize, elapsed: Duration, look: Look) -> Text {
    let plural = if cells == 1 { "" } else { "s" };
    let mut line = Line::new().with(Role::Dim, format!("{cells} cell{plural}"));
    if raised > 0 {
        line.push(Role::Dim, ", ");
        line.push(Role::Bad, format!("{raised} raised"));
    }
    line.push(Role::Dim, format!(", {}", spoken_time(elapsed)));
    wrap(&line, look.width, &Line::new(), &Line::new())
}

/// A duration with two or three digits that matter.
pub fn spoken_time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    match seconds {
        s if s >= 60.0 => format!("{} min {:02} s", s as u64 / 60, s as u64 % 60),
        s if s >= 10.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.1} s"),
        s => format!("{:.0} ms", s * 1e3),
    }
}
