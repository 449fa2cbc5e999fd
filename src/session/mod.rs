//! One interpreter: run a cell, keep what it printed, what it bound and what went wrong.
//! Sees torch and tensor; never the terminal: what a cell prints comes back as text.
//!
//! A [`Session`] belongs to the thread that made it. Python code may nest deeply, so give that
//! thread room: [`with_room`] runs a function on a thread with a large stack.

mod builtins;
mod cell;
mod display;
mod engine;
mod guard;
mod held;
mod interrupt;
mod layout;
mod magics;
mod memory;
mod mended;
mod namespace;
mod numbers;
mod output;
mod raised;
mod scene;
mod setup;
mod timing;

pub use cell::InputState;
pub use engine::{Options, Outcome, Session, input_state};
pub use guard::with_room;
pub use interrupt::Interrupter;
pub use memory::default_limit;
pub use namespace::Variable;
pub use output::{Channel, Listener};
pub use raised::{Place, Raised};
pub use scene::Scene;
