//! Choosing a number in a table with the arrow keys or by its name, and seeing where it comes from, level by level.

use super::super::cells::element_text::scope_prefix;
use super::super::cells::step::element_of;
use super::super::cells::workspace::Workspace;
use super::super::commands::why;
use super::super::terminal::prompt::TypedLine;
use super::super::terminal::shell::{Failure, Shell};
use super::figures::figures;
use super::input::{self, Escape, InputMode};
use super::navigate::cut;
use super::terminal::{self, KeyPress};
use super::visits::or_reason;
use super::walk::{Flow, Walk};
use crate::lesson::Step;
use crate::tensor::layout::{ravel, unravel};
use crate::view::learn::footer;
use crate::view::pick::{element_name, marked};
use crate::view::wrap::remark;
use crate::view::{Figure, Line, Look, Role, Text};

impl Walk<'_, '_, '_> {
    /// Shows where a number comes from: the one that was named, or one that the learner chooses.
    pub(crate) fn why(&mut self, wanted: &str) -> Result<Flow, Failure> {
        let Some(step) = self.step() else { return Ok(Flow::Stay) };
        let panel = self.page().panel.as_ref();
        let shown: Vec<Figure> = panel.map(|panel| panel.figures.clone()).unwrap_or_default();
        let lesson = self.stop().lesson;
        // The lesson's workspace, if it has the state after the step; else a new one.
        let mut other = None;
        if self.lesson.at(step).is_none() {
            match self.prepared(|state| state.after(step, lesson))? {
                Some(workspace) => other = Some(workspace),
                None => return Ok(Flow::Stay),
            }
        }
        let own = self.lesson.at(step);
        let workspace = other.as_mut().or(own).expect("there is one of the two");
        workspace.at = Some((step, lesson));
        let look = self.shell.look;
        let figures = figures(step, shown, workspace);
        let text = match (wanted.is_empty(), self.mode) {
            (false, _) => explained(wanted, 1, workspace, look),
            (true, _) if figures.is_empty() => {
                return self
                    .note("This step has no tensor to ask about; `why NAME` asks about any that is there.");
            }
            (true, InputMode::Keys) => {
                let (text, cleared) = Picker::new(step, figures).run(workspace, self.shell)?;
                if cleared {
                    self.shell.refit();
                    self.show_page()?;
                }
                text
            }
            (true, InputMode::Words) => {
                let first = figures.first().map(|it| element_name(&it.name, &vec![0; it.shape.len()]));
                let element = step.why.clone().or(first).expect("there is a tensor");
                explained(&element, 1, workspace, look)
            }
        };
        self.shell.refit();
        self.put(&text)?;
        Ok(Flow::Stay)
    }
}

/// The explanation of an element, `depth` levels down.
fn explained(element: &str, depth: usize, workspace: &mut Workspace, look: Look) -> Text {
    or_reason(why::text(element, depth, workspace, look), look)
}

/// The state of the choice.
struct Picker {
    figures: Vec<Figure>,
    /// What comes before the name of each: `CausalAttention.forward: `, empty for a variable.
    scopes: Vec<String>,
    at: usize,
    index: Vec<usize>,
    depth: usize,
    /// The first line of the explanation that is shown.
    top: usize,
    told: String,
}

impl Picker {
    /// Begins beside the element that the step works out, which the page explains, else with the first tensor whose axes the step
    /// names.
    fn new(step: &Step, figures: Vec<Figure>) -> Picker {
        let worked = step.why.as_deref().and_then(element_of);
        let found = worked.and_then(|(name, mut index)| {
            let at = figures.iter().position(|it| it.name == name && it.shape.len() == index.len())?;
            let is_inside = index.iter().zip(&figures[at].shape).all(|(at, size)| at < size);
            if let (Some(column), Some(size)) = (index.last_mut(), figures[at].shape.last()) {
                *column = if *column + 1 < *size { *column + 1 } else { column.saturating_sub(1) };
            }
            is_inside.then_some((at, index))
        });
        let is_named = |it: &Figure| step.axes.iter().any(|axes| axes.tensor == it.name);
        let first = figures.iter().position(is_named).unwrap_or(0);
        let (at, index) = found.unwrap_or_else(|| (first, vec![0; figures[first].shape.len()]));
        let scopes = vec![String::new(); figures.len()];
        Picker { figures, scopes, at, index, depth: 1, top: 0, told: String::new() }
    }

