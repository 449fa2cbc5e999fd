//! The listing of lessons and steps (`attn list`).

use unicode_width::UnicodeWidthStr;

use crate::lesson::progress::Progress;
use crate::lesson::states::{StepCount, StopState, count};
use crate::lesson::{Course, Lesson};
use crate::view::heat::bar_of;
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::wrap;

/// The lessons of the chapter, and what the learner has done in them.
pub struct Listing<'l> {
    pub course: &'l Course,
    /// The lessons in reading order.
    pub lessons: &'l [&'l Lesson],
    pub progress: &'l Progress,
    /// The number of the lesson where the learner is.
    pub here: usize,
    /// The name of the next step: "stepN".
    pub next: Option<String>,
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

/// How many of these are finished, skipped, wrong and open: `2 finished, 1 skipped`; a count of 0 is left out.
fn counts(states: &[StopState]) -> String {
    let there = StopState::ALL.map(|state| (count(states, state), state));
    let words = there.into_iter().filter(|(count, _)| *count > 0);
    words.map(|(count, state)| format!("{count} {}", state.word())).collect::<Vec<_>>().join(", ")
}

impl Listing<'_> {
    /// The parts of the course, each with its title, its lessons, and how many of their steps were seen.
    fn parts(&self) -> impl Iterator<Item = (&str, &[&Lesson], StepCount)> {
        self.lessons.chunk_by(|_, next| next.part.is_none()).map(|lessons| {
            let title = lessons[0].part.as_deref().unwrap_or(&self.course.title);
            (title, lessons, StepCount::of(lessons, self.progress))
        })
    }

    fn count(&self, lesson: &Lesson) -> StepCount {
        StepCount::of(&[lesson], self.progress)
    }

    /// Whether any of its steps was seen.
    fn is_begun(&self, lesson: &Lesson) -> bool {
        lesson.steps.iter().any(|step| self.progress.done(lesson, step))
    }

    fn exercise_states(&self, lesson: &Lesson) -> Vec<StopState> {
        lesson.exercises.iter().map(|exercise| self.progress.exercise_state(lesson, exercise)).collect()
    }

    /// Whether each step but asides was seen and each exercise passed or skipped.
    fn state(&self, lesson: &Lesson) -> StopState {
        let exercises = self.exercise_states(lesson);
        let count = self.count(lesson);
        match () {
            () if lesson.steps.is_empty() || count.seen < count.steps => StopState::Open,
            () if exercises.iter().all(|state| *state == StopState::Finished) => StopState::Finished,
            () if exercises.contains(&StopState::Wrong) => StopState::Wrong,
            () if exercises.contains(&StopState::Open) => StopState::Open,
            () => StopState::Skipped,
        }
    }

    /// The exercises and questions in words; nothing before the learner has begun.
    fn practice(&self, lesson: &Lesson) -> Vec<(String, StopState)> {
        let exercises = self.exercise_states(lesson);
        let questions = self.progress.questions(lesson);
        let questions: Vec<StopState> =
            questions.map(|(step, asked)| self.progress.question_state(lesson, step, asked)).collect();
        let is_open = |state: &StopState| *state == StopState::Open;
        if !self.is_begun(lesson) && exercises.iter().chain(&questions).all(is_open) {
            return Vec::new();
        }
        let named = lesson.exercises.iter().zip(exercises);
        let mut lines: Vec<(String, StopState)> = named
            .map(|(exercise, state)| (format!("exercise {}: {}", exercise.slug, state.word()), state))
            .collect();
        let worst = [StopState::Wrong, StopState::Open, StopState::Skipped, StopState::Finished];
        if let Some(state) = worst.into_iter().find(|state| questions.contains(state)) {
            lines.push((format!("questions: {}", counts(&questions)), state));
        }
        lines
    }
}

/// How many exercises a lesson has, and how long it takes.
fn extent(lesson: &Lesson) -> String {
    let exercises = match lesson.exercises.len() {
        0 => String::new(),
        1 => "1 exercise  ".to_string(),
        more => format!("{more} exercises  "),
    };
    format!("{exercises}{} min", lesson.minutes)
}

