//! Errors of tensor operations, in the words of PyTorch 2.6, so that a learner can search for them.

use super::dtype::DType;
use crate::kernel::stop::Left;

/// The Python exception an error becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ErrorKind {
    Runtime,
    Index,
    Value,
    Type,
    NotImplemented,
    /// The cell is to stop: `KeyboardInterrupt`, or what else stops it
    Stopped,
}

/// What an error is about, where attn has more to say of it than its message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ErrorFact {
    /// A dimension that the tensor does not have.
    Dim {
        /// The dimension asked for.
        dim: i64,
        /// How many dimensions the tensor has.
        ndim: usize,
    },
    /// An index that the tensor does not have along a dimension.
    Index { index: i64, dim: usize, size: usize },
    /// Sizes that do not multiply up to the number of elements.
    ElementCount,
    /// Operands whose dtypes do not go together.
    DifferentDtypes,
    /// An operation that does not take this dtype.
    UnsupportedDtype,
    /// A mask that is not of bools.
    MaskDtype,
    /// A write in place to a leaf that requires gradients.
    LeafWrite,
    /// A change in place of what a gradient is made of.
    ChangedInPlace {
        /// The operation whose gradient it is.
        operation: &'static str,
        /// The cell and the line that changed it, if they are remembered.
        place: Option<(&'static str, usize)>,
    },
    /// `item()` of several elements.
    SeveralElements,
    /// `float()` or `int()` of several elements.
    NotOneNumber,
    /// A condition of several elements.
    AmbiguousTruth,
    /// Gradients of several numbers at once.
    SeveralOutputs,
    /// Gradients of what does not require them.
    NoGradient,
    /// Tensors of different shapes to be stacked.
    UnequalShapes,
    /// Nested lists of different lengths.
    RaggedLists,
    /// Tensors of several elements in a list of numbers.
    TensorsInList,
    /// A loop over a single number.
    IterationOverNumber,
    /// The length of a single number.
    LengthOfNumber,
    /// A matrix product of a single number.
    ProductOfNumber,
    /// `bmm` of what is not a batch of matrices.
    NotABatch,
    /// `mm` of what is not a matrix.
    NotAMatrix,
    /// A letter of an einsum with two sizes.
    LetterSizes,
    /// An equation of einsum with more or fewer letters than an operand has dimensions.
    LetterCount,
    /// Targets that are not one class for each row of scores.
    TargetSizes,
    /// A second backward pass through a graph that was not retained.
    BackwardTwice,
    /// A width that cannot be divided among the heads.
    UnevenHeads { width: usize, heads: usize },
    /// A keyword that an operation does not take.
    UnknownKeyword {
        function: String,
        /// The keyword.
        wanted: String,
        /// The names of its parameters.
        known: Box<[String]>,
    },
    /// More dimensions than the tensor that is written to has.
    TooManyDims,
    /// A device that is not here.
    NoDevice,
    /// A module without `forward`.
    NoForward,
    /// A module whose `__init__` has not called `nn.Module`'s.
    NotInitialised,
    /// Keys of a state dict that do not match the module's.
    StateDictKeys {
        /// Those that the module has and the state dict lacks.
        missing: Box<[String]>,
        /// Those that the module does not have.
        unexpected: Box<[String]>,
    },
}

/// An error of a tensor operation: its Python type and PyTorch's message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub(crate) kind: ErrorKind,
    /// PyTorch's message.
    pub(crate) message: String,
    /// What it is about, if attn has more to say of it.
    pub(crate) fact: Option<ErrorFact>,
}

/// Returns a `RuntimeError` with a message as of `format!`, if a condition holds.
macro_rules! refuse_if {
    ($condition:expr, $($message:tt)+) => {
        if $condition {
            return Err($crate::tensor::Error::runtime(std::fmt::format(format_args!($($message)+))));
        }
    };
}
pub(crate) use refuse_if;

/// The result of a tensor operation.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Left> for Error {
    fn from(left: Left) -> Self {
        match left {
            Left::TooLarge(bytes) => Error::memory(bytes),
            Left::Stopped => Error::stopped(),
        }
    }
}

impl Error {
    /// An error of this kind with this text.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), fact: None }
    }

    /// The same error with what it is about.
    pub(crate) fn about(self, fact: ErrorFact) -> Self {
        Error { fact: Some(fact), ..self }
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
        Error::index(message).about(ErrorFact::Dim { dim, ndim })
    }

    /// An index out of range along a dimension of this size. PyTorch raises `IndexError` or `RuntimeError`.
    pub(crate) fn index_range(kind: ErrorKind, index: i64, dim: usize, size: usize) -> Self {
        let message = format!("index {index} is out of bounds for dimension {dim} with size {size}");
        Error::new(kind, message).about(ErrorFact::Index { index, dim, size })
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

    /// A result of another shape than the tensor that it is written to.
    pub(crate) fn output_shape(output: &[usize], result: &[usize]) -> Self {
        Error::runtime(format!("output with shape {output:?} doesn't match the broadcast shape {result:?}"))
    }

    /// Two matrices whose inner sizes differ.
    pub(crate) fn matmul(lhs: [usize; 2], rhs: [usize; 2]) -> Self {
        Error::runtime(format!(
            "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
            lhs[0], lhs[1], rhs[0], rhs[1]
        ))
    }

    /// An operation that does not take this dtype: `kernel` is PyTorch's name for what computes it.
    pub(crate) fn unsupported_dtype(kernel: &str, dtype: DType) -> Self {
        Error::runtime(format!("\"{kernel}\" not implemented for '{}'", dtype.cpp_name()))
            .about(ErrorFact::UnsupportedDtype)
    }

    /// A probability of dropout that is not between 0 and 1.
    pub(crate) fn dropout_probability(kind: ErrorKind, given: impl std::fmt::Display) -> Self {
        Error::new(kind, format!("dropout probability has to be between 0 and 1, but got {given}"))
    }

    /// A result that a tensor of this dtype cannot take.
    pub(crate) fn uncastable(from: DType, to: DType) -> Self {
        let [from, to] = [from, to].map(DType::cpp_name);
        Error::runtime(format!("result type {from} can't be cast to the desired output type {to}"))
    }

    /// A condition that is a tensor of several elements.
    pub(crate) fn ambiguous_truth() -> Self {
        Error::runtime("Boolean value of Tensor with more than one value is ambiguous")
            .about(ErrorFact::AmbiguousTruth)
    }

    /// An operation that was left because the cell is to stop.
    pub(crate) fn stopped() -> Self {
        Error::new(ErrorKind::Stopped, "stopped")
    }

    /// A request for more memory than there is. PyTorch raises `RuntimeError`, not `MemoryError`.
    pub(crate) fn memory(bytes: u128) -> Self {
        Error::runtime(format!(
            "[enforce fail at alloc_cpu.cpp:119] err == 0. DefaultCPUAllocator: can't allocate memory: \
             you tried to allocate {bytes} bytes. Error code 12 (Cannot allocate memory)"
        ))
    }
}
