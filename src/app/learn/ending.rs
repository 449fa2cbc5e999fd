//! The page at the end of a lesson and of the chapter: what was learned, how the questions went, what comes next.

use super::super::stops::{self, Stop};
use super::super::summary;
use super::walk::Walk;
use crate::lesson::Lesson;
use crate::lesson::progress::Progress;
use crate::lesson::states::StepCount;
use crate::view::Text;
use crate::view::learn::{Ending, ending};

impl Walk<'_, '_, '_> {
    /// The page at the end of a lesson; after the last one, of the chapter.
    pub(super) fn ending(&self, lesson: &Lesson) -> Text {
        let progress = self.store.progress();
        let after = stops::after(&self.stops, self.at(), self.all).map(|at| &self.stops[at]);
        let next = match after {
            Some(stop) => next(stop, progress),
            None => {
                let course = self.catalogue.course();
                format!(
                    "That was the {}. `{}` writes it with your answers and every calculation as a page for a \
                     browser, to keep or to share, and `{}` a summary as text; `{}` shows what is left open.",
                    course.noun,
                    course.command("export", "-o page.html"),
                    course.command("export", "-o summary.md"),
                    course.command("list", ""),
                )
            }
        };
        let mut figures = summary::of_lesson(lesson, progress);
        if after.is_none() {
            let noun = self.catalogue.course().noun;
            let all = summary::of_chapter(self.catalogue, progress);
            figures.extend(all.into_iter().map(|(name, figure)| (format!("{name}, {noun}"), figure)));
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

/// The headings of a lesson's steps, each with whether the learner has seen it.
fn headings(lesson: &Lesson, progress: &Progress) -> Vec<(String, bool)> {
    let titled = lesson.steps.iter().filter(|step| !step.title.is_empty());
    let all = titled.map(|step| (step, progress.done(lesson, step)));
    all.map(|(step, done)| (step.title.clone(), done)).collect()
}

/// What comes next, in a sentence.
fn next(stop: &Stop, progress: &Progress) -> String {
    let Lesson { summary, minutes, .. } = stop.lesson;
    let count = StepCount::of(stop.lesson, progress).extent();
    format!("**Next: {}**, {count}, about {minutes} minutes. {summary}", stop.lesson.heading())
}
