//! Styled text from values: panels, tables, heat maps, prose, code, listings.
//! Functions take plain values and a [`Look`] and return a [`Text`]. Nothing here prints, computes with tensors, or
//! depends on a global: width, colour and plain output are arguments.

pub mod bench;
pub mod check;
pub mod code;
pub mod columns;
pub mod compare;
pub mod doctor;
pub mod errors;
pub mod figure;
pub mod formula;
pub mod glossary;
pub mod heat;
pub mod learn;
pub mod listing;
pub mod markdown;
pub mod panel;
pub mod pick;
pub mod picture;
pub mod progress;
pub mod prose;
pub mod quantity;
pub mod quiz;
mod rows;
pub mod run;
pub mod shapes;
mod slice;
mod statistics;
pub mod storage;
mod styled_table;
pub mod table;
pub mod text;
pub mod trace;
pub mod why;
pub mod wrap;

pub use figure::Figure;
pub use panel::{Check, Panel, panel};
pub use picture::Picture;
pub use text::{Line, Look, Role, Span, Text};
