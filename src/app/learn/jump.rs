//! The list of places, and going to one: typed letters narrow it, arrows choose.
//! Where lines are not redrawn, the list is shown and a name is typed.

use super::super::list::listing;
use super::super::shell::Failure;
use super::input::{self, Mode};
use super::stops::{Kind, Stop};
use super::terminal::{self, Pressed};
use super::walk::{Flow, Walk};
use crate::lesson::Lesson;
use crate::lesson::progress::Progress;
use crate::view::learn::{KeyLabel, footer};
use crate::view::listing::list;
use crate::view::{Line, Role, Text};

impl Walk<'_, '_, '_> {
    /// Goes to the place of this name, or lets the learner choose one.
    pub fn list(&mut self, wanted: &str) -> Result<Flow, Failure> {
        match (wanted.is_empty(), self.mode) {
            (false, _) => self.jump(wanted),
            (true, Mode::Keys) => self.choose_place(),
            (true, Mode::Words) => {
                let lessons: Vec<&Lesson> = self.lessons();
                let listed = listing(&lessons, self.store.progress(), None);
                let mut text = list(&listed, true, self.shell.look);
                text.gap();
                text.say(Role::Prose, "To go to one: list softmax, list step12, list 3.4.1");
                self.put(&text)?;
                Ok(Flow::Stay)
            }
        }
    }

    fn lessons(&self) -> Vec<&'_ Lesson> {
        let ends = self.stops.iter().filter(|stop| matches!(stop.kind, Kind::End));
        ends.map(|stop| stop.lesson).collect()
    }

    fn choose_place(&mut self) -> Result<Flow, Failure> {
        let mut typed = String::new();
        let mut chosen = self.at();
        loop {
            let fitting = fitting(&self.stops, &typed);
            if !fitting.contains(&chosen) {
                chosen = fitting.first().copied().unwrap_or(chosen);
            }
            let room = terminal::rows().saturating_sub(5).clamp(3, 20);
            let drawn = drawn(&self.stops, &fitting, chosen, &typed, room, self.store.progress());
            let mut cut = cut(drawn, self.shell.look.width.saturating_sub(1));
            let keys = [("↑ ↓", "choose"), ("Enter", "go"), ("Esc", "stay")];
            cut.append(footer(&legends(&keys), self.shell.look));
            let step = |by: isize| {
                let at = fitting.iter().position(|it| *it == chosen).unwrap_or(0);
                let to = at.saturating_add_signed(by).min(fitting.len().saturating_sub(1));
                fitting.get(to).copied().unwrap_or(chosen)
            };
            match input::press(&cut, self.shell)? {
                Pressed::Letter(letter) => typed.push(letter),
                Pressed::Backspace => drop(typed.pop()),
                Pressed::Arrow(rows, _) => chosen = step(rows),
                Pressed::Page(pages) => chosen = step(pages * room as isize),
                Pressed::Enter if fitting.is_empty() => {}
                Pressed::Enter => return self.go_to(chosen),
                Pressed::Escape | Pressed::Stop | Pressed::End => return Ok(Flow::Stay),
                Pressed::Tab | Pressed::Resized => {}
            }
        }
    }
}

/// The places whose names hold all the words typed.
fn fitting(stops: &[Stop], typed: &str) -> Vec<usize> {
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let fits = |stop: &Stop| {
        let name = name(stop).to_lowercase();
        words.iter().all(|word| name.contains(word.as_str()))
    };
    (0..stops.len()).filter(|at| fits(&stops[*at])).collect()
}

/// By what a place can be found.
fn name(stop: &Stop) -> String {
    let Lesson { section, title, .. } = stop.lesson;
    match stop.kind {
        Kind::Step(step) => format!("{section} step{} {} {} {title}", step.number, step.slug, step.title),
        Kind::Exercise(exercise) => {
            format!("{section} exercise {} {} {title}", exercise.slug, exercise.title)
        }
        Kind::End => format!("{section} end {title}"),
    }
}

/// What was typed, the places around the chosen one, and the keys.
fn drawn(
    stops: &[Stop],
    fitting: &[usize],
    chosen: usize,
    typed: &str,
    room: usize,
    progress: &Progress,
) -> Text {
    let mut text = Text::new();
    let head = Line::new().with(Role::Dim, "go to: ").with(Role::Strong, typed).with(Role::Dim, "_");
    text.line(head);
    let at = fitting.iter().position(|it| *it == chosen).unwrap_or(0);
    let first = at.saturating_sub(room / 2).min(fitting.len().saturating_sub(room));
    for here in fitting.iter().skip(first).take(room) {
        text.line(row(&stops[*here], *here == chosen, progress));
    }
    if fitting.is_empty() {
        text.say(Role::Dim, "  nothing is called so");
    }
    text.say(Role::Dim, format!("{} of {}, type to narrow", fitting.len(), stops.len()));
    text
}

fn row(stop: &Stop, chosen: bool, progress: &Progress) -> Line {
    let mut line = Line::new();
    line.push(Role::Strong, if chosen { "▸ " } else { "  " });
    line.push(Role::Good, if stop.done(progress) { "✓ " } else { "  " });
    line.push(Role::Dim, format!("{}  ", stop.lesson.section));
    let role = if chosen { Role::Strong } else { Role::Prose };
    match stop.kind {
        Kind::Step(step) => {
            line.push(Role::Dim, format!("{:<7}", step.name()));
            line.push(role, &step.slug);
            line.fill(38);
            line.push(Role::Dim, format!("  {}", step.title));
        }
        Kind::Exercise(exercise) => {
            line.push(role, format!("exercise {}", exercise.slug));
            line.fill(38);
            line.push(Role::Dim, format!("  {}", exercise.title));
        }
        Kind::End => line.push(role, format!("the end of {}", stop.lesson.title)),
    }
    line
}

/// Keys and what they do.
pub fn legends(keys: &[(&str, &str)]) -> Vec<KeyLabel> {
    keys.iter().map(|(key, label)| KeyLabel { key: (*key).to_owned(), label: (*label).to_owned() }).collect()
}

/// Lines no wider than the screen: a region that is redrawn must not wrap.
pub fn cut(text: Text, width: usize) -> Text {
    let shorten = |line: Line| {
        let mut kept = Line::new();
        for span in line.spans {
            let room = width.saturating_sub(kept.width());
            let mut part = String::new();
            for letter in span.text.chars() {
                let wider = Line::new().with(span.role, format!("{part}{letter}"));
                if wider.width() > room {
                    break;
                }
                part.push(letter);
            }
            kept.push(span.role, part);
        }
        kept
    };
    Text { lines: text.lines.into_iter().map(shorten).collect() }
}
