//! What PyTorch calls a tensor: dtype, shape and strides over shared storage, and the record of what made it.

mod arg;
mod buffer;
pub mod descriptor;
pub mod dtype;
pub mod error;
pub mod explanation;
mod graph;
pub mod index;
pub mod layout;
pub mod ops;
mod record;
pub mod show;
mod storage;
#[allow(clippy::module_inception)]
mod tensor;

pub use buffer::Buffer;
pub use descriptor::{Descriptor, GradName};
pub use dtype::{Category, DType, Lane};
pub use error::{Error, ErrorKind, OutOfRange, Result};
pub use graph::{Arg, Drawn, Edge, Index, Lost, Made, Record, Site, Storage, Tensor, Write};
pub use layout::Layout;
pub use record::{Ran, Recorder};
pub use storage::{allow, peak_memory, set_memory_limit};
