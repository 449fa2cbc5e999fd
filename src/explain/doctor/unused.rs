//! Keys where the values belong, or values where the keys belong: the other projection is left unused.
//! Told only of a function in which the projection that should have been taken is computed and left.

use super::attention::{Attention, made_by};
use super::flow::{projection, source};
use super::{Find, Mistake, Run, Seen};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "projection-mixed-up",
    title: "one projection stands in for another, which is left unused",
    why: "Queries and keys decide how much each token counts; values are what is then averaged. With one in the place of \
          another, a weight matrix of the layer is never used and never learns.",
    find: Find::Run(find),
};

fn find(run: &Run) -> Vec<Seen> {
    run.trace.steps.iter().filter_map(|step| mixed(step, run)).collect()
}

fn mixed(step: &Traced, run: &Run) -> Option<Seen> {
    let attention = Attention::used_by(step)?;
    let scores = attention.scores.as_ref()?;
    let (_, values) = source(attention.values()?);
    let [queries, keys] = &scores.sources;
    let (input, activation) = (projection(&values)?.left, step.place()?.activation);
    let idle = idle(run, &input, activation)?;
    let idle_name = run.called(&idle, "the other projection");
    let same = |a: &Tensor, b: &Tensor| a.is(b);
    let (saw, fix) = if same(&values, keys) || same(&values, queries) {
        let which = if same(&values, keys) { "keys" } else { "queries" };
        let name = run.called(&values, &format!("the {which}"));
        (
            format!(
                "The weights are multiplied with {name}, which made the scores already{}.",
                left_over(&idle_name)
            ),
            "queries and keys make the scores, values what is averaged: weights @ values".to_owned(),
        )
    } else if same(queries, keys) {
        let name = run.called(queries, "one projection");
        (
            format!("The scores are {name} with {name} itself{}.", left_over(&idle_name)),
            "queries @ keys.transpose(-2, -1)".to_owned(),
        )
    } else {
        return None;
    };
    Some(Seen::new(step.site(), saw, fix))
}

fn left_over(name: &str) -> String {
    format!("; {name} is computed from the same input and nothing uses it")
}

/// A projection of the same input, in the same call, that no operation takes.
fn idle(run: &Run, input: &Tensor, activation: u64) -> Option<Tensor> {
    run.trace.steps.iter().enumerate().find_map(|(at, step)| {
        let place =
            step.calls.iter().find(|call| call.activation == activation && call.function != "<module>");
        place?;
        made_by(step)?;
        let made = step.results.first()?.tensor.clone()?;
        let projection = projection(&made)?;
        let same = projection.left.is(input) && !run.is_used_after(&made, at);
        same.then_some(made)
    })
}
