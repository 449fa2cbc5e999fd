//! The cells of a notebook or a script after they ran, each a text of its own: the first lines of its code, then its
//! output.

use std::time::Duration;

use crate::shims::PlottedFigure;
use crate::view::code;
use crate::view::errors::{ErrorNote, error};
use crate::view::panel::printed;
use crate::view::plot::plot;
use crate::view::quantity::{counted, duration};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::{self, wrap};

/// How many lines of a cell's code are shown.
const CODE_LINES: usize = 6;
/// The time of a cell is shown from this duration on.
pub(crate) const SLOW: Duration = Duration::from_millis(100);

#[derive(Clone, Default, PartialEq)]
pub struct CellRun {
    /// Its name: "cell 4", "stepN scores-loops".
    pub title: String,
    pub code: String,
    /// What it printed.
    pub stdout: String,
    /// The text of its bare last expression.
    pub result: Option<String>,
    pub plots: Vec<PlottedFigure>,
    pub error: Option<ErrorNote>,
    /// Remarks of attn: lines skipped, output cut.
    pub remarks: Vec<String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// One cell: its title, its code shortened, its output, its result, its error.
pub fn cell(run: &CellRun, look: Look) -> Text {
    let mut text = Text::new();
    let width = look.text_width();
    let time = (run.elapsed >= SLOW).then(|| duration(run.elapsed));
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
        text.append(code::code_short(&run.code, CODE_LINES, look));
    }
    let output = printed(&run.stdout, run.result.as_deref(), look);
    match look.plain {
        true => text.append(output),
        false => text.section(output),
    }
    for figure in &run.plots {
        text.section(plot(figure, look));
    }
    if let Some(note) = &run.error {
        text.section(error(note, look));
    }
    for remark in &run.remarks {
        text.section(wrap::remark(remark, look));
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
    wrap(&line, look.width, &Line::new(), &Line::new())
}