/// The parts of the course: progress, each lesson with its length; and the next step. With `steps` the steps are listed under
/// their lessons.
pub fn list(listing: &Listing<'_>, steps: bool, look: Look) -> Text {
    if look.plain {
        return plain_list(listing, steps, look);
    }
    let width = look.text_width();
    let sections = listing.lessons.iter().map(|l| l.number.to_string().width()).max().unwrap_or(0);
    let mut text = Text::new();
    for (title, lessons, all) in listing.parts() {
        text.section(heading(title, all, width));
        for lesson in lessons {
            text.append(row(listing, lesson, sections, width));
            if steps {
                text.append(step_names(listing, lesson, 6 + sections, look));
                for (words, state) in listing.practice(lesson) {
                    let (mark, role) = self::mark(state);
                    let first = Line::spaces(if look.width < 60 { 4 } else { 6 + sections })
                        .with(role, format!("{mark} "));
                    text.append(wrap((Role::Prose, words), look.text_width(), &first, first.width()));
                }
            }
        }
    }
    if steps && listing.lessons.iter().any(|lesson| !listing.practice(lesson).is_empty()) {
        text.gap();
        text.append(wrap(signs(), width, 2, 2));
    }
    if let Some(next) = &listing.next {
        text.gap();
        let mut line = Line::new().with(Role::Prose, "  next: ").with(Role::Strong, next);
        line.push(Role::Dim, format!("   {}", listing.course.command("learn", "")));
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
fn row(listing: &Listing<'_>, lesson: &Lesson, sections: usize, width: usize) -> Text {
    let is_current = lesson.number == listing.here;
    let mut left = Line::spaces(2);
    let (mark, role) = match (listing.state(lesson), is_current) {
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
    let section = lesson.book_section();
    if !section.is_empty() {
        left.push(Role::Dim, format!("  {section}"));
    }
    let count = listing.count(lesson).brief();
    let mut right = Line::new().with(Role::Dim, format!("{count:>13}"));
    right.push(Role::Dim, format!("  {:>20}", extent(lesson)));
    if left.width() + 2 + right.width() > width {
        let words = format!("{count}  {}", extent(lesson));
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
fn step_names(listing: &Listing<'_>, lesson: &Lesson, indent: usize, look: Look) -> Text {
    let indent = if look.width < 60 { 4 } else { indent };
    let names = lesson.steps.iter().map(|s| s.slug.width()).max().unwrap_or(0);
    let is_begun = listing.is_begun(lesson);
    let marks = if is_begun { 2 } else { 0 };
    let each = marks + 8 + names + 2;
    let across = (look.text_width().saturating_sub(indent) / each).max(1);
    let mut text = Text::new();
    for row in lesson.steps.chunks(across) {
        let mut line = Line::spaces(indent);
        for (at, step) in row.iter().enumerate() {
            line.fill(indent + at * each);
            let (mark, role) = mark(listing.progress.step_state(lesson, step));
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

fn plain_list(listing: &Listing<'_>, steps: bool, look: Look) -> Text {
    let mut text = Text::new();
    let mut say = |words: String| {
        text.append(wrap((Role::Prose, words), look.width, 0, 2));
    };
    for (title, lessons, all) in listing.parts() {
        say(format!("{}, {} done", title.replace("  ", ", "), all.seen_of_all()));
        for lesson in lessons {
            let extent = extent(lesson).replace("  ", ", ");
            let section = match lesson.book_section() {
                "" => String::new(),
                section => format!(" ({section})"),
            };
            let heading = format!("lesson {}, {}{section}", lesson.number, lesson.title);
            say(format!("{}: {} done, {extent}", heading, listing.count(lesson).seen_of_all()));
            for step in lesson.steps.iter().filter(|_| steps) {
                let done = if listing.progress.done(lesson, step) { ", done" } else { "" };
                say(format!("step{} {}{done}", step.number, step.slug));
            }
            for (words, _) in listing.practice(lesson).into_iter().filter(|_| steps) {
                say(words);
            }
        }
    }
    if let Some(next) = &listing.next {
        say(format!("next: {next}, with: {}", listing.course.command("learn", "")));
    }
    text
}
