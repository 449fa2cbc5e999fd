//! The course is addressed by names: the tests of lesson files pass as well on a copy of the lessons with a new first one,
//! which shifts the number of every step, and no file names a step by its number.

use std::path::Path;
use std::process::Command;

use attn::lesson::{Catalogue, Lesson};

/// The tests of lesson files once more, on a copy of the lessons with `tests/lessons/00-first.md` in front.
#[test]
fn a_new_first_lesson_changes_no_test_of_lesson_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = tempfile::tempdir().expect("there is a folder for temporary files");
    for folder in ["lessons", "tests/lessons"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the lessons are there") {
            let path = entry.expect("a listed file can be read").path();
            if path.is_dir() {
                continue;
            }
            let name = path.file_name().expect("a listed file has a name");
            std::fs::copy(&path, copy.path().join(name)).expect("a lesson can be copied");
        }
    }
    let program = std::env::current_exe().expect("this program has a file");
    let tests = Command::new(program)
        .arg("lesson::")
        .env("ATTN_LESSONS", copy.path())
        .output()
        .expect("this program can run");
    let said =
        format!("{}{}", String::from_utf8_lossy(&tests.stdout), String::from_utf8_lossy(&tests.stderr));
    assert!(tests.status.success(), "with a new first lesson:\n{said}");
}

/// A folder is read as the files inside the program are.
#[test]
fn a_folder_of_lessons_is_a_catalogue() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons");
    let (read, inside) = (Catalogue::open(&folder).expect("the folder is there"), Catalogue::new());
    let steps = |catalogue: &Catalogue| -> Vec<(usize, String)> {
        let steps = catalogue.steps().unwrap_or_else(|fault| panic!("{fault}"));
        steps.iter().map(|step| (step.number, step.slug.clone())).collect()
    };
    assert_eq!((read.names(), steps(&read)), (inside.names(), steps(&inside)));
    assert_eq!(read.glossary_file().text, inside.glossary_file().text);
    let missing = Catalogue::open(Path::new("no/such/folder")).err().expect("there is no such folder");
    assert!(missing.to_string().starts_with("no/such/folder:1: cannot be read: "), "{missing}");
}

/// No source, test or document names a step by its number, apart from the few lines that are about numbers.
#[test]
fn steps_are_addressed_by_names() {
    const FOLDERS: [&str; 8] =
        ["src", "tests", "docs", "benches", "build", "lessons", "README.md", "CONTRIBUTING.md"];
    let catalogue = Catalogue::new();
    let steps =
        |count: usize| -> usize { catalogue.lessons().take(count).flatten().map(|it| it.steps.len()).sum() };
    let begins = |lesson: &Lesson| lesson.part.is_some();
    let chapter = catalogue.lessons().flatten().position(begins).expect("part two begins somewhere");
    let totals = [steps(chapter), catalogue.total_steps()].map(|total| format!("of {total} "));
    let mut found = Vec::new();
    for folder in FOLDERS {
        numbered(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &totals, &mut found);
    }
    assert!(found.is_empty(), "write the step's name (a wildcard in a transcript):\n{}", found.join("\n"));
}

/// Parts of the lines that may name a step by its number.
const ALLOWED: [&str; 7] = [
    // A step of training.
    ": loss ",
    "steps are step1 to ",              // the message about an unknown name
    "\"step1\", \"Step1\", \"STEP 1\"", // the spellings of a number
    "\"stp1\", \"step1\"",
    "step0", // numbers of no step
    "step300",
    "step999",
];

/// What does not show the course as it is: recorded PyTorch output, screens of made-up steps, a picture that a script draws.
const NOT_THE_COURSE: [&str; 5] =
    ["tests/golden", "tests/view", "tests/library/view", "tests/library/renumbered.rs", "docs/session.svg"];

/// Adds the lines of a file, or of the files of a folder, that name a step by its number or count the steps as `totals` do.
fn numbered(path: &Path, totals: &[String], found: &mut Vec<String>) {
    if NOT_THE_COURSE.iter().any(|folder| path.ends_with(folder)) {
        return;
    }
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder can be listed") {
            numbered(&entry.expect("a listed entry can be read").path(), totals, found);
        }
        return;
    }
    let Ok(text) = std::fs::read_to_string(path) else { return };
    for (at, line) in text.lines().enumerate() {
        let named = names_a_step(line) || totals.iter().any(|total| line.contains(total));
        if named && !ALLOWED.iter().any(|allowed| line.contains(allowed)) {
            found.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
        }
    }
}

/// Whether a line has the word `step` with a whole number.
fn names_a_step(line: &str) -> bool {
    line.match_indices("step").any(|(start, word)| {
        let starts_word = !line[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &line[start + word.len()..];
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        starts_word
            && after.len() < rest.len()
            && !after.starts_with(|c: char| c == '.' || c.is_alphanumeric())
    })
}
