//! Keys used as values, or a similar mix-up, which leaves another projection unused.
//! Reported only for a function that computes the right projection and never uses it.

use super::attention::{record_of, roles};
use super::flow::projection;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A401",
    name: "projection-mixed-up",
    title: "one projection is used in place of another, which is left unused",
    why: "Queries and keys decide how much each token counts; the values are what is averaged. If one projection is used \
          in place of another, a weight matrix of the layer is never used and never learns.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| mixed_up(step, cell)).collect()
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
    cell.trace.steps.iter().enumerate().find_map(|(at, step)| {
        let mut calls = step.calls.iter();
        calls.find(|call| call.activation == activation)?;
        record_of(step)?;
        let made = step.results.first()?.tensor.clone()?;
        let is_unused = projection(&made)?.left.is(input) && !cell.is_used_after(&made, at);
        is_unused.then_some(made)
    })
}
