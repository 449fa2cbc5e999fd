//! Choosing a number in a table with the arrow keys, and seeing where it comes from.

use super::super::shell::{Failure, Shell};
use super::super::step::element_of;
use super::super::why;
use super::super::workspace::Workspace;
use super::input::{self, InputMode};
use super::navigate::{cut, legends};
use super::terminal::{self, KeyPress};
use super::visits::or_reason;
use super::walk::{Flow, Walk};
use crate::lesson::Step;
use crate::view::learn::footer;
use crate::view::pick::{element_name, pick};
use crate::view::{Figure, Look, Text};

impl Walk<'_, '_, '_> {
    /// Shows where a number comes from: the one that was named, or one that the learner chooses.
    pub(crate) fn why(&mut self, wanted: &str) -> Result<Flow, Failure> {
        let Some(step) = self.step() else {
            return Ok(Flow::Stay);
        };
        let figures: Vec<Figure> = match &self.page().panel {
            Some(panel) => {
                panel.figures.iter().filter(|it| it.has_values() && it.count() > 0).cloned().collect()
            }
            None => Vec::new(),
        };
        let lesson = self.stop().lesson;
        // The lesson's workspace, if it has the state after the step; else a new one.
        let mut other = None;
        if self.lesson.at(step).is_none() {
            match self.prepared(|state, on_progress| state.after(step, lesson, on_progress))? {
                Some(workspace) => other = Some(workspace),
                None => return Ok(Flow::Stay),
            }
        }
        let own = self.lesson.at(step);
        let workspace = other.as_mut().or(own).expect("there is one of the two");
        let look = self.shell.look;
        let text = match (wanted.is_empty(), self.mode) {
            (false, _) => why(wanted, 1, workspace, look),
            (true, InputMode::Keys) => match chosen(step, &figures, workspace, self.shell)? {
                Some(text) => text,
                None => return Ok(Flow::Stay),
            },
            (true, InputMode::Words) => {
                let first = figures.first().map(|it| element_name(&it.name, &vec![0; it.shape.len()]));
                match step.why.clone().or(first) {
                    Some(element) => why(&element, 1, workspace, look),
                    None => return Ok(Flow::Stay),
                }
            }
        };
        self.put(&text)?;
        Ok(Flow::Stay)
    }
}

/// The explanation of an element, `depth` levels down.
fn why(element: &str, depth: usize, workspace: &mut Workspace, look: Look) -> Text {
    or_reason(why::text(element, depth, workspace, look), look)
}

/// Lets the learner choose. Returns the last explanation; `None` if there is nothing to choose from.
fn chosen(
    step: &Step,
    figures: &[Figure],
    workspace: &mut Workspace,
    shell: &mut Shell,
) -> Result<Option<Text>, Failure> {
    let (mut at, mut index) = begin(step, figures);
    let mut depth = 1;
    let mut asked: Option<Text> = None;
    loop {
        let Some(figure) = figures.get(at) else {
            return Ok(None);
        };
        let look = shell.look;
        let explained = why(&element_name(&figure.name, &index), depth, workspace, look);
        let region = region(figure, &index, &explained, figures.len() > 1, look);
        match input::press(&region, shell)? {
            KeyPress::Arrow(rows, columns) => {
                moved(&mut index, &figure.shape, rows, columns);
                depth = 1;
            }
            KeyPress::Page(pages) => next_table(&mut index, &figure.shape, pages),
            KeyPress::Tab => {
                at = (at + 1) % figures.len();
                index = vec![0; figures[at].shape.len()];
                depth = 1;
            }
            KeyPress::Enter => {
                depth += 1;
                let mut text = pick(figure, &index, 1, look);
                text.lines.truncate(1);
                text.append(why(&element_name(&figure.name, &index), depth, workspace, look));
                let deeper = asked.as_ref() != Some(&text);
                asked = Some(text);
                if !deeper {
                    return Ok(asked);
                }
            }
            KeyPress::Resized => {}
            _ => return Ok(Some(explained)),
        }
    }
}

/// The table and the element where choosing begins: the one that the step works out, else the first.
fn begin(step: &Step, figures: &[Figure]) -> (usize, Vec<usize>) {
    let worked = step.why.as_deref().and_then(element_of);
    let found = worked.and_then(|(name, index)| {
        let at = figures.iter().position(|it| it.name == name && it.shape.len() == index.len())?;
        index.iter().zip(&figures[at].shape).all(|(at, size)| at < size).then_some((at, index))
    });
    found.unwrap_or_else(|| (0, vec![0; figures.first().map_or(0, |it| it.shape.len())]))
}

/// Moves the index by rows and columns within the table.
pub fn moved(index: &mut [usize], shape: &[usize], rows: isize, columns: isize) {
    let by = |at: &mut usize, size: usize, by: isize| *at = at.saturating_add_signed(by).min(size.max(1) - 1);
    let last = index.len();
    if last > 0 {
        by(&mut index[last - 1], shape[last - 1], columns);
    }
    if last > 1 {
        by(&mut index[last - 2], shape[last - 2], rows);
    }
}

/// Moves the index to the same element of the next table, if the tensor has several.
pub fn next_table(index: &mut [usize], shape: &[usize], pages: isize) {
    for axis in (0..index.len().saturating_sub(2)).rev() {
        let to = index[axis].saturating_add_signed(pages);
        if to < shape[axis] && to != index[axis] {
            index[axis] = to;
            return;
        }
        index[axis] = if pages > 0 { 0 } else { shape[axis] - 1 };
    }
}

/// The table, the explanation and the keys, cut to the size of the screen.
fn region(figure: &Figure, index: &[usize], why: &Text, several: bool, look: Look) -> Text {
    let rows = terminal::rows().saturating_sub(1);
    let mut text = pick(figure, index, (rows / 2).saturating_sub(2).max(1), look);
    text.gap();
    text.append(why.clone());
    text.lines.truncate(rows.saturating_sub(3));
    let mut text = cut(text, look.width.saturating_sub(1));
    let mut keys = vec![("arrows", "choose")];
    if figure.shape.len() > 2 {
        keys.push(("PgUp PgDn", "table"));
    }
    if several {
        keys.push(("Tab", "next tensor"));
    }
    keys.extend([("Enter", "deeper"), ("Esc", "done")]);
    text.append(footer(&legends(&keys), look));
    text
}
