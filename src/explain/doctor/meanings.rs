//! What a mask of tokens means where scores are hidden with it: a comparison of tokens with a number says which are padding.

use super::attention::record_of;
use super::flow::{operand, operands, origin};
use super::mistake::{Observation, TracedCell, in_line};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, DType, Tensor};

/// The most operations between a comparison and its mask.
const LONGEST: usize = 12;
/// Scores that are filled with less are hidden.
const HIDDEN: f64 = -1e4;

/// Tokens whose keys are hidden: those that are `token`, or all others.
#[derive(Clone, Copy, PartialEq)]
struct Hidden {
    token: f64,
    is_token: bool,
}

/// Keys that are hidden where the tokens are not a number, and elsewhere where they are.
pub(super) fn both(cell: &TracedCell) -> Vec<Observation> {
    let hidden = |step| Some((step, of_step(step)?));
    let all: Vec<(&Traced, Hidden)> = cell.steps().filter_map(hidden).collect();
    let contradicted = |(step, own): &(&Traced, Hidden)| {
        let opposite = Hidden { is_token: true, ..*own };
        let (other, _) = all.iter().find(|(_, it)| !own.is_token && *it == opposite)?;
        let token = figure(own.token);
        let observed = format!(
            "Here the keys are hidden whose token is not {token}, and{} those whose token is {token}.",
            in_line(other.site().as_ref())
        );
        let found = Observation::new(
            step.site(),
            observed,
            "masked_fill(~mask, ...), or the mask itself, in both places",
        );
        Some(found.titled("one mask of tokens is used with both meanings").because(
            "A mask says either which keys are hidden or which are left. With the wrong meaning attention is paid to padding alone.",
        ))
    };
    all.iter().find_map(contradicted).into_iter().collect()
}

/// Which keys an operation hides, if that follows from a comparison of tokens with a number.
fn of_step(step: &Traced) -> Option<Hidden> {
    let record = record_of(step).filter(|it| it.operation.explanation == Explanation::MaskedFill)?;
    let fill = record.args().get(2)?.number()?;
    let mask = operand(&record, 1)?;
    (fill < HIDDEN).then(|| of_mask(&mask, LONGEST)).flatten()
}

/// The tokens where a mask is true.
fn of_mask(mask: &Tensor, most: usize) -> Option<Hidden> {
    let record = origin(mask).filter(|_| most > 0)?;
    let first = operand(&record, 0)?;
    let opposite = |it: Hidden| Hidden { is_token: !it.is_token, ..it };
    let deeper = |tensor: &Tensor| of_mask(tensor, most - 1);
    match (record.operation.family, record.operation.explanation) {
        (OpFamily::View | OpFamily::Copy | OpFamily::Cast, _) => deeper(&first),
        (_, Explanation::Pointwise(Formula::Not)) => deeper(&first).map(opposite),
        (_, Explanation::Pointwise(Formula::And | Formula::Or)) => operands(&record).iter().find_map(deeper),
        (_, Explanation::Pointwise(Formula::Compare)) => {
            let is_equal = match record.operation.name {
                "eq" => true,
                "ne" => false,
                _ => return None,
            };
            let number = record.args().get(1).and_then(Arg::number)?;
            // `mask == 0` is the opposite of a mask.
            let of_other =
                deeper(&first).map(|it| if is_equal == (number == 0.0) { opposite(it) } else { it });
            let is_text = first.dtype() == DType::Int64 && first.ndim() == 2;
            of_other.or_else(|| is_text.then_some(Hidden { token: number, is_token: is_equal }))
        }
        _ => None,
    }
}
