//! The values to print: a trait, and its implementation for slices.

/// The kind of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementKind {
    /// float64, float32, float16, bfloat16.
    Float,
    /// The signed and unsigned integers.
    Int,
    /// Bools.
    Bool,
}

/// One element. Floats are converted to f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ElementValue {
    /// Of any floating dtype.
    Float(f64),
    /// Of any integer dtype.
    Int(i64),
    /// Of dtype bool.
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

/// Row-major elements in a slice.
#[derive(Debug, Clone, Copy)]
pub enum ElementSlice<'a> {
    /// float32, and float16 and bfloat16 stored as float32.
    Float32(&'a [f32]),
    /// float64.
    Float64(&'a [f64]),
    /// Any integer dtype.
    Int(&'a [i64]),
    /// bool.
    Bool(&'a [bool]),
}

/// Row-major elements with their shape.
#[derive(Debug, Clone, Copy)]
pub struct SliceSource<'a> {
    /// Sizes, outermost first.
    pub shape: &'a [usize],
    /// As many elements as the shape's product.
    pub elements: ElementSlice<'a>,
}

impl PrintSource for SliceSource<'_> {
    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn kind(&self) -> ElementKind {
        match self.elements {
            ElementSlice::Float32(_) | ElementSlice::Float64(_) => ElementKind::Float,
            ElementSlice::Int(_) => ElementKind::Int,
            ElementSlice::Bool(_) => ElementKind::Bool,
        }
    }

    fn at(&self, place: usize) -> ElementValue {
        match self.elements {
            ElementSlice::Float32(values) => ElementValue::Float(f64::from(values[place])),
            ElementSlice::Float64(values) => ElementValue::Float(values[place]),
            ElementSlice::Int(values) => ElementValue::Int(values[place]),
            ElementSlice::Bool(values) => ElementValue::Bool(values[place]),
        }
    }
}
