//! Weights whose rows are added up before they meet the values: each sum is 1, and nothing is averaged.

use super::attention::is_softmax;
use super::flow::trace_back;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Arg;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A211",
    "weights-summed",
    "the weights are summed before they meet the values",
    "An index of einsum that only one operand has, and the result has not, is summed in that operand alone. Weights sum \
          to 1, so each query gets one value as it is, and no token reads another.",
    &[Detector::Step(summed)],
);

fn summed(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let (Explanation::Einsum, Some(Arg::Str(equation))) = (step.operation.explanation, step.args.first())
    else {
        return None;
    };
    let plain: String = equation.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (inputs, output) = plain.split_once("->")?;
    let (left, right) = inputs.split_once(',')?;
    let alone = |own: &str, other: &str| {
        own.chars().find(|it| it.is_alphabetic() && !other.contains(*it) && !output.contains(*it))
    };
    let operands: Vec<_> = step.operands.iter().filter_map(|it| it.tensor.as_ref()).collect();
    let [a, b] = operands.as_slice() else { return None };
    let is_weights = |tensor| trace_back(tensor, &is_softmax).is_some();
    let (letter, weights) = match (alone(left, right), alone(right, left)) {
        (Some(letter), _) if is_weights(a) => (letter, a),
        (_, Some(letter)) if is_weights(b) => (letter, b),
        _ => return None,
    };
    let observed = format!(
        "In \"{equation}\" the index {letter} belongs to {} alone: its rows are added up before they meet the other operand.",
        cell.name_of(weights, "the weights")
    );
    let fix = "the index of the keys in both operands: \"bhij,bhjd->bhid\"";
    Some(Observation::new(step.site(), observed, fix))
}
