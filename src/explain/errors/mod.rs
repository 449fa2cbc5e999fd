//! An error explained from what was there when it was raised: operands, where they came from, what clashes,
//! and the fixes that were tried and fit.
//! Facts and sentences as values; a fix is tried on zeros of the operands' shapes, in a state of its
//! own, and never on the learner's tensors.
//!
//! | file | what it does |
//! |---|---|
//! | [`operands`] | the operands of a call that raised: names, axes, where they were made |
//! | [`shapes`] | two shapes that do not go together: the axes that clash, the fixes that fit |
//! | [`layouts`] | `view` and `reshape` |
//! | [`places`] | indices and dimensions out of range |
//! | [`kinds`] | dtypes, and operations that want another |
//! | [`missing`] | names, attributes and keys that are not there |
//! | [`words`] | what else PyTorch and Python complain of |

mod kinds;
mod layouts;
mod missing;
mod operands;
mod places;
mod scratch;
mod shapes;
mod words;

use serde::Serialize;

use super::code::Code;
use super::name::Name;
use super::names::Names;
use crate::session::{ErrorContext, Raised};

/// What an error is about, beyond its own text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explanation {
    /// The operation that raised, where its operands explain it.
    pub clash: Option<Clash>,
    /// What else is to be said, a sentence or two each.
    pub remarks: Vec<String>,
    /// What would fit, the likeliest first.
    pub fixes: Vec<Fix>,
}

/// An operation and two operands that do not go together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Clash {
    /// The operation as the learner knows it: `queries @ keys`, `masked_fill(scores, mask)`.
    pub text: String,
    /// What stands between the two shapes: `@`, `+`, `with`.
    pub between: String,
    /// The operands.
    pub operands: [Operand; 2],
    /// What should have been: "2 and 6 must be equal".
    pub rule: String,
}

/// One operand.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Operand {
    /// What the learner calls it.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Names of its axes, as many as it has dimensions, or none.
    pub axes: Vec<String>,
    /// The axis that does not fit.
    pub clash: Option<usize>,
}

/// A change after which the call works; it was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// Code: `queries @ keys.T`.
    pub code: String,
    /// The shapes after it: `(6,2) @ (2,6) -> (6,6)`; empty where shapes do not matter.
    pub shapes: String,
    /// Why it works, in words; may be empty.
    pub reason: String,
}

impl Fix {
    fn new(code: impl Into<String>, reason: impl Into<String>) -> Fix {
        Fix { code: code.into(), shapes: String::new(), reason: reason.into() }
    }
}

/// What is known of an error.
pub struct Case<'c> {
    /// What was raised.
    pub raised: &'c Raised,
    /// What was in reach there.
    pub scene: &'c ErrorContext,
    /// The source of a cell, by its name.
    pub source: &'c dyn Fn(&str) -> Option<String>,
    /// Names of a variable's axes; none where none are given.
    pub axes: &'c dyn Fn(&str) -> Vec<String>,
}

impl Case<'_> {
    /// Where it was raised: the cell and the line of the innermost frame.
    fn place(&self) -> Option<(&str, usize)> {
        self.raised.frames.last().map(|frame| (frame.cell.as_str(), frame.line))
    }

    /// The learner's line that raised.
    fn line(&self) -> Option<String> {
        let (cell, line) = self.place()?;
        let source = (self.source)(cell)?;
        source.lines().nth(line.checked_sub(1)?).map(|line| line.trim().to_owned())
    }
}

/// What an explainer looks at: the case, the names in reach, and the operands as the learner wrote them.
struct Look<'c> {
    case: &'c Case<'c>,
    names: Names,
    failed: Option<&'c crate::ops::Failed>,
    /// The cell that raised.
    code: Code,
    /// The operands of the call that raised, as the learner wrote them.
    written: Vec<Name>,
}

/// What explains part of an error, or passes.
type Explainer = fn(&Look) -> Option<Explanation>;

/// Asked in this order; the first that knows the error explains it.
const EXPLAINERS: &[Explainer] =
    &[kinds::explain, layouts::explain, places::explain, shapes::explain, missing::explain, words::explain];

/// What is to be said of an error beyond its own text; nothing where nothing is known.
pub fn explained(case: &Case) -> Explanation {
    if case.raised.interrupted {
        return Explanation::default();
    }
    let tensors = case.scene.tensors.iter().map(|variable| (variable.name.clone(), variable.value.clone()));
    // An error that was caught before is not this one.
    let failed = case.scene.failed.as_ref().filter(|failed| failed.error.message == case.raised.message);
    let place = case.place();
    let cell = place.and_then(|(cell, _)| Some((cell.to_owned(), (case.source)(cell)?)));
    let code = Code::new(cell);
    let written = place.zip(failed).map(|(place, failed)| code.operands_of_call(place, failed.op));
    let written = written.unwrap_or_default().into_iter().map(Name::bracketed).collect();
    let look = Look { case, names: Names::new(tensors), failed, code, written };
    EXPLAINERS.iter().find_map(|explain| explain(&look)).unwrap_or_default()
}
