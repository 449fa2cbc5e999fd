//! Losses of mixed inputs: each target counts as much as what was mixed of its own input.
//! Source: Zhang et al. 2018, mixup.

use super::flow::{Before, origin};
use super::mistake::{Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Arg, Index, Tensor};

/// The most tensors between the outputs of a model and its inputs.
const MOST: usize = 600;

/// A sum of two losses of the same outputs, one of the targets of the samples and one of those of others, whose shares are those of
/// the other inputs.
pub(super) fn exchanged(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let both = shares(step.tensor(0)?, step.tensor(1)?)?;
    let [(outputs, targets), (same, other_targets)] = [loss(&both[0].0)?, loss(&both[1].0)?];
    if !outputs.is(&same) {
        return None;
    }
    let (others, share) = of_others([(targets, both[0].1), (other_targets, both[1].1)])?;
    let mixed = Before::of(&outputs, MOST).find_map(|it| {
        let record = origin(&it)?;
        let is_sum = record.operation.explanation == Explanation::Pointwise(Formula::Add);
        let args = record.args();
        let both = shares(args.first().filter(|_| is_sum)?.tensor()?, args.get(1)?.tensor()?)?;
        of_others(both).filter(|(rows, _)| *rows == others).map(|(_, share)| share)
    })?;
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    if near(share, mixed) || !near(1.0 - share, mixed) {
        return None;
    }
    let observed = format!(
        "The inputs of other samples have a share of {mixed:.4} in the mixture, and the loss of their targets one of {share:.4}."
    );
    let fix = "lam * x + (1 - lam) * x[other] belongs to lam * loss(y) + (1 - lam) * loss(y[other])";
    let found =
        Observation::new(step.site(), observed, fix).titled("the shares of mixed targets are exchanged");
    Some(found.because("The model is asked for the class of the image that it sees least of."))
}

/// Of the rows of a tensor and others of its rows: which the others are, and their share.
fn of_others([(one, its_share), (other, other_share)]: [(Tensor, f64); 2]) -> Option<(Vec<f64>, f64)> {
    match (picked(&one), picked(&other)) {
        (_, Some((of, rows))) if of.is(&one) => Some((rows, other_share)),
        (Some((of, rows)), _) if of.is(&other) => Some((rows, its_share)),
        _ => None,
    }
}

/// Two tensors that are each multiplied by a number, with the numbers, which add up to 1.
fn shares(one: &Tensor, other: &Tensor) -> Option<[(Tensor, f64); 2]> {
    let both = [scaled(one)?, scaled(other)?];
    ((both[0].1 + both[1].1 - 1.0).abs() < 1e-6).then_some(both)
}

/// A tensor that was multiplied by a number, and the number.
fn scaled(tensor: &Tensor) -> Option<(Tensor, f64)> {
    let record = origin(tensor)?;
    let args = record.args();
    let is_product = record.operation.explanation == Explanation::Pointwise(Formula::Mul);
    let number = |arg: &Arg| arg.number().or_else(|| arg.tensor().filter(|it| it.ndim() == 0)?.item().ok());
    let at = (0..2).find(|at| args.get(*at).and_then(number).is_some()).filter(|_| is_product)?;
    Some((args.get(1 - at)?.tensor()?.clone(), number(&args[at])?))
}

/// What rows were taken of, and which.
fn picked(tensor: &Tensor) -> Option<(Tensor, Vec<f64>)> {
    let record = origin(tensor)?;
    let args = record.args();
    let Some(Arg::Index(parts)) = args.get(1) else { return None };
    let [Index::Tensor(rows), ..] = &parts[..] else { return None };
    let is_lookup = record.operation.explanation == Explanation::Moved(Movement::LookedUp);
    Some((args.first().filter(|_| is_lookup)?.tensor()?.clone(), rows.to_f64_vec()))
}

/// The outputs and the targets of a loss.
fn loss(tensor: &Tensor) -> Option<(Tensor, Tensor)> {
    let record = origin(tensor)?;
    let args = record.args();
    let is_loss = matches!(record.operation.explanation, Explanation::Loss(_));
    Some((args.first().filter(|_| is_loss)?.tensor()?.clone(), args.get(1)?.tensor()?.clone()))
}
