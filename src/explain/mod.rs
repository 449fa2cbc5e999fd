//! Why one number is what it is, read from the record of what ran, never by running it again.
//! Uses tensor, torch and session values; returns words and figures, no styling.
//!
//! | file | what it does |
//! |---|---|
//! | [`why`] | one element as a node, and the way down from it |
//! | [`spot`] | an element at one moment, and what put it there |
//! | [`subject`] | an element with the operation that made it: names and values of operands |
//! | [`forms`] | how each operation is explained, by name |
//! | [`account`], [`calc`], [`terms`] | what an explanation is made of: words, figures, sums |
//! | [`names`], [`code`] | what things are called: variables, attributes, names inside functions |
//! | [`worked`] | the line under a panel |
//! | [`invariants`] | the invariants of a step, measured |
//! | [`trace`], [`shapes`] | what a cell did, what an expression does to shapes |
//! | [`what_if`], [`difference`] | what moved, and where two tensors differ |
//! | [`errors`], [`nonfinite`], [`doctor`] | what went wrong: aloud, in the numbers, in silence |

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
