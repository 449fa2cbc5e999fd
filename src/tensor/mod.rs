//! What PyTorch calls a tensor: dtype, shape and strides over shared storage, and the record of what made it.
//! Uses the kernel; knows no Python and no terminal.

pub mod arg;
pub mod descriptor;
pub mod dtype;
pub mod error;
pub mod explanation;
pub mod index;
pub mod layout;
pub mod ops;
pub mod record;
pub mod show;
mod storage;
#[allow(clippy::module_inception)]
mod tensor;

pub use arg::Arg;
pub use descriptor::{Descriptor, GradName};
pub use dtype::{Category, DType, Lane};
pub use error::{Error, Facts, Kind, Result};
pub use layout::Layout;
pub use record::{Drawn, Lost, Ran, Record, Recorder, Site};
pub use storage::{Buffer, Made, Storage, Write, allow, peak_memory, set_memory_limit};
pub use tensor::Tensor;
