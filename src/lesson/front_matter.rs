//! The front matter of a lesson: the YAML between two `---` lines at the start of its file.

use serde::Deserialize;

use super::fault::Fault;
use super::fence::LessonSource;
use super::markdown::front_matter;
use super::vocabulary::FRONT_MATTER;

/// What the front matter of a lesson says; [`super::Lesson`] describes the fields.
#[derive(Deserialize)]
pub(super) struct FrontMatter {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) section: String,
    #[serde(default)]
    pub(crate) also: Vec<String>,
    #[serde(default)]
    pub(crate) tokens: Vec<String>,
    pub(crate) summary: String,
    pub(crate) minutes: u32,
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    #[serde(default)]
    pub(crate) part: Option<String>,
    #[serde(default)]
    pub(crate) lang: Option<String>,
}

impl FrontMatter {
    /// Reads the front matter of the lesson `text`. Errors: none is there, an unknown key, a missing one.
    pub(crate) fn read(file: &str, text: &str) -> Result<FrontMatter, Fault> {
        let source = LessonSource { file };
        match front_matter(text) {
            Some((yaml, line)) => source.record(&yaml, line, "the front matter", FRONT_MATTER),
            None => source.fault(1, "a lesson starts with its front matter between two lines `---`"),
        }
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
