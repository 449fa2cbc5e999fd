//! Styled text from values: panels, tables, heat maps, prose, code, listings.
//! Functions take plain values and a [`Look`] and return a [`Text`]. Nothing here prints, computes with tensors, or
//! depends on a global: width, colour and plain output are arguments.

pub mod bench;
pub mod check;
pub mod code;
pub(crate) mod columns;
pub mod compare;
pub(crate) mod doctor;
pub mod errors;
pub(crate) mod figure;
pub mod glossary;
pub mod heads;
pub mod heat;
pub(crate) mod html;
pub mod learn;
pub mod listing;
pub mod look;
pub mod markdown;
pub mod panel;
pub(crate) mod parting;
pub mod pick;
pub mod picture;
pub mod plot;
pub mod progress_line;
pub mod prose;
pub(crate) mod quantity;
pub mod quiz;
mod rows;
pub mod run;
pub(crate) mod shape_table;
pub(crate) mod slice;
mod statistics;
pub mod storage;
mod styled_table;
pub mod table;
pub(crate) mod text;
pub mod trace;
pub mod why;
pub(crate) mod wrap;

pub use figure::Figure;
pub use panel::{Check, Panel, panel};
pub use picture::Picture;
pub(crate) use text::{Line, Role};
pub use text::{Look, Text};
