//! A softmax of the learner's own whose results sum to 1 along no axis.

use super::axes::sums;
use super::mistake::{Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::Tensor;
use crate::tensor::explanation::{Explanation, Formula};

/// Results with more elements are not summed.
const MOST_ELEMENTS: usize = 1 << 18;

/// The words of a name that says nothing else than "softmax".
const WORDS: [&str; 18] = [
    "softmax", "my", "naive", "stable", "np", "numpy", "custom", "simple", "cols", "rows", "columns", "row",
    "func", "fn", "basic", "manual", "safe", "own",
];

/// The functions that are named as softmax is, and whose result sums to 1 along no axis.
pub(super) fn wrong_sums(cell: &TracedCell) -> Vec<Observation> {
    let mut seen: Vec<u64> = Vec::new();
    let mut found = Vec::new();
    for step in cell.steps() {
        let call = step.calls.iter().rev().find(|call| !call.library);
        let Some(call) = call.filter(|call| is_softmax(call.function) && !seen.contains(&call.activation))
        else {
            continue;
        };
        seen.push(call.activation);
        let own = || cell.steps().filter(|it| it.calls.iter().any(|it| it.activation == call.activation));
        let has_exp = own().any(|it| it.operation.explanation == Explanation::Pointwise(Formula::Exp));
        let Some(last) = own().next_back().filter(|_| has_exp) else { continue };
        found.extend(observation(last, call.function));
    }
    found
}

fn is_softmax(function: &str) -> bool {
    let name = function.rsplit('.').next().unwrap_or(function).to_lowercase();
    name.contains("softmax") && name.split('_').all(|word| word.is_empty() || WORDS.contains(&word))
}

fn observation(last: &Traced, function: &str) -> Option<Observation> {
    let result = last.results.first()?;
    let tensor: &Tensor = result.tensor.as_ref()?;
    if !result.dtype.is_float() || tensor.numel() < 2 || tensor.numel() > MOST_ELEMENTS {
        return None;
    }
    let values = result.floats()?;
    if values.iter().any(|it| !it.is_finite() || *it < 0.0) {
        return None;
    }
    let is_one = |sum: &f64| (sum - 1.0).abs() <= 1e-3;
    let of_axes: Vec<Vec<f64>> = (1..=tensor.ndim()).map(|axis| sums(&values, tensor, axis)).collect();
    if of_axes.iter().flatten().any(is_one) {
        return None;
    }
    let first = of_axes.first()?.first()?;
    let total: f64 = values.iter().sum();
    let all = if is_one(&total) { ", and all its elements together to 1" } else { "" };
    let observed = format!("{function} returns numbers whose first row sums to {}{all}.", figure(*first));
    let fix = "divide by the sums of the rows: e / e.sum(axis=-1, keepdims=True)";
    Some(Observation::new(last.site(), observed, fix).titled("a softmax whose rows do not sum to 1").because(
        "A row of weights says how one token divides its attention among the keys, so it has to sum to 1.",
    ))
}
