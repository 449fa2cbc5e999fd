//! Errors of tensor operations, in the words of PyTorch 2.6, so that a learner can search for them.

/// The Python exception an error becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ErrorKind {
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
}

/// A dimension or an index that a tensor does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutOfRange {
    /// A dimension.
    Dim {
        /// The dimension asked for.
        dim: i64,
        /// How many dimensions the tensor has.
        ndim: usize,
    },
    /// An index along a dimension.
    Index {
        /// The index asked for.
        index: i64,
        /// The dimension.
        dim: usize,
        /// Its size.
        size: usize,
    },
}

/// An error of a tensor operation: its Python type and PyTorch's message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Which exception it is.
    pub(crate) kind: ErrorKind,
    /// PyTorch's message.
    pub(crate) message: String,
    /// What is out of range, if that is the error.
    pub(crate) out_of_range: Option<OutOfRange>,
}

/// The result of a tensor operation.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this kind with this text.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), out_of_range: None }
    }

    /// A `RuntimeError`.
    pub(crate) fn runtime(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Runtime, message)
    }

    /// An `IndexError`.
    pub(crate) fn index(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Index, message)
    }

    /// A `ValueError`.
    pub(crate) fn value(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Value, message)
    }

    /// A `TypeError`.
    pub(crate) fn type_error(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Type, message)
    }

    /// A `NotImplementedError`.
    pub(crate) fn not_implemented(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::NotImplemented, message)
    }

    /// A dimension out of range. As PyTorch's `maybe_wrap_dim`.
    pub(crate) fn dim_range(dim: i64, ndim: usize) -> Self {
        let ends = ndim.max(1) as i64;
        let message = format!(
            "Dimension out of range (expected to be in range of [{}, {}], but got {dim})",
            -ends,
            ends - 1
        );
        Error { out_of_range: Some(OutOfRange::Dim { dim, ndim }), ..Error::index(message) }
    }

    /// An index out of range along a dimension of this size. PyTorch raises `IndexError` or `RuntimeError`.
    pub(crate) fn index_range(kind: ErrorKind, index: i64, dim: usize, size: usize) -> Self {
        let message = format!("index {index} is out of bounds for dimension {dim} with size {size}");
        Error { out_of_range: Some(OutOfRange::Index { index, dim, size }), ..Error::new(kind, message) }
    }

    /// Shapes that do not broadcast: `axis` counts from the front of the result.
    pub(crate) fn broadcast(lhs: &[usize], rhs: &[usize], axis: usize) -> Self {
        let ndim = lhs.len().max(rhs.len());
        let size = |shape: &[usize]| shape[axis + shape.len() - ndim];
        Error::runtime(format!(
            "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {axis}",
            size(lhs),
            size(rhs)
        ))
    }

    /// Two matrices whose inner sizes differ.
    pub(crate) fn matmul(lhs: [usize; 2], rhs: [usize; 2]) -> Self {
        Error::runtime(format!(
            "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
            lhs[0], lhs[1], rhs[0], rhs[1]
        ))
    }

    /// A request for more memory than there is. PyTorch raises `RuntimeError`, not `MemoryError`.
    pub(crate) fn memory(bytes: u128) -> Self {
        Error::runtime(format!(
            "[enforce fail at alloc_cpu.cpp:119] err == 0. DefaultCPUAllocator: can't allocate memory: \
             you tried to allocate {bytes} bytes. Error code 12 (Cannot allocate memory)"
        ))
    }
}
