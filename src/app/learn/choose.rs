//! Choosing a number in a table with the arrow keys, and seeing where it comes from.
//! Redraws its own region only; what was asked last stays on the screen.

use super::super::shell::Failure;
use super::super::step::element_of;
use super::input::{self, Mode};
use super::jump::{cut, legends};
use super::terminal::{self, Pressed};
use super::walk::{Flow, Waiting, Walk};
use super::{bench::Bench, elsewhere};
use crate::app::workspace::Workspace;
use crate::lesson::{Lesson, Step};
use crate::view::learn::footer;
use crate::view::pick::{element_name, pick};
use crate::view::{Figure, Look, Text};

impl<'c> Walk<'c, '_, '_> {
    /// Where a number comes from: the one that was named, or one that is chosen.
    pub fn why(&mut self, wanted: &str) -> Result<Flow, Failure> {
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
        let mut waiting = Waiting::new(self.mode);
        let mut side = None;
        let shell = &mut *self.shell;
        let workspace = match workspace(step, lesson, &mut self.bench, &mut side, &mut |ran, all| {
            waiting.hear(ran, all, shell);
        }) {
            Ok(workspace) => workspace,
            Err(unmade) => return self.unmade(unmade),
        };
        waiting.end(self.shell)?;
        let look = self.shell.look;
        let text = match (wanted.is_empty(), self.mode) {
            (false, _) => elsewhere::why(wanted, 1, workspace, look),
            (true, Mode::Keys) => match chosen(step, &figures, workspace, self.shell)? {
                Some(text) => text,
                None => return Ok(Flow::Stay),
            },
            (true, Mode::Words) => {
                let first = figures.first().map(|it| element_name(&it.name, &vec![0; it.shape.len()]));
                match step.why.clone().or(first) {
                    Some(element) => elsewhere::why(&element, 1, workspace, look),
                    None => return Ok(Flow::Stay),
                }
            }
        };
        self.put(&text)?;
        Ok(Flow::Stay)
    }
}

/// The workspace with the state after the step: the lesson's own where it stands there, else a fresh one.
fn workspace<'d, 'c>(
    step: &'c Step,
    lesson: &'c Lesson,
    bench: &'d mut Bench<'c>,
    side: &'d mut Option<Workspace<'c>>,
    hears: super::bench::Hears,
) -> Result<&'d mut Workspace<'c>, super::bench::Unmade> {
    if bench.at(step).is_none() {
        *side = Some(bench.after(step, lesson, hears)?);
    }
    match side {
        Some(workspace) => Ok(workspace),
        None => Ok(bench.at(step).expect("it was found to stand there")),
    }
}

/// Lets the learner choose. `None`: there is nothing to choose, or it was left at once.
fn chosen(
    step: &Step,
    figures: &[Figure],
    workspace: &mut Workspace,
    shell: &mut super::super::shell::Shell,
) -> Result<Option<Text>, Failure> {
    let (mut at, mut index) = begin(step, figures);
    let mut depth = 1;
    let mut asked: Option<Text> = None;
    loop {
        let Some(figure) = figures.get(at) else {
            return Ok(None);
        };
        let look = shell.look;
        let why = elsewhere::why(&element_name(&figure.name, &index), depth, workspace, look);
        let region = region(figure, &index, &why, figures.len() > 1, look);
        match input::press(&region, shell)? {
            Pressed::Arrow(rows, columns) => {
                moved(&mut index, &figure.shape, rows, columns);
                depth = 1;
            }
            Pressed::Page(pages) => outward(&mut index, &figure.shape, pages),
            Pressed::Tab => {
                at = (at + 1) % figures.len();
                index = vec![0; figures[at].shape.len()];
                depth = 1;
            }
            Pressed::Enter => {
                depth += 1;
                let mut text = pick(figure, &index, 1, look);
                text.lines.truncate(1);
                text.append(elsewhere::why(&element_name(&figure.name, &index), depth, workspace, look));
                let deeper = asked.as_ref() != Some(&text);
                asked = Some(text);
                if !deeper {
                    return Ok(asked);
                }
            }
            Pressed::Resized => {}
            _ => {
                let kept = elsewhere::why(&element_name(&figure.name, &index), depth, workspace, look);
                return Ok(Some(kept));
            }
        }
    }
}

/// The figure and the element to begin with: the one that the step works out, else the first.
fn begin(step: &Step, figures: &[Figure]) -> (usize, Vec<usize>) {
    let worked = step.why.as_deref().and_then(element_of);
    let found = worked.and_then(|(name, index)| {
        let at = figures.iter().position(|it| it.name == name && it.shape.len() == index.len())?;
        index.iter().zip(&figures[at].shape).all(|(at, size)| at < size).then_some((at, index))
    });
    found.unwrap_or_else(|| (0, vec![0; figures.first().map_or(0, |it| it.shape.len())]))
}

/// The index so many rows and columns further, within the table.
fn moved(index: &mut [usize], shape: &[usize], rows: isize, columns: isize) {
    let by = |at: &mut usize, size: usize, by: isize| *at = at.saturating_add_signed(by).min(size.max(1) - 1);
    let last = index.len();
    if last > 0 {
        by(&mut index[last - 1], shape[last - 1], columns);
    }
    if last > 1 {
        by(&mut index[last - 2], shape[last - 2], rows);
    }
}

/// The same element of the next table, where a tensor has several.
fn outward(index: &mut [usize], shape: &[usize], pages: isize) {
    for axis in (0..index.len().saturating_sub(2)).rev() {
        let to = index[axis].saturating_add_signed(pages);
        if to < shape[axis] && to != index[axis] {
            index[axis] = to;
            return;
        }
        index[axis] = if pages > 0 { 0 } else { shape[axis] - 1 };
    }
}

/// Table, explanation and keys, no taller and no wider than the screen.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_stays_within_the_table() {
        let mut index = vec![0, 5];
        moved(&mut index, &[6, 6], -1, 1);
        assert_eq!(index, [0, 5]);
        moved(&mut index, &[6, 6], 1, -1);
        assert_eq!(index, [1, 4]);
        moved(&mut [], &[], 1, 1);
        let mut deep = vec![0, 1, 0, 0];
        outward(&mut deep, &[2, 2, 3, 3], 1);
        assert_eq!(deep, [1, 0, 0, 0]);
    }
}
