//! A query, key or value projection on which the output of its layer does not depend.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A402",
    name: "projection-unused",
    title: "a projection has no effect on the output",
    why: "Its gradient is zero, so it never learns. Queries and keys decide how much each token counts, the values are \
          what is averaged: attention needs all three.",
    implied_by: &["projection-mixed-up"],
    detector: Detector::Call(detect),
};

/// Whether the call multiplies weights with values. A function that returns the weights needs no values.
fn has_values(call: &RepeatedCall, cell: &TracedCell) -> bool {
    cell.trace.steps.iter().any(|step| {
        let own = step.calls.iter().any(|it| it.activation == call.report.activation);
        own && (step.operation.explanation == Explanation::Attention || Attention::ending_at(step).is_some())
    })
}

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    // With one token, or where tokens do not meet, queries and keys have no effect.
    call.token_axis().filter(|_| !call.is_outer && has_values(call, cell))?;
    let unused: Vec<&str> =
        call.report.untouched.iter().map(String::as_str).filter(|it| is_projection(it)).collect();
    if unused.is_empty() {
        return None;
    }
    let observed = format!(
        "{} was run backward from its output: the gradient of {} is 0 everywhere.",
        call.function,
        unused.join(" and of ")
    );
    let fix = "weights = softmax(queries @ keys.transpose(-2, -1) / width**0.5), then weights @ values: each of the three \
               from its own projection";
    Some(Observation::new(call.site.clone(), observed, fix))
}

/// Whether a parameter's name is that of a query, key or value projection.
fn is_projection(name: &str) -> bool {
    let name = name.to_lowercase();
    let words = ["query", "queries", "key", "keys", "value", "values"];
    let letters = ["q", "k", "v", "wq", "wk", "wv", "qkv", "kqv"];
    name.split(|letter: char| !letter.is_ascii_alphabetic())
        .any(|part| words.iter().any(|word| part.contains(word)) || letters.contains(&part))
}
