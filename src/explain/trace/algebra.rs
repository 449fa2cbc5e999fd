//! The shapes of an operation as algebra: `(6,3) @ (3,2) -> (6,2)`.

use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::Arg;
use crate::tensor::explanation::Explanation;
use crate::tensor::show::shape_in_formula;

/// Returns the shapes of the operands and of the results.
pub(crate) fn algebra(ran: &Traced) -> String {
    let operands = operands(ran);
    if ran.operation.explanation == Explanation::Assignment {
        let target = ran.operand(0).map_or_else(String::new, |target| shape_in_formula(target.shape()));
        return format!("{operands} into {target}");
    }
    let results = shapes(&ran.results, 2);
    let arrow = if results.is_empty() { String::new() } else { format!("-> {results}") };
    format!("{operands} {arrow}").trim().to_owned()
}

/// The shapes of a library call: the first operand of its first operation, and the results of its last one. For a call
/// of `__init__`, all tensors that it made.
pub(super) fn through(steps: &[&Traced]) -> String {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return String::new() };
    if first.inside().first().is_some_and(|call| call.function.ends_with("__init__")) {
        let mut made: Vec<TracedTensor> = Vec::new();
        for result in steps.iter().filter(|step| !step.is_view).flat_map(|step| &step.results) {
            if !made.iter().any(|other| other.shares(result)) {
                made.push(result.clone());
            }
        }
        return format!("-> {}", shapes(&made, 2));
    }
    let given = first.operands.first().map(|operand| format!("{} ", shape_in_formula(operand.shape())));
    format!("{}-> {}", given.unwrap_or_default(), shapes(&last.results, 2))
}

/// The shapes of tensors; so many or more that are equal are counted.
fn shapes(tensors: &[TracedTensor], least: usize) -> String {
    let shapes: Vec<String> = tensors.iter().map(|tensor| shape_in_formula(tensor.shape())).collect();
    match shapes.first() {
        Some(first) if shapes.len() >= least && shapes.iter().all(|other| other == first) => {
            format!("{} of {first}", shapes.len())
        }
        _ => shapes.join(", "),
    }
}

fn operands(ran: &Traced) -> String {
    let tensor = |at: usize| ran.operand(at).map(|operand| shape_in_formula(operand.shape()));
    let value = |at: usize| {
        tensor(at).or_else(|| ran.args.get(at).and_then(Arg::number).map(figure)).unwrap_or_default()
    };
    if let Some(sign) = ran.operation.sign() {
        return format!("{} {} {}", value(0), sign.code(), value(1));
    }
    match ran.operation.explanation {
        // The operation transposes its weight.
        Explanation::Linear => {
            let weight =
                ran.operand(1).map(|weight| weight.shape().iter().rev().copied().collect::<Vec<_>>());
            let weight = weight.map(|weight| shape_in_formula(&weight)).unwrap_or_default();
            let bias = tensor(2).map(|bias| format!(" + {bias}")).unwrap_or_default();
            format!("{} @ {weight}{bias}", value(0))
        }
        Explanation::Assignment => value(1),
        _ => shapes(&ran.operands, 3),
    }
}
