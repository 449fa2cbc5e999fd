//! The modules that lesson code imports, bound to the tensor layer.
//!
//! What can be called stands in one [`table`]; `bind` takes Python arguments by a row's
//! signature, `call` runs and records it, `module` makes Python functions and methods of the rows.
//! `nn` and what is built from operations is readable Python in `py/`.
//! Room: torch. Uses tensor and kernel; knows no session and no terminal.

mod bases;
mod bind;
mod build;
pub mod call;
mod classes;
mod failed;
mod function;
mod history;
mod item;
mod module;
pub mod modules;
pub mod names;
mod operators;
pub mod schema;
pub mod state;
pub mod table;
mod tensor_class;
pub mod trace;
mod written;

pub use failed::Failed;
pub use module::{install, tensor_object, tensor_value};
pub use state::State;
pub use tensor_class::Elements;
