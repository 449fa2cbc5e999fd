//! The tensors of a page, with the explanations of their elements.

use crate::view::figure::Figure;

/// The tensors that one step or cell shows, by their numbers on the page.
#[derive(Clone, Default)]
pub(crate) struct ShownTensors {
    pub(crate) shown: Vec<usize>,
    /// Small ones on the way to these, folded away.
    pub(crate) on_the_way: Vec<usize>,
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
