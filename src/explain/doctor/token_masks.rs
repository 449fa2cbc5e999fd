//! What masks of tokens hide: the keys that a comparison of tokens with a number says are padding, in one place and in another.

use super::attention::{Attention, is_softmax, record_of};
use super::flow::{Before, operand, operands, origin};
use super::mask::NO_WEIGHT;
use super::mistake::{Observation, TracedCell, in_line};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::{OpFamily, OpNotation, Sign};
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, DType, Tensor};

/// The most operations between a comparison and its mask.
const LONGEST: usize = 12;

/// Tokens whose keys are hidden: those that are `token`, or all others.
#[derive(Clone, Copy, PartialEq)]
struct Hidden {
    token: f64,
    is_token: bool,
}

/// Keys that are hidden where the tokens are not a number, and elsewhere where they are.
pub(super) fn both_meanings(cell: &TracedCell) -> Option<Observation> {
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
    all.iter().find_map(contradicted)
}

/// Which keys an operation hides, if that follows from a comparison of tokens with a number.
fn of_step(step: &Traced) -> Option<Hidden> {
    let record = record_of(step).filter(|it| it.operation.explanation == Explanation::MaskedFill)?;
    let fill = record.args().get(2)?.number()?;
    let mask = operand(&record, 1)?;
    (fill < NO_WEIGHT).then(|| of_mask(&mask, LONGEST)).flatten()
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
            let is_equal = match record.operation.notation {
                OpNotation::Infix(Sign::Eq) => true,
                OpNotation::Infix(Sign::Ne) => false,
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

/// The most tensors between values and the attention that made them.
const MOST_TENSORS: usize = 300;

/// Keys that the attention which computed the values hid from all tokens, as it does padding, and that are in sight here.
pub(super) fn unhidden(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let (input, values) = (attention.input()?, attention.values()?);
    if attention.axis != 1 || input.ndim() < 2 || input.to_f64_vec().iter().any(|score| *score < NO_WEIGHT) {
        return None;
    }
    let (samples, keys) = (input.shape()[0], *input.shape().last()?);
    let attention_of = |weights: Tensor| {
        let softmax = origin(&weights).filter(|it| is_softmax(it))?;
        let before = Attention::new(softmax, weights, None)?;
        Some((before.input()?, before))
    };
    let is_alike = |(it, _): &(Tensor, Attention)| {
        it.ndim() >= 3 && it.shape()[0] == samples && it.shape().last() == Some(&keys)
    };
    // The nearest attention with as many keys.
    let (scores, before) = Before::of(values, MOST_TENSORS).filter_map(attention_of).find(is_alike)?;
    let columns = hidden_columns(&scores);
    let (sample, hidden) = columns.chunks(keys).enumerate().find(|(_, row)| row.contains(&true))?;
    if !hidden.contains(&false) || !is_of_one_sequence(&before) {
        return None;
    }
    let count = hidden.iter().filter(|it| **it).count();
    let observed = format!(
        "{count} of {keys} keys of sample {sample} were hidden from all tokens in the attention that computed {}, and no key is \
         hidden here.",
        cell.name_of(values, "the values")
    );
    let found = Observation::new(attention.site(), observed, "the same mask of padding for these keys");
    Some(found.titled("padding that an attention before it hides is in sight"))
}

/// For each sample and key whether the key is hidden from all tokens, in all heads.
fn hidden_columns(scores: &Tensor) -> Vec<bool> {
    let (samples, keys) = (scores.shape()[0], scores.shape()[scores.ndim() - 1]);
    let values = scores.to_f64_vec();
    let mut columns = vec![true; samples * keys];
    for (at, value) in values.iter().enumerate() {
        columns[at * samples / values.len() * keys + at % keys] &= *value < NO_WEIGHT;
    }
    columns
}

/// Whether queries and keys were computed from one sequence.
fn is_of_one_sequence(attention: &Attention) -> bool {
    let Some([queries, keys]) = attention.scores.as_ref().map(|it| &it.sources) else { return false };
    let input = |it: &Tensor| origin(it).and_then(|record| operand(&record, 0));
    queries.is(keys) || input(queries).zip(input(keys)).is_some_and(|(a, b)| a.is(&b))
}
