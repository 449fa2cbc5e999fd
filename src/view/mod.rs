//! Values to styled text: panels, tables, heat maps, prose, code, listings. Never prints.
//! Takes plain values and a [`Look`]; gives a [`Text`]. No Tensor is computed here,
//! nothing is global: width, colour and plainness are arguments.

pub mod bench;
pub mod check;
pub mod code;
pub mod columns;
pub mod compare;
pub mod doctor;
pub mod errors;
pub mod figure;
pub mod glossary;
pub mod heat;
pub mod learn;
pub mod listing;
pub mod markdown;
pub mod maths;
pub mod panel;
pub mod pick;
pub mod picture;
pub mod prose;
pub mod quiz;
pub mod run;
pub mod shapes;
pub mod storage;
pub mod table;
pub mod text;
pub mod trace;
pub mod why;
pub mod wrap;

pub use figure::Figure;
pub use panel::{Check, Panel, panel};
pub use picture::Picture;
pub use text::{Line, Look, Role, Span, Text};
