//! Explanations of whole programs: `why`, what-if, traces, and the doctor's silence on correct code.

mod trace;
mod what_if;
pub(crate) mod why;
mod zoo;
