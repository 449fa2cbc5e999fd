//! The learner's results in words, of one lesson and of the chapter.

use crate::lesson::progress::{Progress, Tally};
use crate::lesson::{Catalogue, Lesson};

/// The results of a lesson: a name and a sentence each.
pub(crate) fn of_lesson(lesson: &Lesson, progress: &Progress) -> Vec<(String, String)> {
    let seen = steps_seen(lesson, progress);
    let steps = ("steps seen".to_owned(), format!("{seen} of {}", steps(lesson, progress)));
    [steps].into_iter().chain(of_tally(&progress.tally(lesson))).collect()
}

/// The results of the chapter.
pub(crate) fn of_chapter(catalogue: &Catalogue, progress: &Progress) -> Vec<(String, String)> {
    let (mut seen, mut all, mut sum) = (0, 0, Tally::default());
    for lesson in catalogue.lessons().flatten() {
        let tally = progress.tally(lesson);
        seen += steps_seen(lesson, progress);
        all += self::steps(lesson, progress);
        sum.questions += tally.questions;
        sum.at_once += tally.at_once;
        sum.later += tally.later;
        sum.exercises += tally.exercises;
        sum.passed += tally.passed;
    }
    let steps = ("steps seen".to_owned(), format!("{seen} of {all}"));
    [steps].into_iter().chain(of_tally(&sum)).collect()
}

fn steps_seen(lesson: &Lesson, progress: &Progress) -> usize {
    lesson.steps.iter().filter(|step| progress.done(lesson, step)).count()
}

/// The steps of a lesson without the asides that were left out.
fn steps(lesson: &Lesson, progress: &Progress) -> usize {
    lesson.steps.iter().filter(|step| !step.is_optional() || progress.done(lesson, step)).count()
}

fn of_tally(tally: &Tally) -> Vec<(String, String)> {
    let Tally { questions, at_once, later, exercises, passed } = *tally;
    let mut results = Vec::new();
    if questions > 0 {
        let mut words = format!("{at_once} of {questions} right at the first try");
        if later > 0 {
            words.push_str(&format!(", {later} after others"));
        }
        let open = questions - at_once - later;
        if open > 0 {
            words.push_str(&format!(", {open} without a right answer"));
        }
        results.push(("predictions".to_owned(), words));
    }
    if exercises > 0 {
        results.push(("exercises".to_owned(), format!("{passed} of {exercises} passed")));
    }
    results
}
