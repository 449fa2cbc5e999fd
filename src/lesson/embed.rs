//! The lesson files inside the program.
//! `build/lessons.rs` writes the list from the folder `lessons/`.

/// A file inside the program: its path in the repository and its text.
pub(super) type EmbeddedFile = (&'static str, &'static str);

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));
