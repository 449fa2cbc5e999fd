//! The course is addressed by names: explanations are the same with a new first lesson, which shifts the number of every
//! step.

use crate::course::passes_with_a_new_first_lesson;

#[test]
fn a_new_first_lesson_changes_no_explanation() {
    passes_with_a_new_first_lesson(&["what_if::", "trace::", "why::"], "a_new_first_lesson");
}
