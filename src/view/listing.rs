//! The listing of lessons and steps (`attn list`).

use unicode_width::UnicodeWidthStr;

use crate::lesson::states::{StepCount, StopState, count};
use crate::view::heat::bar_of;
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::wrap;

/// The lessons of the chapter.
#[derive(Clone, Default, PartialEq)]
pub struct Listing {
    /// "chapter 3  Attention".
    pub title: String,
    /// The lessons in reading order.
    pub lessons: Vec<ListedLesson>,
    /// The number of the lesson where the learner is.
    pub here: usize,
    /// The name of the next step: "stepN".
    pub next: Option<String>,
    /// The command that goes on there: "attn learn".
    pub learn: String,
}

#[derive(Clone, Default, PartialEq)]
pub struct ListedLesson {
    pub number: usize,
    /// The title of the part that begins with it.
    pub part: Option<String>,
    /// The section as the chapter numbers it.
    pub section: String,
    pub title: String,
    /// How many minutes it takes to read.
    pub minutes: u32,
    pub exercises: Vec<ListedStop>,
    /// Its questions before cells run, in order.
    pub questions: Vec<StopState>,
    pub steps: Vec<ListedStep>,
}

#[derive(Clone, Default, PartialEq)]
pub struct ListedStep {
    pub number: usize,
    /// Its stable name.
    pub slug: String,
    pub done: bool,
    /// An aside, which is counted apart.
    pub aside: bool,
}

impl Listing {
    /// The parts of the course, each with its title, its lessons, and how many of their steps were seen.
    fn parts(&self) -> impl Iterator<Item = (&str, &[ListedLesson], StepCount)> {
        self.lessons.chunk_by(|_, next| next.part.is_none()).map(|lessons| {
            let title = lessons[0].part.as_deref().unwrap_or(&self.title);
            (title, lessons, lessons.iter().map(ListedLesson::count).sum())
        })
    }
}

/// The mark of the place where the learner is.
pub(crate) const HERE: (&str, Role) = ("▸", Role::Strong);

/// The mark of a state, the same on all screens.
pub(crate) fn mark(state: StopState) -> (&'static str, Role) {
    match state {
        StopState::Finished => ("✓", Role::Good),
        StopState::Skipped => ("–", Role::Dim),
        StopState::Wrong => ("✗", Role::Bad),
        StopState::Open => ("·", Role::Dim),
    }
}

/// A step, a question or an exercise of a lesson that is listed in full.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ListedStop {
    /// What it is and its name: `stepN scores`, `exercise another-query`; empty for a question.
    pub name: String,
    /// Its title, or the question (Markdown).
    pub title: String,
    /// What the learner has done.
    pub state: StopState,
}

/// How many of these are finished, skipped, wrong and open: `2 finished, 1 skipped`; a count of 0 is left out.
fn counts(states: &[StopState]) -> String {
    let there = StopState::ALL.map(|state| (count(states, state), state));
    let words = there.into_iter().filter(|(count, _)| *count > 0);
    words.map(|(count, state)| format!("{count} {}", state.word())).collect::<Vec<_>>().join(", ")
}

impl ListedLesson {
    /// Whether each step was seen and each exercise passed or skipped.
    fn state(&self) -> StopState {
        let exercises = || self.exercises.iter().map(|exercise| exercise.state);
        match () {
            () if self.steps.is_empty() || !self.is_seen() => StopState::Open,
            () if exercises().all(|state| state == StopState::Finished) => StopState::Finished,
            () if exercises().any(|state| state == StopState::Wrong) => StopState::Wrong,
            () if exercises().any(|state| state == StopState::Open) => StopState::Open,
            () => StopState::Skipped,
        }
    }

