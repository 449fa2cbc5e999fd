//! The front matter of a lesson: the YAML between two `---` lines at the start of its file.

use serde::Deserialize;

use super::fault::Fault;
use super::fence::LessonSource;
use super::markdown::front_matter;
use super::vocabulary::FRONT_MATTER;

/// What the front matter of a lesson says; the fields are those of [`super::Lesson`].
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
