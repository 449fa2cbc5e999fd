//! What can go wrong with tensors: facts first, PyTorch's words from them.
//! The texts are those of PyTorch 2.6, so that a learner can search for them.

use std::fmt;

/// The Python exception an error becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `RuntimeError`
    Runtime,
    /// `IndexError`
    Index,
    /// `ValueError`
    Value,
    /// `TypeError`
    Type,
    /// `NotImplementedError`
    NotImplemented,
    /// `AttributeError`
    Attribute,
    /// `KeyError`
    Key,
    /// `MemoryError`'s place: PyTorch raises `RuntimeError` here
    Memory,
}

/// What an error is about, for those who explain it: shapes, not words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Facts {
    /// Two operands whose shapes do not go together; the axes (one of each) that clash.
    Clash {
        /// The operation, by its PyTorch name.
        op: &'static str,
        /// Shape of the left operand.
        lhs: Vec<usize>,
        /// Shape of the right operand.
        rhs: Vec<usize>,
        /// The axis of each operand that should have agreed.
        axes: (usize, usize),
    },
    /// A dimension that the tensor does not have.
    Dim {
        /// The dimension asked for.
        dim: i64,
        /// How many there are.
        ndim: usize,
    },
    /// A shape that cannot hold the elements.
    View {
        /// The shape asked for.
        wanted: Vec<i64>,
        /// The shape there is.
        shape: Vec<usize>,
        /// The strides there are.
        strides: Vec<usize>,
    },
}

/// An error of a tensor operation: its Python type, PyTorch's text, and the facts behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which exception it is.
    pub kind: Kind,
    /// PyTorch's text.
    pub message: String,
    /// What it is about, where that helps to explain it.
    pub facts: Option<Box<Facts>>,
}

/// The result of a tensor operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// An error of this kind with this text.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), facts: None }
    }

    /// A `RuntimeError`.
    pub fn runtime(message: impl Into<String>) -> Self {
        Error::new(Kind::Runtime, message)
    }

    /// An `IndexError`.
    pub fn index(message: impl Into<String>) -> Self {
        Error::new(Kind::Index, message)
    }

    /// A `ValueError`.
    pub fn value(message: impl Into<String>) -> Self {
        Error::new(Kind::Value, message)
    }

    /// A `TypeError`.
    pub fn type_error(message: impl Into<String>) -> Self {
        Error::new(Kind::Type, message)
    }

    /// A `NotImplementedError`.
    pub fn not_implemented(message: impl Into<String>) -> Self {
        Error::new(Kind::NotImplemented, message)
    }

    /// The same error with the facts behind it.
    pub fn with(mut self, facts: Facts) -> Self {
        self.facts = Some(Box::new(facts));
        self
    }

    /// The name of the Python exception.
    pub fn python_type(&self) -> &'static str {
        match self.kind {
            Kind::Runtime | Kind::Memory => "RuntimeError",
            Kind::Index => "IndexError",
            Kind::Value => "ValueError",
            Kind::Type => "TypeError",
            Kind::NotImplemented => "NotImplementedError",
            Kind::Attribute => "AttributeError",
            Kind::Key => "KeyError",
        }
    }

    /// A dimension out of range. As PyTorch's `maybe_wrap_dim`.
    pub fn dim_range(dim: i64, ndim: usize) -> Self {
        let ends = ndim.max(1) as i64;
        Error::index(format!(
            "Dimension out of range (expected to be in range of [{}, {}], but got {dim})",
            -ends,
            ends - 1
        ))
        .with(Facts::Dim { dim, ndim })
    }

    /// Shapes that do not broadcast: `axis` counts from the front of the result.
    pub fn broadcast(op: &'static str, lhs: &[usize], rhs: &[usize], axis: usize) -> Self {
        let ndim = lhs.len().max(rhs.len());
        let at = |shape: &[usize]| (axis + shape.len()).checked_sub(ndim);
        let (a, b) = (at(lhs).unwrap_or(0), at(rhs).unwrap_or(0));
        Error::runtime(format!(
            "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {axis}",
            lhs[a], rhs[b]
        ))
        .with(Facts::Clash { op, lhs: lhs.to_vec(), rhs: rhs.to_vec(), axes: (a, b) })
    }

    /// Two matrices whose inner sizes differ.
    pub fn matmul(lhs: &[usize], rhs: &[usize], rows: [usize; 2], columns: [usize; 2]) -> Self {
        Error::runtime(format!(
            "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
            rows[0], rows[1], columns[0], columns[1]
        ))
        .with(Facts::Clash {
            op: "matmul",
            lhs: lhs.to_vec(),
            rhs: rhs.to_vec(),
            axes: (lhs.len().saturating_sub(1), rhs.len().saturating_sub(2)),
        })
    }

    /// A request for more memory than there is.
    pub fn memory(bytes: u128) -> Self {
        Error::new(
            Kind::Memory,
            format!(
                "[enforce fail at alloc_cpu.cpp:119] err == 0. DefaultCPUAllocator: can't allocate memory: \
                 you tried to allocate {bytes} bytes. Error code 12 (Cannot allocate memory)"
            ),
        )
    }
}
