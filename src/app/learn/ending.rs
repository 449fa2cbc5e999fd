//! The end of a lesson and of the chapter: what was learned, how the questions went, what comes next.
//! Progress and catalogue in, text out.

use super::stops::{Kind, Stop};
use super::walk::Walk;
use crate::lesson::Lesson;
use crate::lesson::progress::{Progress, Tally};
use crate::view::Text;
use crate::view::learn::{Ending, ending};

impl Walk<'_, '_, '_> {
    /// The page at the end of a lesson; after the last one, of the chapter.
    pub(super) fn ending(&self, lesson: &Lesson) -> Text {
        let progress = self.store.progress();
        let after = self.stops[self.at() + 1..].first();
        let next = match after {
            Some(stop) => next(stop),
            None => {
                "That was the chapter. `attn export -o summary.md` writes a page of it, with your answers, \
                 into a file; `attn list` shows what is left open."
                    .to_owned()
            }
        };
        let mut figures = figures(lesson, progress);
        if after.is_none() {
            figures.extend(in_all(&self.stops, progress));
        }
        let made = Ending {
            section: lesson.section.clone(),
            title: lesson.title.clone(),
            summary: lesson.summary.clone(),
            headings: headings(lesson, progress),
            results: figures,
            next,
        };
        ending(&made, self.shell.look)
    }
}

/// The headings of a lesson's steps, and whether they were seen.
fn headings(lesson: &Lesson, progress: &Progress) -> Vec<(String, bool)> {
    let titled = lesson.steps.iter().filter(|step| !step.title.is_empty());
    titled.map(|step| (step.title.clone(), progress.done(lesson, step))).collect()
}

fn next(stop: &Stop) -> String {
    let Lesson { section, title, summary, minutes, steps, .. } = stop.lesson;
    let count = match steps.len() {
        1 => "one step".to_owned(),
        many => format!("{many} steps"),
    };
    format!("**Next: {section} {title}**, {count}, about {minutes} minutes. {summary}")
}

/// The learner's figures of a lesson.
pub fn figures(lesson: &Lesson, progress: &Progress) -> Vec<(String, String)> {
    let seen = lesson.steps.iter().filter(|step| progress.done(lesson, step)).count();
    let steps = ("steps seen".to_owned(), format!("{seen} of {}", lesson.steps.len()));
    [steps].into_iter().chain(of_tally(&progress.tally(lesson))).collect()
}

fn of_tally(tally: &Tally) -> Vec<(String, String)> {
    let Tally { questions, at_once, later, exercises, passed } = *tally;
    let mut figures = Vec::new();
    if questions > 0 {
        let mut words = format!("{at_once} of {questions} right at the first try");
        if later > 0 {
            words.push_str(&format!(", {later} after others"));
        }
        let open = questions - at_once - later;
        if open > 0 {
            words.push_str(&format!(", {open} not answered"));
        }
        figures.push(("predictions".to_owned(), words));
    }
    if exercises > 0 {
        figures.push(("exercises".to_owned(), format!("{passed} of {exercises} passed")));
    }
    figures
}

/// The learner's figures of the chapter.
pub fn in_all(stops: &[Stop], progress: &Progress) -> Vec<(String, String)> {
    let lessons: Vec<&Lesson> =
        stops.iter().filter(|stop| matches!(stop.kind, Kind::End)).map(|stop| stop.lesson).collect();
    let steps = lessons.iter().map(|lesson| lesson.steps.len()).sum::<usize>();
    let done = |lesson: &&Lesson| lesson.steps.iter().filter(|step| progress.done(lesson, step)).count();
    let seen: usize = lessons.iter().map(done).sum();
    let mut all = Tally::default();
    for tally in lessons.iter().map(|lesson| progress.tally(lesson)) {
        all.questions += tally.questions;
        all.at_once += tally.at_once;
        all.later += tally.later;
        all.exercises += tally.exercises;
        all.passed += tally.passed;
    }
    let name = |(name, figure): (String, String)| (format!("{name}, chapter"), figure);
    let steps = ("steps seen".to_owned(), format!("{seen} of {steps}"));
    [steps].into_iter().chain(of_tally(&all)).map(name).collect()
}
