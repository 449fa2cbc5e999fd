//! The course is addressed by names: every transcript is the same with a new first lesson, which shifts
//! the number of every step.

use crate::course::passes_with_a_new_first_lesson;

#[test]
fn a_new_first_lesson_changes_no_transcript() {
    passes_with_a_new_first_lesson(&["cli::"], "a_new_first_lesson");
}
