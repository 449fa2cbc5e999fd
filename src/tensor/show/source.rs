//! The values to print.

/// The kind of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementKind {
    /// float64, float32, float16, bfloat16.
    Float,
    /// The signed and unsigned integers.
    Int,
    Bool,
}

/// One element. Floats are converted to f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ElementValue {
    Float(f64),
    /// Of any integer dtype.
    Int(i64),
    Bool(bool),
}

/// A tensor to print: a shape, and elements by row-major position, which are read only if they are shown.
pub trait PrintSource {
    /// Sizes, outermost first; empty for a 0-d tensor.
    fn shape(&self) -> &[usize];
    /// The kind of the elements.
    fn kind(&self) -> ElementKind;
    /// The element at a row-major position.
    fn at(&self, place: usize) -> ElementValue;
}
