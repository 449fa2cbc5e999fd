//! What PyTorch calls a tensor: dtype, shape and strides over shared storage, and the record of what made it.

mod arg;
pub(crate) mod bits;
mod budget;
pub(crate) mod buffer;
pub mod descriptor;
pub mod dtype;
pub(crate) mod error;
pub mod explanation;
mod grad_name;
mod graph;
pub(crate) mod index;
pub(crate) mod layout;
pub mod ops;
mod record;
mod saved;
pub mod show;
mod sign;
mod site;
mod storage;
#[allow(clippy::module_inception)]
mod tensor;

pub use buffer::Buffer;
pub(crate) use descriptor::{Descriptor, GradName};
pub(crate) use dtype::Lane;
pub use dtype::{Category, DType};
pub(crate) use error::{Error, ErrorFact, ErrorKind, Result, refuse_if};
pub use graph::{Arg, Storage, Tensor};
pub(crate) use graph::{CompletedOperation, Index, Indices, LostOperands, RandomDraws, Record};
pub use layout::Layout;
pub use record::RecordCounts;
pub(crate) use record::Recorder;
pub(crate) use site::{Site, SourcePosition, SourceRange};
#[allow(unused_imports, reason = "tests use it")]
pub use storage::tensor_bytes;
pub(crate) use storage::{allow, allow_objects, peak_memory, set_memory_limit, size_in_words};