    /// The element as it is asked for.
    fn element(&self) -> String {
        format!("{}{}", self.scopes[self.at], element_name(&self.figures[self.at].name, &self.index))
    }

    /// Lets the learner choose. Returns the last explanation, and whether the screen was cleared since.
    fn run(mut self, workspace: &mut Workspace, shell: &mut Shell) -> Result<(Text, bool), Failure> {
        let mut cleared = false;
        loop {
            shell.refit();
            // The last column stays free: a line that fills it would wrap.
            let look = Look { width: shell.look.width.saturating_sub(1), ..shell.look };
            let why = explained(&self.element(), self.depth, workspace, look);
            let deeper = explained(&self.element(), self.depth + 1, workspace, look);
            let (region, space) = self.region(&why, why != deeper, look);
            let pressed = input::press(&region, shell)?;
            self.told.clear();
            cleared |= pressed == KeyPress::Resized;
            match pressed {
                KeyPress::Letter(letter) if letter.is_alphabetic() || letter == '_' => {
                    self.ask_name(letter, workspace, shell)?;
                }
                KeyPress::Escape | KeyPress::Interrupt | KeyPress::End => {
                    return Ok((explained(&self.element(), self.depth, workspace, shell.look), cleared));
                }
                pressed => self.choose(pressed, [&why, &deeper], space),
            }
        }
    }

    fn choose(&mut self, pressed: KeyPress, [why, deeper]: [&Text; 2], space: usize) {
        let lines = why.lines.len();
        let figure = &self.figures[self.at];
        match pressed {
            KeyPress::Arrow(rows, columns) => {
                moved(&mut self.index, &figure.shape, rows, columns);
                (self.depth, self.top) = (1, 0);
            }
            KeyPress::Page(pages) if lines > space => {
                let to = self.top.saturating_add_signed(pages * space.saturating_sub(1).max(1) as isize);
                self.top = to.min(lines - space);
            }
            KeyPress::Page(pages) => {
                let rows = figure.shape.iter().rev().nth(1).copied().unwrap_or(1);
                moved(&mut self.index, &figure.shape, pages * rows as isize, 0);
                (self.depth, self.top) = (1, 0);
            }
            // Space reads on, and begins again at the end.
            KeyPress::Letter(' ') if lines > space => {
                let at_end = self.top + space >= lines;
                self.top =
                    if at_end { 0 } else { (self.top + space.saturating_sub(1).max(1)).min(lines - space) };
            }
            KeyPress::Tab => {
                self.at = (self.at + 1) % self.figures.len();
                self.index = vec![0; self.figures[self.at].shape.len()];
                (self.depth, self.top) = (1, 0);
            }
            KeyPress::Enter => {
                // Each level goes on where the one before it ends.
                let differs = why.lines.iter().zip(&deeper.lines).position(|(a, b)| a.text() != b.text());
                match deeper == why {
                    true if self.top + space < lines => self.top = lines - space,
                    true => self.told = "It goes no deeper: these are where it begins.".to_owned(),
                    false => {
                        self.depth += 1;
                        self.top = differs.unwrap_or(lines);
                    }
                }
            }
            KeyPress::Backspace if self.depth > 1 => {
                self.depth -= 1;
                self.top = 0;
            }
            _ => {}
        }
    }

