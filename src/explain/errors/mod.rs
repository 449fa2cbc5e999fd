//! Explains errors: which operands clash and why, where they came from, and fixes that work.
//! A fix is tried on zeros of the operands' shapes, in a state of its own, never on the learner's tensors.
//!
//! | file | what it does |
//! |---|---|
//! | [`explanation`] | the explanation of an error: operands, remarks, fixes |
//! | [`evidence`] | what is known of an error |
//! | [`operands`] | the operands of a call that raised: names, axes, where they were made |
//! | [`scratch`] | zeros in the shapes of operands, to try fixes on |
//! | [`shape_clash`] | two shapes that do not fit |
//! | [`layouts`] | `view` and `reshape` |
//! | [`places`] | indices and dimensions out of range |
//! | [`kinds`] | dtypes, and writes to tensors that require gradients |
//! | [`layers`] | losses, attention and heads whose sizes do not fit |
//! | [`einsum`] | letters of an einsum that do not fit its operands |
//! | [`python`] | names, attributes and keys that do not exist; numbers and keywords of arguments |
//! | [`facts`] | errors whose kind says enough |

mod einsum;
mod evidence;
mod explanation;
mod facts;
mod kinds;
mod layers;
mod layouts;
mod operands;
mod places;
mod python;
mod scratch;
mod shape_clash;

pub use evidence::ErrorCase;
pub use explanation::{Clash, ClashOperand, ErrorExplanation, Fix};

use evidence::Evidence;

/// Explains one kind of error; `None` for any other.
type Explainer = fn(&Evidence) -> Option<ErrorExplanation>;

/// The explainers in the order in which they are tried. The first that recognises the error explains it.
const EXPLAINERS: &[Explainer] = &[
    kinds::explain,
    layouts::explain,
    places::explain,
    layers::explain,
    einsum::explain,
    shape_clash::explain,
    python::explain,
    facts::explain,
];

/// What attn says about an error beyond its message; empty where it knows nothing.
pub fn explained(case: &ErrorCase) -> ErrorExplanation {
    if case.raised.interrupted {
        return ErrorExplanation::default();
    }
    let evidence = Evidence::of(case);
    EXPLAINERS.iter().find_map(|explain| explain(&evidence)).unwrap_or_default()
}
