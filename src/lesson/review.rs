//! Questions that come again, from the steps that a learner has met; the ones that are due come first.

use super::catalogue::Catalogue;
use super::exercise::{Prediction, RightAnswer};
use super::fault::Fault;
use super::progress::Progress;
use super::step::{Lesson, Step};

/// A question that can be asked again. It has choices, so no cell has to run before it.
#[derive(Clone, Copy)]
pub(crate) struct ReviewQuestion<'c> {
    pub(crate) lesson: &'c Lesson,
    pub(crate) step: &'c Step,
    pub(crate) asked: &'c Prediction,
    /// The day on which it is due, counted from 1970-01-01; 0 if it was never reviewed.
    pub(crate) due: u64,
    /// Whether the newest answer in the walkthrough or in a review was right.
    pub(crate) known: bool,
}

/// The questions with choices of all steps that the learner has met: those that are due longest first, and among equals
/// those that were last answered wrongly. Errors: a fault in a lesson.
pub(crate) fn questions<'c>(
    catalogue: &'c Catalogue,
    progress: &Progress,
) -> Result<Vec<ReviewQuestion<'c>>, Fault> {
    let mut all = Vec::new();
    for lesson in catalogue.lessons() {
        let lesson = lesson?;
        for step in &lesson.steps {
            let Some(seen) = progress.seen(lesson, step) else { continue };
            for asked in &step.predictions {
                let given = seen.predictions.get(&asked.ask);
                let has_choices = matches!(asked.answer, RightAnswer::Choice(_));
                // A question that goes back to an earlier step repeats what that step asks.
                if !has_choices || asked.review.is_some() || !(seen.done || given.is_some()) {
                    continue;
                }
                let reviewed = given.and_then(|given| given.review.as_ref());
                let known = match reviewed {
                    Some(reviewed) => reviewed.streak > 0,
                    None => given.and_then(|given| given.answers.first()).is_some_and(|first| first.right),
                };
                let due = reviewed.map_or(0, |reviewed| reviewed.due);
                all.push(ReviewQuestion { lesson, step, asked, due, known });
            }
        }
    }
    all.sort_by_key(|question| (question.due, question.known));
    Ok(all)
}

/// The reply to a right answer as a statement, without the "Yes" that replies to an answer.
pub fn as_statement(right: &str) -> String {
    let rest = right.strip_prefix("Yes").map(|rest| rest.trim_start_matches([':', ',', '.', ' ']));
    let rest = rest.unwrap_or(right);
    // `exp(a + 1)` is the name of a function, not a word, and w a number.
    let mut words = rest.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_article = first == "a" && second.starts_with(char::is_alphabetic);
    if first.contains(['(', '_', '[']) || first.chars().count() == 1 && !is_article {
        return rest.to_owned();
    }
    let mut letters = rest.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
