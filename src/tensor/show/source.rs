//! The values to print.

/// One element. Floats are converted to f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ElementValue {
    /// Of float64, float32, float16, bfloat16.
    Float(f64),
    /// Of the signed and unsigned integers.
    Int(i64),
    Bool(bool),
}

/// A tensor to print: a shape, and elements by row-major position, which are read only if they are shown.
pub trait PrintSource {
    /// Sizes, outermost first; empty for a 0-d tensor.
    fn shape(&self) -> &[usize];
    /// The element at a row-major position.
    fn at(&self, place: usize) -> ElementValue;
}
