//! Shapes as algebra: `(6,3) @ (3,2) -> (6,2)`.

use super::super::terms::figure;
use crate::ops::trace::{Seen, Traced};
use crate::tensor::Arg;

/// A shape in short: `(6,3)`, `()` for a single number.
pub fn shape(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    format!("({})", sizes.join(","))
}

/// What went in, and what came out.
pub fn algebra(ran: &Traced) -> String {
    let made = results(&ran.results);
    let arrow = if made.is_empty() { String::new() } else { format!("-> {made}") };
    let given = operands(ran);
    match (ran.op, given.is_empty()) {
        ("setitem", _) => {
            format!("{given} into {}", ran.operand(0).map_or_else(String::new, |it| shape(it.shape())))
        }
        (_, true) => arrow,
        (_, false) => format!("{given} {arrow}").trim_end().to_owned(),
    }
}

/// From what the first operation of a library's call was given to what the last one gave; of what makes a module,
/// all that was made.
pub(super) fn through(steps: &[&Traced]) -> String {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return String::new() };
    if first.inside().first().is_some_and(|call| call.function.ends_with("__init__")) {
        let mut made: Vec<Seen> = Vec::new();
        for result in steps.iter().filter(|step| !step.is_view).flat_map(|step| &step.results) {
            if !made.iter().any(|other| other.shares(result)) {
                made.push(result.clone());
            }
        }
        return format!("-> {}", results(&made));
    }
    let given = first.operands.first().map(|operand| format!("{} ", shape(operand.shape())));
    format!("{}-> {}", given.unwrap_or_default(), results(&last.results))
}

fn results(results: &[Seen]) -> String {
    let shapes: Vec<String> = results.iter().map(|result| shape(result.shape())).collect();
    match shapes.as_slice() {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|other| other == first) => {
            format!("{} of {first}", shapes.len())
        }
        _ => shapes.join(", "),
    }
}

fn operands(ran: &Traced) -> String {
    let tensor = |at: usize| ran.operand(at).map(|operand| shape(operand.shape()));
    let value = |at: usize| {
        tensor(at).or_else(|| ran.args.get(at).and_then(Arg::number).map(figure)).unwrap_or_default()
    };
    let sign = match ran.op.trim_end_matches('_') {
        "matmul" | "mm" | "bmm" | "mv" => "@",
        "dot" | "inner" | "vdot" => "·",
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "pow" => "**",
        "gt" => ">",
        "lt" => "<",
        "ge" => ">=",
        "le" => "<=",
        "eq" => "==",
        "ne" => "!=",
        _ => "",
    };
    if !sign.is_empty() {
        return format!("{} {sign} {}", value(0), value(1));
    }
    match ran.op {
        // The weight is kept the other way round.
        "linear" => {
            let weight: Vec<usize> = ran
                .operand(1)
                .map(|weight| weight.shape().iter().rev().copied().collect())
                .unwrap_or_default();
            let bias = tensor(2).map(|bias| format!(" + {bias}")).unwrap_or_default();
            format!("{} @ {}{bias}", value(0), shape(&weight))
        }
        "setitem" => match tensor(1) {
            Some(source) => source,
            None => value(1),
        },
        _ => {
            let given = ran.operands.iter().map(|operand| shape(operand.shape())).collect::<Vec<_>>();
            match given.as_slice() {
                [first, _, _, ..] if given.iter().all(|other| other == first) => {
                    format!("{} of {first}", given.len())
                }
                _ => given.join(", "),
            }
        }
    }
}