    /// The exercises and questions in words; nothing before the learner has begun.
    fn practice(&self) -> Vec<(String, StopState)> {
        let begun = self.steps.iter().any(|step| step.done)
            || self.exercises.iter().any(|exercise| exercise.state != StopState::Open)
            || self.questions.iter().any(|state| *state != StopState::Open);
        if !begun {
            return Vec::new();
        }
        let exercise =
            |exercise: &ListedStop| (format!("{}: {}", exercise.name, exercise.state.word()), exercise.state);
        let mut lines: Vec<(String, StopState)> = self.exercises.iter().map(exercise).collect();
        if !self.questions.is_empty() {
            let worst = [StopState::Wrong, StopState::Open, StopState::Skipped, StopState::Finished];
            let state = worst.into_iter().find(|state| self.questions.contains(state));
            lines.push((format!("questions: {}", counts(&self.questions)), state.unwrap_or_default()));
        }
        lines
    }

    fn count(&self) -> StepCount {
        self.steps.iter().map(|step| StepCount::one(step.aside, step.done)).sum()
    }

    /// Whether all its steps were seen; its asides may be left out.
    fn is_seen(&self) -> bool {
        let count = self.count();
        count.seen == count.steps
    }

    fn extent(&self) -> String {
        let exercises = match self.exercises.len() {
            0 => String::new(),
            1 => "1 exercise  ".to_string(),
            more => format!("{more} exercises  "),
        };
        format!("{exercises}{} min", self.minutes)
    }
}

/// The parts of the course: progress, each lesson with its length; and the next step. With `steps` the steps are listed under
/// their lessons.
pub fn list(listing: &Listing, steps: bool, look: Look) -> Text {
    if look.plain {
        return plain_list(listing, steps, look);
    }
    let width = look.text_width();
    let sections = listing.lessons.iter().map(|l| l.number.to_string().width()).max().unwrap_or(0);
    let mut text = Text::new();
    for (title, lessons, all) in listing.parts() {
        text.section(heading(title, all, width));
        for lesson in lessons {
            text.append(row(lesson, lesson.number == listing.here, sections, width));
            if steps {
                text.append(step_names(lesson, 6 + sections, look));
                for (words, state) in lesson.practice() {
                    let (mark, role) = self::mark(state);
                    let first = Line::spaces(if look.width < 60 { 4 } else { 6 + sections })
                        .with(role, format!("{mark} "));
                    text.append(wrap((Role::Prose, words), look.text_width(), &first, first.width()));
                }
            }
        }
    }
    if steps && listing.lessons.iter().any(|lesson| !lesson.practice().is_empty()) {
        text.gap();
        text.append(wrap(signs(), width, 2, 2));
    }
    if let Some(next) = &listing.next {
        text.gap();
        let mut line = Line::new().with(Role::Prose, "  next: ").with(Role::Strong, next);
        line.push(Role::Dim, format!("   {}", listing.learn));
        text.line(line);
    }
    text
}

/// The title of a part and how much of it was seen.
fn heading(title: &str, all: StepCount, width: usize) -> Text {
    let words = all.seen_of_all();
    let mut right = Line::new().with(Role::Dim, format!("{words}  "));
    let columns = width.saturating_sub(words.width() + 2).min(12);
    let level = all.seen as f64 / all.steps.max(1) as f64;
    let bar = bar_of(level, columns);
    let rest = columns.saturating_sub(bar.width());
    right.push(Role::Good, bar);
    right.push(Role::Dim, "░".repeat(rest));
    ends(Line::new().with(Role::Title, title), right, width)
}

