//! Keys used as values, or a similar mix-up, which leaves another projection unused.
//! Reported for a function that computes the right projection and never uses it, and where other weights of the same scores
//! meet the values.

use super::attention::{Attention, record_of, roles};
use super::flow::{FlowStep, origin, projection, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A401",
    "projection-mixed-up",
    "one projection is used in place of another, which is left unused",
    "Queries and keys decide how much each token counts; the values are what is averaged. If one projection is used \
          in place of another, a weight matrix of the layer is never used and never learns.",
    &[Detector::Cell(detect)],
);

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let steps = &cell.trace.steps;
    let of_call = steps.iter().filter_map(|step| mixed_up(step, cell));
    let known: Vec<(&Traced, [Tensor; 3])> = steps.iter().filter_map(|it| Some((it, roles(it)?))).collect();
    let elsewhere = known.iter().filter_map(|(step, own)| keys_again(step, own, &known, cell));
    of_call.chain(elsewhere).collect()
}

/// Whether the weights of attention are what its softmax returned, but for dropout: no gradient of them.
fn has_plain_weights(step: &Traced) -> bool {
    let is_plain = |step: &FlowStep| step.is_dropout() || step.record.operation.family == OpFamily::View;
    step.operation.explanation == Explanation::Attention
        || Attention::ending_at(step)
            .and_then(|it| it.context)
            .is_some_and(|it| it.after.iter().all(is_plain))
}

/// Weights that are multiplied with the keys of their own scores, where other weights of the same queries and keys are
/// multiplied with something else.
fn keys_again(
    step: &Traced,
    [queries, keys, values]: &[Tensor; 3],
    known: &[(&Traced, [Tensor; 3])],
    cell: &TracedCell,
) -> Option<Observation> {
    let is_operand = |it: &Tensor| it.is(queries) || it.is(keys);
    let differs = !queries.is(keys) && origin(keys).is_some() && is_operand(values);
    // Co-attention averages both sides by the scores of one product: its queries are no projection of what the keys are one of.
    let made_from = |it: &Tensor| projection(it).map(|it| source(&it.left).1);
    let of_one_text = made_from(queries).zip(made_from(keys)).is_some_and(|(one, other)| one.is(&other));
    let is_other = |(_, [q, k, v]): &&(&Traced, [Tensor; 3])| {
        of_one_text && q.is(queries) && k.is(keys) && !is_operand(v)
    };
    let (other, [.., right]) = known.iter().find(is_other).filter(|_| differs && has_plain_weights(step))?;
    let (name, right) = (cell.name_of(values, "the keys"), cell.name_of(right, "the values"));
    let line = other.site()?.line;
    let observed = format!(
        "The weights are multiplied with {name}, which already made the scores. In line {line} the weights of the same scores \
         are multiplied with {right}."
    );
    Some(
        Observation::new(step.site(), observed, format!("weights @ {right}"))
            .titled("the weights meet the keys, and elsewhere the values")
            .because("Keys say how much each token counts; what is averaged are the values."),
    )
}

fn mixed_up(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let [queries, keys, values] = &roles(step)?;
    let (input, activation) = (projection(values)?.left, step.place()?.activation);
    let unused = unused_projection(cell, &input, activation)?;
    let unused = format!(
        "; {} is computed from the same input and nothing uses it",
        cell.name_of(&unused, "the other projection")
    );
    let (observed, fix) = if values.is(keys) || values.is(queries) {
        let which = if values.is(keys) { "keys" } else { "queries" };
        let name = cell.name_of(values, &format!("the {which}"));
        (
            format!("The weights are multiplied with {name}, which already made the scores{unused}."),
            "queries and keys make the scores, the values are averaged: weights @ values",
        )
    } else if queries.is(keys) {
        let name = cell.name_of(queries, "one projection");
        (
            format!("The scores are the product of {name} with {name} itself{unused}."),
            "queries @ keys.transpose(-2, -1)",
        )
    } else {
        return None;
    };
    Some(Observation::new(step.site(), observed, fix))
}

/// A projection of the same input, made in the same call, that no operation uses.
fn unused_projection(cell: &TracedCell, input: &Tensor, activation: u64) -> Option<Tensor> {
    cell.steps().enumerate().find_map(|(at, step)| {
        let mut calls = step.calls.iter();
        calls.find(|call| call.activation == activation)?;
        record_of(step)?;
        let made = step.result()?.clone();
        let is_used =
            |(at, step): (usize, &Traced)| step.result().is_some_and(|made| cell.is_used_after(made, at));
        let is_unused = projection(&made)?.left.is(input)
            && !cell.is_used_after(&made, at)
            && !cell.alike(step).any(is_used);
        is_unused.then_some(made)
    })
}
