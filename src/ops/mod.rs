//! Operations: the [`table`] of what can be called, and the dispatcher ([`call`]) that runs and records a call.
//!
//! | file | what it has |
//! |---|---|
//! | [`op`] | a row of the table, and a call of it |
//! | [`schema`] | signatures |
//! | [`table`] | all rows |
//! | [`call`] | runs a call, records it, marks its results for gradients |
//! | [`autocast`] | which operands `torch.autocast` converts |
//! | [`backward`] | gradients of what was recorded |
//! | [`overwrite`], [`in_place`] | writes into tensors, and which of them are allowed |
//! | [`state`] | the random and gradient state of a session |
//! | [`failed`] | the last call that raised |
//! | [`trace`] | what ran, in order |

pub(crate) mod autocast;
pub(crate) mod backward;
pub(crate) mod call;
pub(crate) mod failed;
pub(crate) mod in_place;
mod nearest;
pub mod op;
pub(crate) mod overwrite;
mod retry;
pub mod schema;
pub(crate) mod state;
mod stream;
pub mod table;
pub mod trace;
pub(crate) mod value;
pub(crate) mod view_history;

pub(crate) use failed::Failed;
pub(crate) use nearest::{is_misspelling, nearest};
pub(crate) use retry::{repeated, run_apart};
pub(crate) use state::State;
