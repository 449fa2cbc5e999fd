//! What `grad_fn` shows: the names of the nodes of PyTorch's gradient graph.

use std::fmt;

/// The name of a node of the gradient graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GradName {
    /// A stem and the number of its overload: `SqueezeBackward4`.
    Node(&'static str, u8),
    /// The node of an operation that made a copy instead of its view: `DiagonalBackward0_copy`.
    ViewCopy(&'static str),
    /// The node of a learner's own function: `ScaleBackward`.
    Custom(&'static str),
    /// A write through a view, as its base sees it: `CopySlices`.
    CopySlices,
    /// A copy of another tensor's values: `CopyBackwards`.
    CopyBackwards,
    /// A node through which PyTorch knows no gradient: `NotImplemented`.
    NotImplemented,
}

impl GradName {
    /// The overload that is so many further; a name without overloads as it is.
    pub(crate) fn further(self, by: u8) -> GradName {
        match self {
            GradName::Node(stem, overload) => GradName::Node(stem, overload + by),
            other => other,
        }
    }

    /// The first overload of a node.
    pub(crate) const fn node(stem: &'static str) -> GradName {
        GradName::Node(stem, 0)
    }
}

impl fmt::Display for GradName {
    /// The text that `grad_fn` shows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GradName::Node(stem, overload) => write!(f, "{stem}Backward{overload}"),
            GradName::ViewCopy(stem) => write!(f, "{stem}Backward0_copy"),
            GradName::Custom(name) => write!(f, "{name}Backward"),
            GradName::CopySlices => f.write_str("CopySlices"),
            GradName::CopyBackwards => f.write_str("CopyBackwards"),
            GradName::NotImplemented => f.write_str("NotImplemented"),
        }
    }
}
