//! The terminal.
//!
//! | file | what it does |
//! |---|---|
//! | [`shell`], [`prompt`] | results, remarks and exit codes; questions |
//! | [`progress_bar`] | a line while long work runs |
//! | [`ctrl_c`], [`suspend`], [`restore`], [`pending_keys`] | Ctrl-C; Ctrl-Z; the settings of the terminal; keys pressed while it answered |
//! | [`part`] | the streams of a process that runs one of several targets |
//! | [`graphics`] | whether figures are shown as pictures: asks the terminal |

pub(crate) mod ctrl_c;
pub mod graphics;
pub(crate) mod part;
pub(crate) mod pending_keys;
pub(crate) mod progress_bar;
pub mod prompt;
pub(crate) mod restore;
pub(crate) mod shell;
pub(crate) mod suspend;