    /// Goes to an element whose name begins with this letter: the learner types the rest.
    fn ask_name(
        &mut self,
        letter: char,
        workspace: &mut Workspace,
        shell: &mut Shell,
    ) -> Result<(), Failure> {
        terminal::press_again(letter);
        let TypedLine::Line(typed) = input::line("why: ", Escape::Leaves, InputMode::Keys, shell)? else {
            return Ok(());
        };
        match self.go_to(&typed, workspace) {
            Err(_) if typed.trim().is_empty() => {}
            Err(failure) => self.told = failure.to_string(),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Goes to the element of this name. Errors: there is none.
    fn go_to(&mut self, typed: &str, workspace: &mut Workspace) -> Result<(), Failure> {
        let found = why::element(typed, workspace)?;
        let scope = scope_prefix(typed).to_owned();
        let is_it = |(figure, own): (&Figure, &String)| figure.name == found.base && *own == scope;
        let known = self.figures.iter().zip(&self.scopes).position(is_it);
        self.at = match known {
            Some(at) => at,
            None => {
                let figure = workspace.labelled_figure(&found.base, &found.tensor);
                if !figure.has_values() {
                    return Err(Failure::Usage(format!("{} is too large for a table", found.base)));
                }
                self.figures.push(figure);
                self.scopes.push(scope);
                self.figures.len() - 1
            }
        };
        self.index = found.index;
        self.told = found.remarks.join("; ");
        (self.depth, self.top) = (1, 0);
        Ok(())
    }

    /// The table, the explanation and the keys, and how many lines of the explanation there is space for.
    fn region(&self, why: &Text, goes_deeper: bool, look: Look) -> (Text, usize) {
        let (region, space) = self.region_with(why, [goes_deeper, false], look);
        match why.lines.len() > space {
            // One more key may take a line of the space.
            true => self.region_with(why, [goes_deeper, true], look),
            false => (region, space),
        }
    }

    fn region_with(&self, why: &Text, [goes_deeper, is_long]: [bool; 2], look: Look) -> (Text, usize) {
        let rows = terminal::rows().saturating_sub(1);
        let figure = &self.figures[self.at];
        let mut below = Text::new();
        if !self.told.is_empty() {
            below.append(remark(&self.told, look));
        }
        below.append(footer(&self.keys(figure, goes_deeper, is_long), look));
        // At deeper levels the explanation needs the space of the table. Its first line names the element.
        let mut text = match self.depth {
            1 => marked(figure, &self.index, table_rows(figure, rows), look),
            _ => Text::new(),
        };
        text.gap();
        let taken = text.lines.len() + below.lines.len() + 1;
        let space = rows.saturating_sub(taken).max(2);
        let all = why.lines.len();
        let first = self.top.min(all.saturating_sub(space));
        let last = (first + space).min(all);
        text.lines.extend_from_slice(&why.lines[first..last]);
        text.line(self.position(first, last, all));
        text.append(below);
        text.lines.truncate(rows.max(4));
        (cut(text, look.width), space)
    }

    /// How far back the explanation goes, if further than one calculation, and which of its lines are shown.
    fn position(&self, first: usize, last: usize, all: usize) -> Line {
        let mut words = Vec::new();
        if self.depth > 1 {
            words.push(format!("{} calculations back", self.depth));
        }
        if last - first < all {
            words.push(format!("lines {} to {last} of {all}", first + 1));
        }
        match words.is_empty() {
            true => Line::new(),
            false => Line::new().with(Role::Dim, format!("── {} ──", words.join(", "))),
        }
    }

    /// The keys that do something here.
    fn keys(&self, figure: &Figure, goes_deeper: bool, is_long: bool) -> Vec<(&'static str, &'static str)> {
        let mut keys = Vec::new();
        if figure.count() > 1 {
            keys.push(("arrows", "choose"));
        }
        if goes_deeper {
            keys.push(("Enter", "where this comes from"));
        }
        if self.depth > 1 {
            keys.push(("Backspace", "back"));
        }
        if is_long {
            keys.push(("Space", "more lines"));
        } else if figure.shape.len() > 2 {
            keys.push(("PgUp PgDn", "table"));
        }
        if self.figures.len() > 1 {
            keys.push(("Tab", "next tensor"));
        }
        keys.extend([("a-z", "type a name"), ("Esc", "done")]);
        keys
    }
}

/// How many rows of a table are shown on a screen of `rows`: all of them if they take less than a third of it.
fn table_rows(figure: &Figure, rows: usize) -> usize {
    match figure.shape.as_slice() {
        [.., tall, _] if *tall <= rows / 3 => *tall,
        _ => (rows / 4).max(1),
    }
}

/// Moves the index by rows and columns; after the last row of a table comes the first one of the next.
pub fn moved(index: &mut [usize], shape: &[usize], rows: isize, columns: isize) {
    let (Some((column, lead)), Some((size, sizes))) = (index.split_last_mut(), shape.split_last()) else {
        return;
    };
    let by = |at: usize, size: usize, by: isize| at.saturating_add_signed(by).min(size.max(1) - 1);
    *column = by(*column, *size, columns);
    lead.copy_from_slice(&unravel(by(ravel(lead, sizes), sizes.iter().product(), rows), sizes));
}
