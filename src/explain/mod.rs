//! Why one number is what it is, read from the record of what ran, never by running it again.
//! Room: explain. Uses tensor and session values; returns words and figures, no styling.

mod difference;
pub mod doctor;
pub mod errors;
mod invariants;
mod names;
mod nonfinite;
pub mod shapes;
mod terms;
pub mod trace;
pub mod what_if;
mod worked;

pub use difference::{Difference, difference};
pub use invariants::{Measured, measured};
pub use names::Names;
pub use nonfinite::{Arisen, first_nonfinite};
pub use terms::{figure, sum_of_products, sum_of_terms};
pub use worked::{Worked, worked};
