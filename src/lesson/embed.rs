//! The lesson files as they stand inside the program.
//! The list is written by `build/lessons.rs` from the folder `lessons/`.

/// One lesson file, with the names by which the catalogue finds it before parsing.
pub(super) struct Embedded {
    /// Where it stands in the repository, e.g. `lessons/01-simple-self-attention.md`.
    pub file: &'static str,
    /// Its whole text.
    pub text: &'static str,
    /// `id:` of its front matter.
    pub id: &'static str,
    /// `section:` of its front matter.
    pub section: &'static str,
    /// `also:` of its front matter: further names.
    pub also: &'static [&'static str],
    /// `:name:` of each code cell, in order.
    pub slugs: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));
