//! The terminal.
//!
//! | file | what it does |
//! |---|---|
//! | [`shell`], [`prompt`] | results, remarks and exit codes; questions |
//! | [`progress_bar`] | a line while long work runs |
//! | [`ctrl_c`], [`suspend`], [`restore`] | Ctrl-C; Ctrl-Z; the settings of the terminal |
//! | [`part`] | the streams of a process that runs one of several targets |

pub(crate) mod ctrl_c;
pub(crate) mod part;
pub(crate) mod progress_bar;
pub mod prompt;
pub(crate) mod restore;
pub(crate) mod shell;
pub(crate) mod suspend;
