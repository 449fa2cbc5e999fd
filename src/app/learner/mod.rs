//! The learner's record.
//!
//! | file | what it does |
//! |---|---|
//! | [`state`], [`store`] | the folder for progress and history; the progress in its file |
//! | [`stops`], [`summary`] | the stops of the walkthrough; the results in words |

pub(crate) mod state;
pub(crate) mod stops;
pub(crate) mod store;
pub(crate) mod summary;
