//! The values to print: a trait, and its implementation for slices.

/// The kind of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// float64, float32, float16, bfloat16.
    Float,
    /// The signed and unsigned integers.
    Int,
    /// Bools.
    Bool,
}

/// One element. Floats are converted to f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Of any floating dtype.
    Float(f64),
    /// Of any integer dtype.
    Int(i64),
    /// Of dtype bool.
    Bool(bool),
}

/// A tensor to print: a shape, and elements by row-major position, which are read only if they are shown.
pub trait Source {
    /// Sizes, outermost first; empty for a 0-d tensor.
    fn shape(&self) -> &[usize];
    /// The kind of the elements.
    fn kind(&self) -> Kind;
    /// The element at a row-major position.
    fn at(&self, place: usize) -> Value;
}

/// Row-major elements in a slice.
#[derive(Debug, Clone, Copy)]
pub enum Elements<'a> {
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
pub struct Values<'a> {
    /// Sizes, outermost first.
    pub shape: &'a [usize],
    /// As many elements as the shape's product.
    pub elements: Elements<'a>,
}

impl Source for Values<'_> {
    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn kind(&self) -> Kind {
        match self.elements {
            Elements::Float32(_) | Elements::Float64(_) => Kind::Float,
            Elements::Int(_) => Kind::Int,
            Elements::Bool(_) => Kind::Bool,
        }
    }

    fn at(&self, place: usize) -> Value {
        match self.elements {
            Elements::Float32(values) => Value::Float(f64::from(values[place])),
            Elements::Float64(values) => Value::Float(values[place]),
            Elements::Int(values) => Value::Int(values[place]),
            Elements::Bool(values) => Value::Bool(values[place]),
        }
    }
}
