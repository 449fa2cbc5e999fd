//! A page as data: its parts in reading order, and its tensors with the explanations of their elements.

use crate::view::errors::ErrorNote;
use crate::view::figure::Figure;
use crate::view::panel::Check;
use crate::view::picture::Picture;

/// A page and everything on it.
#[derive(Default)]
pub(crate) struct Page {
    /// The title of the window, and the first heading.
    pub(crate) title: String,
    /// The language of the prose: "en".
    pub(crate) language: String,
    /// The parts, in reading order.
    pub(crate) parts: Vec<PagePart>,
    /// The tensors, to which the parts refer by number.
    pub(crate) tensors: Vec<ExplainedFigure>,
    /// The terms that prose may link to: slug, name, meaning (Markdown).
    pub(crate) terms: Vec<(String, String, String)>,
}

pub(crate) enum PagePart {
    /// A heading, at level 2.
    Heading(String),
    /// Markdown, and the level of its first headings.
    Prose(String, usize),
    /// A question, and the text under it that is folded away.
    Question {
        /// The question (Markdown).
        ask: String,
        /// The answers to choose from (Markdown); empty if there is nothing to choose.
        choices: Vec<String>,
        /// The learner's answers, and whether each was right.
        given: Vec<(String, bool)>,
        /// The right answer (Markdown).
        answer: String,
    },
    /// Markdown under a summary, folded away.
    Folded(String, String),
    Code(String),
    /// What a cell printed, and the text of its last expression.
    Output(String, Option<String>),
    Error(Box<ErrorNote>),
    /// A tensor, by its number.
    Tensor(usize),
    /// Tensors on the way to those that are shown, folded away.
    OnTheWay(Vec<usize>),
    Picture(Picture),
    Checks(Vec<Check>),
    /// The calculation of one element, line by line.
    Worked(Vec<String>),
    Remark(String),
}

/// A tensor, and where its elements come from.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct ExplainedFigure {
    pub(crate) figure: Figure,
    pub(crate) whys: Vec<ExplainedElement>,
}

/// One element's explanation.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct ExplainedElement {
    /// Its row-major offset.
    pub(crate) offset: usize,
    /// The explanation, as `why_lines` returns it.
    pub(crate) lines: Vec<String>,
    /// The elements on the page that it was computed from: tensor and row-major offset.
    pub(crate) from: Vec<(usize, usize)>,
}
