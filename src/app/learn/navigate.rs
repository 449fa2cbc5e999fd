//! Going on, going back, and going to a stop that the learner chooses from a list: typed letters narrow the list, arrow
//! keys choose. Where lines cannot be redrawn, the list is shown and the learner types a name.

use std::mem;

use super::super::list::listing;
use super::super::shell::Failure;
use super::super::stops::{self, Stop, StopKind};
use super::input::{self, InputMode};
use super::page::PageStage;
use super::terminal::{self, KeyPress};
use super::walk::{Flow, Walk};
use crate::lesson::Lesson;
use crate::lesson::progress::Progress;
use crate::view::learn::{KeyLabel, footer};
use crate::view::listing::list;
use crate::view::{Line, Role, Text};

impl Walk<'_, '_, '_> {
    /// Goes on: past a question, to the outcome, or to the next stop.
    pub(crate) fn on(&mut self) -> Result<Flow, Failure> {
        if !self.unread.is_empty() {
            return self.read_on();
        }
        match (self.stage(), self.stop().kind) {
            (PageStage::Asking(_), _) | (PageStage::Ready, StopKind::Exercise(_)) => self.pass_over(),
            (PageStage::Ready, StopKind::Step(_)) => self.outcome(),
            _ if stops::after(&self.stops, self.at, self.all).is_none() => {
                let noun = self.catalogue.course().noun;
                self.note(&format!(
                    "This is the end of the {noun}. `p` looks back, `l` goes anywhere, `q` leaves."
                ))
            }
            _ => {
                let next = stops::after(&self.stops, self.at, self.all).unwrap_or(self.at);
                for passed in self.at + 1..next {
                    let aside = self.stops[passed];
                    let words = format!("Left out: {}. `l` and its name go there.", aside.title());
                    self.note(&words)?;
                }
                Ok(Flow::GoTo(next))
            }
        }
    }

    /// Goes back to the stop before.
    pub(crate) fn back(&mut self) -> Result<Flow, Failure> {
        let before = (0..self.at).rev().find(|at| self.all || !self.stops[*at].is_aside());
        Ok(Flow::GoTo(before.unwrap_or(0)))
    }

    /// Enter skips at the second time; the first time tells the learner what it would do.
    fn pass_over(&mut self) -> Result<Flow, Failure> {
        let exercise = self.exercise().is_some();
        match (mem::replace(&mut self.page().warned, true), exercise) {
            (true, _) => self.skip(),
            (false, true) => {
                let standing = match self.page().book.attempt {
                    Some(_) => "Not right yet: `e` continues with what you wrote",
                    None => "Not written yet: `e` writes it",
                };
                self.note(&format!(
                    "{standing}, `h` gives a hint, `s` the solution. Enter once more continues without."
                ))
            }
            (false, false) if self.asks_again() => {
                self.note("Type an answer; `s` shows it. Enter once more leaves this question out.")
            }
            (false, false) => {
                self.note("Type an answer; `s` shows it. Enter once more runs the cell without an answer.")
            }
        }
    }

    /// Goes to the stop of this name.
    fn jump(&mut self, wanted: &str) -> Result<Flow, Failure> {
        match stops::find(&self.stops, wanted, self.catalogue) {
            Ok(at) => Ok(Flow::GoTo(at)),
            Err(words) => self.note(&words),
        }
    }

    /// Goes to the stop of this name, or lets the learner choose one.
    pub(crate) fn list(&mut self, wanted: &str) -> Result<Flow, Failure> {
        match (wanted.is_empty(), self.mode) {
            (false, _) => self.jump(wanted),
            (true, InputMode::Keys) => self.choose_place(),
            (true, InputMode::Words) => {
                let lessons: Vec<&Lesson> = self.lessons();
                let listed = listing(self.catalogue.course(), &lessons, self.store.progress(), None);
                let mut text = list(&listed, true, self.shell.look);
                text.gap();
                text.say(Role::Prose, "To go to one: list softmax, list softmax-naive, list 3.4.1");
                self.put(&text)?;
                Ok(Flow::Stay)
            }
        }
    }

    fn lessons(&self) -> Vec<&'_ Lesson> {
        let ends = self.stops.iter().filter(|stop| matches!(stop.kind, StopKind::End));
        ends.map(|stop| stop.lesson).collect()
    }

    fn choose_place(&mut self) -> Result<Flow, Failure> {
        let mut typed = String::new();
        let mut chosen = self.at();
        let mut resized = false;
        loop {
            let fitting = fitting(&self.stops, &typed);
            if !fitting.contains(&chosen) {
                chosen = fitting.first().copied().unwrap_or(chosen);
            }
            let rows = terminal::rows().saturating_sub(5).clamp(3, 20);
            let drawn = drawn(&self.stops, &fitting, chosen, &typed, rows, self.store.progress());
            let mut cut = cut(drawn, self.shell.look.width.saturating_sub(1));
            let keys = [("↑ ↓", "choose"), ("Enter", "go"), ("Esc", "stay")];
            cut.append(footer(&legends(&keys), self.shell.look));
            let step = |by: isize| {
                let at = fitting.iter().position(|it| *it == chosen).unwrap_or(0);
                let to = at.saturating_add_signed(by).min(fitting.len().saturating_sub(1));
                fitting.get(to).copied().unwrap_or(chosen)
            };
            match input::press(&cut, self.shell)? {
                KeyPress::Letter(letter) => typed.push(letter),
                KeyPress::Backspace => drop(typed.pop()),
                KeyPress::Arrow(by, _) => chosen = step(by),
                KeyPress::Page(pages) => chosen = step(pages * rows as isize),
                KeyPress::Enter if fitting.is_empty() => {}
                KeyPress::Enter => return Ok(Flow::GoTo(chosen)),
                KeyPress::Escape | KeyPress::Interrupt | KeyPress::End => {
                    if resized {
                        self.show_page()?;
                    }
                    return Ok(Flow::Stay);
                }
                KeyPress::Resized => {
                    resized = true;
                    self.measure();
                }
                KeyPress::Tab => {}
            }
        }
    }
}

