//! The lessons that the tests run on.

use std::path::Path;

use attn::lesson::{Catalogue, Target};

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

/// The place of a step as the head of its page has it.
#[allow(dead_code)] // only screens show it
pub fn position(slug: &str) -> String {
    format!("step {}  {slug}", number(slug))
}

/// The code of a step with trainings of thirty steps: who looks at the operations, not at what is learned, sees in these
/// all that the others would show again.
#[allow(dead_code)] // not all tests run steps
pub fn shortened(code: &str) -> String {
    let few = |line: &str| {
        let Some((indent, rest)) = line.split_once("for step in range(") else { return line.to_owned() };
        let Some((count, rest)) = rest.split_once("):") else { return line.to_owned() };
        format!("{indent}for step in range(min({count}, 30)):{rest}")
    };
    code.split_inclusive('\n').map(few).collect()
}
