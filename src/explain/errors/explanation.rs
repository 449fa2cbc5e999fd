//! What attn says about an error beyond its message: the operands that clash, remarks, and fixes that work.

use serde::Serialize;

/// What attn says about an error beyond its message.
#[derive(Clone, Default, PartialEq, Serialize)]
pub struct ErrorExplanation {
    /// The operands that do not fit, if that is the error.
    pub clash: Option<Clash>,
    /// Remarks of a sentence or two.
    pub remarks: Vec<String>,
    /// Changes that work, the most likely first.
    pub fixes: Vec<Fix>,
}

/// An operation and two operands whose shapes do not fit.
#[derive(Clone, Default, PartialEq, Serialize)]
pub struct Clash {
    /// The operation as the learner writes it: `queries @ keys`, `masked_fill(scores, mask)`.
    pub text: String,
    /// The sign or word between the two shapes: `@`, `+`, `with`.
    pub between: String,
    pub operands: [ClashOperand; 2],
    /// The rule that is broken: "2 and 6 must be equal".
    pub rule: String,
}

/// One of two operands whose shapes do not fit.
#[derive(Clone, Default, PartialEq, Serialize)]
pub struct ClashOperand {
    pub name: String,
    pub shape: Vec<usize>,
    /// The names of its axes; empty if they are not known.
    pub axes: Vec<String>,
    /// The axis that does not fit.
    pub clash: Option<usize>,
}

/// A change to the code. Changes to a call have been tried and work.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The code: `queries @ keys.T`.
    pub code: String,
    /// The shapes after it: `(6,2) @ (2,6) -> (6,6)`; empty where shapes do not matter.
    pub shapes: String,
    /// Why it works, in words; may be empty.
    pub reason: String,
}

impl ErrorExplanation {
    /// Remarks and fixes, without operands that clash.
    pub(super) fn new(remarks: Vec<String>, fixes: Vec<Fix>) -> ErrorExplanation {
        ErrorExplanation { clash: None, remarks, fixes }
    }
}

impl Fix {
    pub(super) fn new(code: impl Into<String>, reason: impl Into<String>) -> Fix {
        Fix { code: code.into(), shapes: String::new(), reason: reason.into() }
    }
}
