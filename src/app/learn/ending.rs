//! The page at the end of a lesson and of a part: what was learned, how the questions went, what comes next.

use super::super::commands::review;
use super::super::learner::stops::{self, Stop, StopKind};
use super::super::learner::summary;
use super::super::terminal::shell::Failure;
use super::walk::Walk;
use crate::lesson::Lesson;
use crate::lesson::exercise::RightAnswer;
use crate::lesson::progress::Progress;
use crate::lesson::states::{StepCount, StopState};
use crate::view::Text;
use crate::view::learn::{Ending, ending};
use crate::view::quantity::counted;

impl Walk<'_, '_, '_> {
    /// The page at the end of a lesson; after the last one of a part, of that part.
    pub(super) fn ending(&self, lesson: &Lesson) -> Result<Text, Failure> {
        let progress = self.store.progress();
        let (due, _) = review::due_and_later(self.catalogue, progress, review::today())?;
        let after = stops::after(&self.stops, self.at, self.all).map(|at| &self.stops[at]);
        let ends_part = lesson.number == lesson.lessons;
        let course = self.catalogue.course();
        // The chapter is the first part of its course.
        let noun = if after.is_some() { course.noun } else { "course" };
        let next = match after {
            Some(stop) if !ends_part => {
                let missed = match self.missed(&due).len() {
                    0 => String::new(),
                    many => format!(
                        "`m` asks again {} with choices: what was not right at the first try, or was skipped.{}\n\n",
                        counted(many, "question"),
                        if others_wait(lesson, progress) {
                            " The others wait in their steps: `l` goes there."
                        } else {
                            ""
                        },
                    ),
                };
                missed + &next(stop, progress)
            }
            _ => {
                let part = after.map_or_else(String::new, |stop| {
                    let title = stop.lesson.part.as_deref().unwrap_or_default();
                    format!("\n\n**{title}.** {}", next(stop, progress))
                });
                format!(
                    "That was the {}. `{}` writes it with your answers and every calculation as a page for a \
                     browser, to keep or to share, and `{}` a summary as text.\n\n{}{part}",
                    noun,
                    course.command("export", "-o page.html"),
                    course.command("export", "-o summary.md"),
                    self.left_to_do(due.len()),
                )
            }
        };
        let mut figures = summary::results(&[lesson], progress);
        if ends_part {
            let all = summary::of_course(self.catalogue, lesson.number, progress);
            figures.extend(all.into_iter().map(|(name, figure)| (format!("{name}, {noun}"), figure)));
        }
        let made = Ending {
            place: self.lesson_place(),
            summary: unread_recap(lesson, progress).unwrap_or(&lesson.summary).to_owned(),
            left: left(lesson, progress, self.all),
            results: figures,
            next,
        };
        Ok(ending(&made, self.shell.look))
    }

    /// The lessons up to here of which steps were not seen.
    fn unread_lessons(&self) -> Vec<String> {
        let progress = self.store.progress();
        let is_open = |stop: &&Stop| {
            let count = StepCount::of(&[stop.lesson], progress);
            matches!(stop.kind, StopKind::End)
                && stop.lesson.number <= self.stop().lesson.number
                && count.seen < count.steps
        };
        let open: Vec<usize> = self.stops.iter().filter(is_open).map(|stop| stop.lesson.number).collect();
        let named = |run: &[usize]| match run {
            [first, .., last] => format!("lessons {first} to {last}"),
            _ => format!("lesson {}", run[0]),
        };
        open.chunk_by(|a, b| a + 1 == *b).map(named).collect()
    }

    /// What is left to do at the end of a part, and the keys for it; `due` questions can be reviewed.
    fn left_to_do(&self, due: usize) -> String {
        let is_open = |stop: &&Stop| {
            matches!(stop.kind, StopKind::Exercise(_))
                && stop.lesson.number <= self.stop().lesson.number
                && stop.state(self.store.progress()) != Some(StopState::Finished)
        };
        let open: Vec<&Stop> = self.stops.iter().filter(is_open).collect();
        let mut words = String::new();
        let unread = self.unread_lessons();
        if !unread.is_empty() {
            words.push_str(&format!("Not read to the end: {}; `l` goes there. ", unread.join(", ")));
        }
        if !open.is_empty() {
            let names: Vec<String> = open.iter().take(6).map(|stop| format!("`{}`", stop.slug())).collect();
            let more = if open.len() > names.len() { ", ..." } else { "" };
            words.push_str(&format!(
                "{} open: {}{more}; `l` goes there. ",
                counted(open.len(), "exercise"),
                names.join(", ")
            ));
        }
        if due > 0 {
            let review = self.catalogue.course().command("review", "");
            words.push_str(&format!("{} due: `m`, or `{review}` on any day. ", counted(due, "question")));
        }
        if self.has_faq() {
            words.push_str("`f` answers what readers ask most. ");
        }
        words
    }
}

/// The steps of a lesson that were not seen, of asides only if `all` are walked, the questions that were missed or skipped,
/// and the exercises that are open.
fn left(lesson: &Lesson, progress: &Progress, all: bool) -> Vec<(StopState, String)> {
    let mut left = Vec::new();
    for step in &lesson.steps {
        if !progress.done(lesson, step) && (all || !step.aside) {
            let title = if step.title.is_empty() { &step.slug } else { &step.title };
            left.push((StopState::Open, title.clone()));
        }
        for (_, asked) in progress.questions(lesson).filter(|(at, _)| at.number == step.number) {
            let state = progress.question_state(lesson, step, asked);
            if matches!(state, StopState::Wrong | StopState::Skipped) {
                left.push((state, format!("{} ({})", asked.ask.trim_end_matches(':'), step.name())));
            }
        }
    }
    for exercise in &lesson.exercises {
        let state = progress.exercise_state(lesson, exercise);
        if state != StopState::Finished {
            left.push((state, exercise.heading()));
        }
    }
    left
}

/// What sums up the lesson, if the learner left out the exercise that it stands under.
fn unread_recap<'l>(lesson: &'l Lesson, progress: &Progress) -> Option<&'l str> {
    let last = lesson.exercises.last()?;
    let read = progress.tried(lesson, last).is_some_and(|tried| tried.passed.is_some() || tried.solution);
    Some(last.recap()).filter(|recap| !read && !recap.is_empty())
}

/// Whether a question without choices was missed or skipped: it needs the state of its step, so it cannot be asked here.
fn others_wait(lesson: &Lesson, progress: &Progress) -> bool {
    progress.questions(lesson).any(|(step, asked)| {
        !matches!(asked.answer, RightAnswer::Choice(_))
            && matches!(progress.question_state(lesson, step, asked), StopState::Wrong | StopState::Skipped)
    })
}

/// What comes next, in a sentence.
fn next(stop: &Stop, progress: &Progress) -> String {
    let Lesson { summary, minutes, .. } = stop.lesson;
    let count = StepCount::of(&[stop.lesson], progress).extent();
    format!("**Next: {}**, {count}, about {minutes} minutes. {summary}", stop.lesson.place())
}
