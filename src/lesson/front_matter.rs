//! The front matter of a lesson: the YAML between two `---` lines at the start of its file.

use super::fault::Fault;
use super::fence::LessonSource;
use super::markdown::front_matter;
use super::step::Lesson;
use super::vocabulary::FRONT_MATTER;

/// A lesson with what its front matter says, and without steps. Errors: none is there, an unknown key, a missing one.
pub(super) fn read(file: &str, text: &str) -> Result<Lesson, Fault> {
    let source = LessonSource { file };
    match front_matter(text) {
        Some((yaml, line)) => source.record(&yaml, line, "the front matter", FRONT_MATTER),
        None => source.fault(1, "a lesson starts with its front matter between two lines `---`"),
    }
}

/// Whether a Markdown file is meant as a lesson: its front matter names a section. A notebook's does not.
pub(crate) fn is_lesson(text: &str) -> bool {
    front_matter(text).is_some_and(|(yaml, _)| yaml.lines().any(|line| line.starts_with("section:")))
}

/// Whether a part of the course begins with this lesson.
pub(super) fn begins_part(text: &str) -> bool {
    front_matter(text).is_some_and(|(yaml, _)| yaml.lines().any(|line| line.starts_with("part:")))
}

/// Whether a Markdown file in a folder of lessons is meant as one: its front matter has a key of a lesson, or is not complete.
/// A notebook in the folder has those of Jupyter only.
pub(super) fn is_meant_as_lesson(text: &str) -> bool {
    let of_jupyter = |key: &str| key == "jupytext" || key == "kernelspec";
    let own = FRONT_MATTER.iter().filter(|name| !of_jupyter(name));
    let keys: Vec<String> = own.map(|name| format!("{name}:")).collect();
    match front_matter(text) {
        Some((yaml, _)) => yaml.lines().any(|line| keys.iter().any(|key| line.starts_with(key.as_str()))),
        None => text.trim_start_matches('\u{feff}').trim_start().starts_with("---"),
    }
}
