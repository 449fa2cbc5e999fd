//! Explanations: why a number has its value, what a cell did, what went wrong. All of it is read from the records of
//! operations that ran.
//!
//! | file | what it does |
//! |---|---|
//! | [`why`] | an element explained, and the elements it was computed from |
//! | [`spot`] | an element at one moment, and the operation that made it |
//! | [`subject`] | the element that is explained, with the names and values of its operands |
//! | [`forms`] | how an element follows from each kind of operation |
//! | [`account`], [`calc`], [`terms`] | the parts of an explanation: statements, calculations, numbers |
//! | [`name`], [`names`], [`code`] | the names of tensors and elements |
//! | [`worked`] | the line under a panel |
//! | [`invariants`] | the invariants of a step, measured |
//! | [`trace`], [`shapes`] | what a cell did, what an expression does to shapes |
//! | [`what_if`], [`difference`] | what moved, and where two tensors differ |
//! | [`errors`], [`nonfinite`], [`doctor`] | errors, nan and inf, silent mistakes |

pub mod account;
pub mod calc;
mod code;
mod difference;
pub mod doctor;
pub mod errors;
mod forms;
mod invariants;
mod name;
mod names;
mod nonfinite;
pub mod shapes;
mod spot;
mod subject;
mod terms;
pub mod trace;
pub mod what_if;
mod why;
mod worked;

pub use account::{Statement, WhyEnd};
pub use calc::{Calc, Combine};
pub use difference::{TensorDifference, difference};
pub use invariants::{MeasuredInvariant, measured};
pub use names::{AxisPlace, TensorNames};
pub use nonfinite::{Nonfinite, NonfiniteOrigin, first_nonfinite};
pub use terms::figure;
pub use why::{Why, shown, why, why_of};
pub use worked::{Worked, worked};