/// A lesson with its length; `sections` is the width of the longest number.
fn row(lesson: &ListedLesson, is_current: bool, sections: usize, width: usize) -> Text {
    let mut left = Line::spaces(2);
    let (mark, role) = match (lesson.state(), is_current) {
        (_, true) => HERE,
        (StopState::Open, false) => (" ", Role::Prose),
        (state, _) => self::mark(state),
    };
    left.push(role, format!("{mark} "));
    let number = lesson.number.to_string();
    left.fill(4 + sections - number.width());
    left.push(Role::Dim, number);
    left.fill(6 + sections);
    left.push(if is_current { Role::Strong } else { Role::Prose }, &lesson.title);
    if !lesson.section.is_empty() {
        left.push(Role::Dim, format!("  {}", lesson.section));
    }
    let count = lesson.count().brief();
    let mut right = Line::new().with(Role::Dim, format!("{count:>13}"));
    right.push(Role::Dim, format!("  {:>20}", lesson.extent()));
    if left.width() + 2 + right.width() > width {
        let words = format!("{count}  {}", lesson.extent());
        let indent = (6 + sections).min((width.saturating_sub(words.width())).max(4));
        right = Line::spaces(indent).with(Role::Dim, words);
    }
    ends(left, right, width)
}

/// What the signs before lessons, exercises and questions mean.
pub(crate) fn signs() -> Line {
    let mut line = Line::new();
    let states = StopState::ALL.map(|state| (mark(state), state.word()));
    for ((mark, role), word) in states.into_iter().chain([(HERE, "you are here")]) {
        if !line.spans.is_empty() {
            line.push(Role::Prose, "   ");
        }
        line.push(role, mark);
        line.push(Role::Dim, unbroken(&format!(" {word}")));
    }
    line
}

/// `left` and `right` on one line if they fit, else on two.
fn ends(left: Line, right: Line, width: usize) -> Text {
    if let Some(line) = left.ending_in(right.clone(), width) {
        return Text { lines: vec![line] };
    }
    let mut text = wrap(&left, width, 0, 4);
    text.line(right);
    text
}

/// The steps of a lesson in columns: number and name, and the mark of each once one of them is done.
fn step_names(lesson: &ListedLesson, indent: usize, look: Look) -> Text {
    let indent = if look.width < 60 { 4 } else { indent };
    let names = lesson.steps.iter().map(|s| s.slug.width()).max().unwrap_or(0);
    let is_begun = lesson.steps.iter().any(|step| step.done);
    let marks = if is_begun { 2 } else { 0 };
    let each = marks + 8 + names + 2;
    let across = (look.text_width().saturating_sub(indent) / each).max(1);
    let mut text = Text::new();
    for row in lesson.steps.chunks(across) {
        let mut line = Line::spaces(indent);
        for (at, step) in row.iter().enumerate() {
            line.fill(indent + at * each);
            let (mark, role) = mark(if step.done { StopState::Finished } else { StopState::Open });
            if is_begun {
                line.push(role, format!("{mark} "));
            }
            line.push(role, format!("{:<8}", format!("step{}", step.number)));
            line.push(Role::Prose, &step.slug);
        }
        text.append(wrap(&line, look.width, 0, indent + marks + 8));
    }
    text
}

fn plain_list(listing: &Listing, steps: bool, look: Look) -> Text {
    let mut text = Text::new();
    let mut say = |words: String| {
        text.append(wrap((Role::Prose, words), look.width, 0, 2));
    };
    for (title, lessons, all) in listing.parts() {
        say(format!("{}, {} done", title.replace("  ", ", "), all.seen_of_all()));
        for lesson in lessons {
            let extent = lesson.extent().replace("  ", ", ");
            let section = match lesson.section.is_empty() {
                true => String::new(),
                false => format!(" ({})", lesson.section),
            };
            let heading = format!("lesson {}, {}{section}", lesson.number, lesson.title);
            say(format!("{}: {} done, {extent}", heading, lesson.count().seen_of_all()));
            for step in lesson.steps.iter().filter(|_| steps) {
                let done = if step.done { ", done" } else { "" };
                say(format!("step{} {}{done}", step.number, step.slug));
            }
            for (words, _) in lesson.practice().into_iter().filter(|_| steps) {
                say(words);
            }
        }
    }
    if let Some(next) = &listing.next {
        say(format!("next: {next}, with: {}", listing.learn));
    }
    text
}
