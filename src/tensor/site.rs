//! Where in a source something is written.

/// Where in the learner's code an operation was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The name of the cell.
    pub cell: &'static str,
    /// The line in it, from 1 on.
    pub line: usize,
    /// The expression that called it.
    pub(crate) span: SourceRange,
    /// Which call of its function it was, from 1 on; 0 outside of functions.
    pub(crate) call: usize,
}

/// A place in a source: line and column from 1 on, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePosition {
    pub(crate) line: usize,
    pub column: usize,
}

/// A stretch of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceRange {
    pub start: SourcePosition,
    /// Just after its last character.
    pub end: SourcePosition,
}

impl Site {
    /// Whether the expression of another call is this one or part of it.
    pub(crate) fn contains(&self, other: &Site) -> bool {
        self.cell == other.cell && self.span.start <= other.span.start && other.span.end <= self.span.end
    }
}