/// The stops whose names contain all words that were typed.
fn fitting(stops: &[Stop], typed: &str) -> Vec<usize> {
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let fits = |stop: &Stop| {
        let name = name(stop).to_lowercase();
        words.iter().all(|word| name.contains(word.as_str()))
    };
    (0..stops.len()).filter(|at| fits(&stops[*at])).collect()
}

/// The text in which typed words are searched.
fn name(stop: &Stop) -> String {
    let Lesson { section, title, .. } = stop.lesson;
    match stop.kind {
        StopKind::Step(step) => format!("{section} step{} {} {} {title}", step.number, step.slug, step.title),
        StopKind::Exercise(exercise) => {
            format!("{section} exercise {} {} {title}", exercise.slug, exercise.title)
        }
        StopKind::End => format!("{section} end {title}"),
    }
}

/// The typed text and the stops around the chosen one.
fn drawn(
    stops: &[Stop],
    fitting: &[usize],
    chosen: usize,
    typed: &str,
    rows: usize,
    progress: &Progress,
) -> Text {
    let mut text = Text::new();
    let head = Line::new().with(Role::Dim, "go to: ").with(Role::Strong, typed).with(Role::Dim, "_");
    text.line(head);
    let at = fitting.iter().position(|it| *it == chosen).unwrap_or(0);
    let first = at.saturating_sub(rows / 2).min(fitting.len().saturating_sub(rows));
    for here in fitting.iter().skip(first).take(rows) {
        text.line(row(&stops[*here], *here == chosen, progress));
    }
    if fitting.is_empty() {
        text.say(Role::Dim, "  there is no such place");
    }
    text.say(Role::Dim, format!("{} of {}, type to narrow", fitting.len(), stops.len()));
    text
}

fn row(stop: &Stop, chosen: bool, progress: &Progress) -> Line {
    let mut line = Line::new();
    line.push(Role::Strong, if chosen { "▸ " } else { "  " });
    line.push(Role::Good, if stop.done(progress) { "✓ " } else { "  " });
    line.push(Role::Dim, format!("{:<5}  ", stop.lesson.section));
    let role = if chosen { Role::Strong } else { Role::Prose };
    match stop.kind {
        StopKind::Step(step) => {
            line.push(Role::Dim, format!("{:<8}", step.name()));
            line.push(role, &step.slug);
            line.fill(38);
            line.push(Role::Dim, format!("  {}", step.title));
        }
        StopKind::Exercise(exercise) => {
            line.push(role, format!("exercise {}", exercise.slug));
            line.fill(38);
            line.push(Role::Dim, format!("  {}", exercise.title));
        }
        StopKind::End => line.push(role, format!("the end of {}", stop.lesson.title)),
    }
    line
}

/// Keys with their labels.
pub(crate) fn legends(keys: &[(&str, &str)]) -> Vec<KeyLabel> {
    keys.iter().map(|(key, label)| KeyLabel { key: (*key).to_owned(), label: (*label).to_owned() }).collect()
}

/// Lines cut to the width of the screen, with a mark: lines that are redrawn must not wrap.
pub(crate) fn cut(text: Text, width: usize) -> Text {
    let shorten = |line: Line| {
        if line.width() <= width {
            return line;
        }
        let mut kept = Line::new();
        let width = width.saturating_sub(1);
        for span in line.spans {
            let free = width.saturating_sub(kept.width());
            let mut part = String::new();
            for letter in span.text.chars() {
                let wider = Line::new().with(span.role, format!("{part}{letter}"));
                if wider.width() > free {
                    break;
                }
                part.push(letter);
            }
            kept.push(span.role, part);
        }
        kept.push(Role::Dim, "…");
        kept
    };
    Text { lines: text.lines.into_iter().map(shorten).collect() }
}
