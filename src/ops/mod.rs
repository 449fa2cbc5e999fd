//! Operations: the [`table`] of what can be called, and the dispatcher ([`call`]) that runs and records a call.
//!
//! Everything that is known of an operation and needs no Python object: its signatures ([`schema`]), the random and
//! gradient state of a session ([`state`]), the last call that raised ([`failed`]), what ran ([`trace`]).

pub mod call;
pub mod failed;
mod nearest;
pub mod schema;
pub mod state;
pub mod table;
pub mod trace;
mod view_history;

pub use failed::Failed;
pub use nearest::nearest;
pub use state::State;
