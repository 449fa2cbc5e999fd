//! Going on, going back, and going to a stop that the learner chooses from a list: typed letters narrow the list, arrow
//! keys choose. Where lines cannot be redrawn, the list is shown and the learner types a name.

use std::mem;

use super::super::learner::stops::{self, Stop, StopKind};
use super::super::terminal::shell::Failure;
use super::editor;
use super::input::{self, InputMode};
use super::stop_page::PageStage;
use super::terminal::{self, KeyPress};
use super::walk::{Flow, Walk};
use crate::lesson::Lesson;
use crate::view::learn::footer;
use crate::view::listing::{HERE, Listing, list, mark, signs};
use crate::view::slice::ellipsized;
use crate::view::wrap::{part_of, remark, wrap};
use crate::view::{Line, Role, Text};

impl Walk<'_, '_, '_> {
    /// Whether there is anything to go on to.
    pub(crate) fn goes_on(&self) -> bool {
        let is_last = || stops::after(&self.stops, self.at, self.all).is_none();
        self.stage() != PageStage::Shown || !is_last()
    }

    /// Goes on: past a question, to the outcome, or to the next stop.
    pub(crate) fn on(&mut self) -> Result<Flow, Failure> {
        match (self.stage(), self.stop().kind) {
            (PageStage::Asking(_), _) | (PageStage::Ready, StopKind::Exercise(_)) => self.pass_over(),
            (PageStage::Ready, StopKind::Step(_)) => self.outcome(),
            _ => self.go_on(),
        }
    }

    /// Goes to the next stop, and names the asides that are left out.
    pub(super) fn go_on(&mut self) -> Result<Flow, Failure> {
        let next = stops::after(&self.stops, self.at, self.all).unwrap_or(self.at);
        for passed in self.at + 1..next {
            let aside = &self.stops[passed];
            self.note(&left_out(aside))?;
        }
        Ok(Flow::GoTo(next))
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
                    None if editor::external().is_some() => "Not written yet: `v` writes it in your editor",
                    None => "Not written yet: `e` writes it",
                };
                let hint = if self.has_hints() { "`h` gives a hint, " } else { "" };
                self.note(&format!(
                    "{standing}, {hint}`s` shows the solution. Enter once more continues without."
                ))
            }
            (false, false) if self.asks_again() || self.is_remembering() => {
                self.note("Type an answer. Enter once more shows it, and goes on.")
            }
            (false, false) => {
                self.note("Type an answer; `s` shows it. Enter once more runs the cell without an answer.")
            }
        }
    }

    /// Goes to the stop of this name.
    fn jump(&mut self, wanted: &str) -> Result<Flow, Failure> {
        let unknown = match stops::find(&self.stops, wanted, self.catalogue) {
            Ok(at) => return Ok(Flow::Jump(at)),
            Err(unknown) => unknown,
        };
        match self.matching(wanted).as_slice() {
            [(_, only)] => Ok(Flow::Jump(*only)),
            [(best, first), (next, _), ..] if best < next => Ok(Flow::Jump(*first)),
            _ => self.note(&unknown),
        }
    }

    /// Goes to the stop of this name, or lets the learner choose one.
    pub(crate) fn list(&mut self, wanted: &str) -> Result<Flow, Failure> {
        match (wanted.is_empty(), self.mode) {
            (false, _) => self.jump(wanted),
            (true, InputMode::Keys) => self.choose_place(),
            (true, InputMode::Words) => {
                let listing = Listing {
                    course: self.catalogue.course(),
                    lessons: &self.lessons(),
                    progress: self.store.progress(),
                    here: self.stop().lesson.number,
                    next: None,
                };
                let mut text = list(&listing, true, self.shell.look);
                text.gap();
                text.say(Role::Prose, "To go to one: list softmax, list softmax-naive, list 3");
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
        let mut chosen = self.at;
        let mut resized = false;
        loop {
            let fitting: Vec<usize> = self.matching(&typed).iter().map(|(_, at)| *at).collect();
            let below = self.below_list(fitting.len());
            // A line above the list, and one more row than the screen has would scroll it.
            let rows = terminal::rows().saturating_sub(below.lines.len() + 2).clamp(1, 20);
            let drawn = self.drawn(&fitting, chosen, &typed, rows);
            let mut cut = cut(drawn, self.shell.look.width.saturating_sub(1));
            cut.append(below);
            let step = |by: isize| {
                let at = fitting.iter().position(|it| *it == chosen).unwrap_or(0);
                let to = at.saturating_add_signed(by).min(fitting.len().saturating_sub(1));
                fitting.get(to).copied().unwrap_or(chosen)
            };
            match input::press(&cut, self.shell)? {
                KeyPress::Letter(letter) => {
                    typed.push(letter);
                    chosen = self.meant(&typed);
                }
                KeyPress::Backspace => {
                    typed.pop();
                    chosen = self.meant(&typed);
                }
                KeyPress::Arrow(by, _) => chosen = step(by),
                KeyPress::Page(pages) => chosen = step(pages * rows as isize),
                KeyPress::Enter if fitting.is_empty() => {}
                KeyPress::Enter => return Ok(Flow::Jump(chosen)),
                KeyPress::Escape | KeyPress::Interrupt | KeyPress::End => {
                    if resized {
                        self.show_page()?;
                    } else if let Some(question) = self.waiting_question() {
                        // The list has pushed it from the screen.
                        self.put_apart(question)?;
                    }
                    return Ok(Flow::Stay);
                }
                KeyPress::Resized => {
                    resized = true;
                    self.shell.refit();
                }
                KeyPress::Tab | KeyPress::Suspend | KeyPress::Pasted => {}
            }
        }
    }

    /// The stops that typed words may mean, the best first, each with its rank. Who types `list softmax` where `l` alone
    /// opens the list means softmax.
    fn matching(&self, typed: &str) -> Vec<(u8, usize)> {
        let typed = typed.strip_prefix("ist ").unwrap_or(typed);
        stops::matching(&self.stops, typed, self.catalogue, &|stop| words(stop, false).text())
    }

    /// The stop that typed words mean: the best one; this one, if no other is better.
    fn meant(&self, typed: &str) -> usize {
        let found = self.matching(typed);
        let best = found.first().map(|(rank, _)| *rank);
        let among = |at: usize| found.iter().any(|(rank, other)| Some(*rank) == best && *other == at);
        match found.first() {
            Some((_, first)) if !among(self.at) => *first,
            _ => self.at,
        }
    }

    /// What stands under the list: how many places fit, the meaning of the marks, and the keys.
    fn below_list(&self, fitting: usize) -> Text {
        let look = self.shell.look;
        let mut text = Text::new();
        let count = format!("{fitting} of {}, type to narrow", self.stops.len());
        text.append(remark(&count, look));
        text.append(wrap(signs(), look.width.saturating_sub(1), 0, 0));
        let keys: &[_] = match fitting {
            0 => &[("Esc", "stay")],
            1 => &[("Enter", "go"), ("Esc", "stay")],
            _ => &[("↑ ↓", "choose"), ("Enter", "go"), ("Esc", "stay")],
        };
        text.append(footer(keys, look));
        text
    }

    /// The typed text and the stops around the chosen one.
    fn drawn(&self, fitting: &[usize], chosen: usize, typed: &str, rows: usize) -> Text {
        let mut text = Text::new();
        let head = Line::new().with(Role::Dim, "go to: ").with(Role::Strong, typed).with(Role::Dim, "_");
        text.line(head);
        let at = fitting.iter().position(|it| *it == chosen).unwrap_or(0);
        let first = at.saturating_sub(rows / 2).min(fitting.len().saturating_sub(rows));
        for here in fitting.iter().skip(first).take(rows) {
            text.line(self.row(*here, *here == chosen, typed));
        }
        if fitting.is_empty() {
            text.say(Role::Dim, "  there is no such place");
        }
        text
    }

    /// A row of the list: whether it is chosen, what the learner has done there, and its words; the lesson's title too, where only
    /// that has what was typed.
    fn row(&self, at: usize, chosen: bool, typed: &str) -> Line {
        let stop = &self.stops[at];
        let mut line = Line::new().with(Role::Strong, if chosen { "> " } else { "  " });
        let state = stop.state(self.store.progress()).map_or((" ", Role::Prose), mark);
        let (mark, role) = if at == self.at { HERE } else { state };
        line.push(role, format!("{mark} "));
        for span in words(stop, self.shell.look.width < 60).spans {
            let is_name = chosen && span.role == Role::Prose;
            line.push(if is_name { Role::Strong } else { span.role }, span.text);
        }
        let (title, row) = (stop.lesson.title.to_lowercase(), line.text().to_lowercase());
        if typed.to_lowercase().split_whitespace().any(|word| title.contains(word) && !row.contains(word)) {
            line.push(Role::Dim, format!("  ({})", stop.lesson.title));
        }
        line
    }
}

/// What the learner is told of an aside that is left out.
fn left_out(aside: &Stop) -> String {
    let title = match aside.kind {
        StopKind::Step(step) => step.title.trim_start_matches("Aside:").trim(),
        _ => "",
    };
    format!(
        "An aside, for those who want to know more, is left out here ({title}). To read it: `l`, then `{}`.",
        aside.slug()
    )
}

/// The words of a row, all of which can be typed; on a `narrow` screen the name and the title alone.
fn words(stop: &Stop, narrow: bool) -> Line {
    let (number, name, title) = match stop.kind {
        StopKind::Step(step) => (format!("{:<8}", step.name()), step.slug.clone(), step.title.as_str()),
        StopKind::Exercise(exercise) => {
            (String::new(), format!("exercise {}", exercise.slug), exercise.title.as_str())
        }
        StopKind::End => (String::new(), stops::end_of(stop.lesson), ""),
    };
    let mut line = Line::new();
    if !narrow {
        line.push(Role::Dim, format!("{:>2}  {number}", stop.lesson.number));
    }
    line.push(Role::Prose, name);
    if !title.is_empty() {
        line.fill(if narrow { 0 } else { 34 });
        line.push(Role::Dim, format!("  {title}"));
    }
    line
}

/// Lines cut to the width of the screen, with a mark: lines that are redrawn must not wrap.
pub(crate) fn cut(text: Text, width: usize) -> Text {
    let shorten = |line: Line| {
        if line.width() <= width {
            return line;
        }
        let shown = ellipsized(&line.text(), width);
        let mut kept = part_of(&line.spans, 0, shown.trim_end_matches('…').len());
        kept.push(Role::Dim, "…");
        kept
    };
    Text { lines: text.lines.into_iter().map(shorten).collect() }
}
