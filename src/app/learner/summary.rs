//! The learner's results in words, of one lesson and of the course.

use crate::lesson::progress::Progress;
use crate::lesson::states::{StepCount, StopState, Tally, count};
use crate::lesson::{Catalogue, Lesson};

/// The results of the first lessons of the course, as many as `count`.
pub(crate) fn of_course(catalogue: &Catalogue, count: usize, progress: &Progress) -> Vec<(String, String)> {
    results(&catalogue.lessons().take(count).flatten().collect::<Vec<_>>(), progress)
}

/// The results of lessons: a name and a sentence each.
pub(crate) fn results(lessons: &[&Lesson], progress: &Progress) -> Vec<(String, String)> {
    let steps = StepCount::of(lessons, progress);
    let Tally { questions, at_once, blanks, exercises } = &progress.tally(lessons);
    let mut results = vec![("seen".to_owned(), steps.seen_of_all())];
    if !questions.is_empty() {
        let later = count(questions, StopState::Finished) - at_once;
        let on_later = if later > 0 { format!(", {later} on a later try") } else { String::new() };
        let first = format!("{at_once} of {} right at the first try{on_later}", questions.len());
        results.push(("predictions".to_owned(), first + &others(questions)));
    }
    for (name, states) in [("lines of code", blanks), ("exercises", exercises)] {
        if !states.is_empty() {
            let passed = count(states, StopState::Finished);
            let first = format!("{passed} of {} passed", states.len());
            results.push((name.to_owned(), first + &others(states)));
        }
    }
    results
}

/// How many are not finished, by their state: `, 2 skipped, 1 open`.
fn others(states: &[StopState]) -> String {
    let unfinished = StopState::ALL.into_iter().filter(|state| *state != StopState::Finished);
    let there = unfinished.map(|state| (count(states, state), state)).filter(|(count, _)| *count > 0);
    there.map(|(count, state)| format!(", {count} {}", state.word())).collect()
}
