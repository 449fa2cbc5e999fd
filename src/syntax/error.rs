//! An error of syntax as CPython words it.

/// The class of the exception.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// `SyntaxError`
    Syntax,
    /// `IndentationError`
    Indentation,
    /// `TabError`
    Tab,
}

/// An error of syntax as CPython words it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    /// The class of the exception.
    pub(crate) class: Class,
    /// Its text.
    pub(crate) text: String,
    /// The byte that it is about.
    pub(crate) at: usize,
}

impl Wording {
    pub(super) fn new(at: usize, text: impl Into<String>) -> Wording {
        Wording { class: Class::Syntax, text: text.into(), at }
    }
}
