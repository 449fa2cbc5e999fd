//! One Python interpreter: runs a cell and returns what the cell printed, what it bound and what it raised.
//!
//! A [`Session`] belongs to the thread that made it. Python code may recurse deeply, so that thread needs a large
//! stack: [`with_large_stack`] runs a function on such a thread.

mod arguments;
mod blocks;
mod builtins;
mod cell;
mod cpython;
mod engine;
mod error_context;
mod guards;
mod interrupt;
mod iterators;
mod machine;
mod magics;
mod memory;
mod messages;
mod namespace;
mod nested;
mod numbers;
mod output;
mod probe;
mod raised;
mod running;
mod sandbox;
mod setup;
mod sizes;
mod sorting;
mod source;
mod syntax_errors;
mod text_methods;
mod turn;
mod wording;

pub use cell::InputState;
pub use engine::{Outcome, Session, SessionOptions, input_state};
pub(crate) use error_context::ErrorContext;
pub(crate) use interrupt::Interrupter;
pub(crate) use machine::{default_limit, limit_process, machine_memory};
pub(crate) use magics::dedent;
pub(crate) use messages::PythonError;
pub(crate) use namespace::Variable;
pub use output::Channel;
pub(crate) use output::Listener;
pub use probe::CallReport;
pub(crate) use probe::{AxisReport, CallFinding, ChangeReport, MatrixReport};
pub use raised::Raised;
pub use running::with_large_stack;
