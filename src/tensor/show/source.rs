//! Where printing gets its values from.
//! A trait, and its plain form over slices; strided tensors bring their own.

/// What a tensor's elements are, whatever buffer they lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// float64, float32, float16, bfloat16.
    Float,
    /// The signed and unsigned whole numbers.
    Int,
    /// Truth values.
    Bool,
}

/// One element. Floats of every width arrive as the f64 that equals them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Of any floating dtype.
    Float(f64),
    /// Of any integer dtype.
    Int(i64),
    /// Of dtype bool.
    Bool(bool),
}

/// A tensor as printing sees it: a shape, and elements by row-major place, read only when shown.
pub trait Source {
    /// Sizes, outermost first; empty for a 0-d tensor.
    fn shape(&self) -> &[usize];
    /// What every element is.
    fn kind(&self) -> Kind;
    /// The element at a row-major place below the product of the shape.
    fn at(&self, place: usize) -> Value;
}

/// Row-major elements on a slice.
#[derive(Debug, Clone, Copy)]
pub enum Elements<'a> {
    /// float32, and float16 and bfloat16 kept as float32.
    Float32(&'a [f32]),
    /// float64.
    Float64(&'a [f64]),
    /// Any integer dtype.
    Int(&'a [i64]),
    /// bool.
    Bool(&'a [bool]),
}

/// Row-major elements with their shape: the plain [`Source`].
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
