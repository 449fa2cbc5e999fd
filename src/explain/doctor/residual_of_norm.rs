//! A residual connection that begins behind the norm, in a block whose other one begins before it.
//! Source: Xiong et al. 2020: pre-norm is x + f(norm(x)), post-norm is norm(x + f(x)).

use super::flow::{Before, operands, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A410",
    "residual-of-norm",
    "one residual connection of a block begins behind its norm",
    "The residual stream is to reach the end of the model unchanged but for what is added. A connection that takes the \
          norm's result replaces the stream there: what came before is lost, and so is the short way for gradients.",
    &[Detector::Cell(detect)],
);

/// The most tensors between a connection and its branch.
const MOST_TENSORS: usize = 80;

#[derive(PartialEq)]
enum Begins {
    BeforeNorm,
    BehindNorm,
}

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let found = |step| Some((step, begins(step)?));
    let all: Vec<(&Traced, Begins)> = cell.steps().filter_map(found).collect();
    let behind = all.iter().filter(|(_, it)| *it == Begins::BehindNorm);
    let mixed = |step: &Traced| {
        let own = step.place()?;
        let other = all.iter().find(|(other, it)| {
            *it == Begins::BeforeNorm && other.place().is_some_and(|it| it.activation == own.activation)
        })?;
        let line = other.0.place()?.span.start.line;
        let observed = format!(
            "Here a norm's result is added to what was computed from it; in line {line}, in the same call, the input of the norm is."
        );
        Some(Observation::new(
            step.site(),
            observed,
            "x = x + f(norm(x)): keep x, and give the norm's result to f alone",
        ))
    };
    behind.filter_map(|(step, _)| mixed(step)).collect()
}

fn is_norm(record: &Record) -> bool {
    matches!(record.operation.explanation, Explanation::Normalisation(_))
}

/// Where a sum's residual connection begins, if it is one: one operand was computed from the other.
fn begins(step: &Traced) -> Option<Begins> {
    if step.operation.explanation != Explanation::Pointwise(Formula::Add) {
        return None;
    }
    let [a, b] = [step.tensor(0)?, step.tensor(1)?];
    if a.shape() != b.shape() || a.ndim() < 2 {
        return None;
    }
    let of = |skip: &Tensor, branch: &Tensor| {
        let is_result = origin(skip).is_some_and(|record| is_norm(&record));
        let (through, directly) = ways(skip, branch);
        match (is_result, through, directly) {
            (true, false, true) => Some(Begins::BehindNorm),
            (false, true, false) => Some(Begins::BeforeNorm),
            _ => None,
        }
    };
    of(a, b).or_else(|| of(b, a))
}

/// Whether a branch was computed from a tensor through a norm of it, and whether without one.
fn ways(from: &Tensor, branch: &Tensor) -> (bool, bool) {
    let (mut through, mut directly) = (false, false);
    let mut walk = Before::of(branch, MOST_TENSORS);
    while let Some(tensor) = walk.next() {
        let Some(record) = origin(&tensor) else { continue };
        let (own, others): (Vec<_>, Vec<_>) = operands(&record).into_iter().partition(|it| it.is(from));
        through |= !own.is_empty() && is_norm(&record);
        directly |= !own.is_empty() && !is_norm(&record);
        walk.go_on_with(others);
    }
    (through, directly)
}
