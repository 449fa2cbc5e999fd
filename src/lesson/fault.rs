//! A fault in a lesson or in the glossary: file, line, what is wrong.

use crate::ops::nearest;

/// What is wrong with a file of the course, where, and what was probably meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}{}", nearest_words(nearest))]
pub struct Fault {
    pub(crate) file: String,
    /// The line, from 1.
    pub line: usize,
    pub what: String,
    /// The nearest right names, best first.
    pub nearest: Vec<String>,
}

impl Fault {
    /// A fault without a suggestion.
    pub(crate) fn new(file: &str, line: usize, what: String) -> Fault {
        Fault { file: file.to_owned(), line, what, nearest: Vec::new() }
    }

    /// The same with the names that are nearest to this one.
    pub(crate) fn near<S: AsRef<str>>(self, name: &str, known: impl IntoIterator<Item = S>) -> Fault {
        Fault { nearest: nearest(name, known, 3), ..self }
    }
}

/// These words and the names; nothing where there are no names.
pub(crate) fn listed(words: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("{words}{}", names.join(", ")) }
}

/// ` (nearest: a, b)`, or nothing where there are no names.
pub(super) fn nearest_words(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { listed(" (nearest: ", names) + ")" }
}
