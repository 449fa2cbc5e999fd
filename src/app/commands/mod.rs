//! The commands, each a file with its `Args` and its `run`.
//!
//! | file | what it does |
//! |---|---|
//! | [`verbs`], [`options`] | the table of commands, and the options that every command takes |
//! | the others | one command each |

pub mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod faq;
pub(crate) mod list;
pub(crate) mod look;
pub(crate) mod new;
pub mod options;
pub(crate) mod reset;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod show;
pub mod verbs;
pub(crate) mod why;
pub(crate) mod write;
