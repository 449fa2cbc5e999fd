//! The lessons that the tests run on.

use std::path::Path;

use attn::lesson::{Catalogue, Step, Target};

/// The lessons in the folder `ATTN_LESSONS`, or those inside the program if it is not set.
pub fn catalogue() -> Catalogue {
    match std::env::var_os("ATTN_LESSONS") {
        Some(folder) => Catalogue::open(Path::new(&folder)).unwrap_or_else(|fault| panic!("{fault}")),
        None => Catalogue::new(),
    }
}

/// The number of a step in the course.
#[allow(dead_code)] // not all tests speak of it
pub fn number(slug: &str) -> usize {
    match catalogue().find(slug) {
        Ok(Target::Step(step, _)) => step.number,
        other => panic!("{slug}: {other:?}"),
    }
}

/// The place of a step in its lesson as the walkthrough shows it, `3 of 13`.
#[allow(dead_code)] // only screens show it
pub fn position(slug: &str) -> String {
    let catalogue = catalogue();
    let Ok(Target::Step(step, lesson)) = catalogue.find(slug) else { panic!("{slug} is no step") };
    let is_counted = |step: &&Step| !step.title.starts_with("Aside:");
    let all = lesson.steps.iter().filter(is_counted).count() + lesson.exercises.len();
    let steps = lesson.steps.iter().take_while(|it| it.number <= step.number).filter(is_counted).count();
    let exercises =
        lesson.exercises.iter().filter(|it| it.after_steps < step.number + 1 - lesson.steps[0].number);
    format!("{} of {all}", steps + exercises.count())
}
