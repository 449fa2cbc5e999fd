//! What makes the lessons of a catalogue a course: its title, and the folder that it is in.

use std::path::PathBuf;

/// The course that the lessons of a catalogue make.
#[derive(Clone, PartialEq, Eq)]
pub struct Course {
    pub(crate) title: String,
    pub(crate) heading: String,
    /// `chapter` or `course`, for sentences.
    pub(crate) noun: &'static str,
    /// The folder as it was typed; `None` for the lessons inside the program.
    pub(crate) folder: Option<PathBuf>,
    /// The folder that progress is kept under; `None`: it is the chapter's.
    pub(crate) own: Option<PathBuf>,
}

impl Default for Course {
    /// The chapter.
    fn default() -> Course {
        Course {
            title: "chapter 3  Attention".to_owned(),
            heading: "Chapter 3, Attention".to_owned(),
            noun: "chapter",
            folder: None,
            own: None,
        }
    }
}

impl Course {
    /// A command of attn for this course, such as `attn export FOLDER -o summary.md`.
    pub(crate) fn command(&self, verb: &str, rest: &str) -> String {
        let folder = self.folder.as_ref().map(|folder| quoted(&folder.display().to_string()));
        let words = [Some("attn".to_owned()), Some(verb.to_owned()), folder, Some(rest.to_owned())];
        let words: Vec<String> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
        words.join(" ")
    }
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    match word.chars().all(|c| c.is_alphanumeric() || "/\\._-+:~".contains(c)) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
