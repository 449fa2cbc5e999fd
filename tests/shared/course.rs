//! The lessons that the tests run on, and how to run all tests on a copy of the lessons with a new first one.

use std::path::Path;
use std::process::Command;

use attn::lesson::{Catalogue, Target};

/// The lessons in the folder `ATTN_LESSONS`, or those inside the program if it is not set.
pub fn catalogue() -> Catalogue {
    match std::env::var_os("ATTN_LESSONS") {
        Some(folder) => Catalogue::open(Path::new(&folder)).unwrap_or_else(|fault| panic!("{fault}")),
        None => Catalogue::new(),
    }
}

/// The number of a step in the course.
pub fn number(slug: &str) -> usize {
    match catalogue().find(slug) {
        Ok(Target::Step(step)) => step.number,
        other => panic!("{slug}: {other:?}"),
    }
}

/// The place of a step as screens show it, `step N of`.
#[allow(dead_code)] // only screens show it
pub fn position(slug: &str) -> String {
    format!("step {} of", number(slug))
}

/// Runs this test program again, without the tests whose names contain `skip`, on a copy of the lessons with
/// `tests/lessons/00-first.md` in front; `only` are the tests to run, all if it is empty.
pub fn passes_with_a_new_first_lesson(only: &[&str], skip: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = tempfile::tempdir().expect("there is a folder for temporary files");
    for folder in ["lessons", "tests/lessons"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the lessons are there") {
            let path = entry.expect("a listed file can be read").path();
            let name = path.file_name().expect("a listed file has a name");
            std::fs::copy(&path, copy.path().join(name)).expect("a lesson can be copied");
        }
    }
    let program = std::env::current_exe().expect("this program has a file");
    let tests = Command::new(program)
        .args(only)
        .args(["--skip", skip])
        .env("ATTN_LESSONS", copy.path())
        .output()
        .expect("this program can run");
    let said =
        format!("{}{}", String::from_utf8_lossy(&tests.stdout), String::from_utf8_lossy(&tests.stderr));
    assert!(tests.status.success(), "with a new first lesson:\n{said}");
}
