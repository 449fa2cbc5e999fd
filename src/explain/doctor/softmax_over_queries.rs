//! Softmax along the queries: each column sums to 1 instead of each row.

use std::rc::Rc;

use super::attention::{Attention, Context};
use super::axes::{Axis, size, sums};
use super::flow::{FlowStep, axis_at_start, operand, origin, projection, rearranged};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::tensor::Tensor;
use crate::tensor::explanation::Explanation;
use crate::tensor::show::shape_in_formula;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A201",
    "softmax-over-queries",
    "softmax runs over the queries",
    "A row of weights says how one token divides its attention among the keys, so it has to sum to 1. Along the \
          other axis all tokens compete for one key, and what a token gets depends on the other tokens' queries.",
    &[Detector::Attention(detect)],
);

/// Whether the softmax runs along another axis than the one over which the weights and the values are summed.
pub(super) fn is_wrong(attention: &Attention) -> bool {
    let Some(context) = &attention.context else { return false };
    let Some(summed) = summed_elsewhere(attention, context) else { return false };
    if is_over_batch(attention) {
        return true;
    }
    // Weights that are divided by their sums afterwards are right, whatever axis the softmax runs along. Where a mask
    // comes in between, they are divided because of the mask.
    let is_masked = context.after.iter().any(|step| step.fill() == Some(0.0));
    if context.after.iter().any(FlowStep::divides_by_tensor) && !is_masked {
        return false;
    }
    is_over_one(attention, summed) || is_over_keys(attention, summed)
}

/// Whether the softmax runs along an axis that is neither that of the queries nor that of the keys: samples, or heads.
fn is_over_batch(attention: &Attention) -> bool {
    let Some(scores) = &attention.scores else { return false };
    let at = axis_at_start(&attention.before, attention.axis);
    let own = [scores.product.left_in_result, scores.product.right_in_result];
    at.is_some_and(|at| at > 2 && !own.contains(&Some(at)))
        && size(&attention.weights, attention.axis).is_some_and(|size| size > 1)
}

/// Whether the softmax runs along an axis with one element, so that every weight is 1.
fn is_over_one(attention: &Attention, summed: Axis) -> bool {
    let weights = &attention.weights;
    size(weights, attention.axis) == Some(1) && size(weights, summed).is_some_and(|size| size > 1)
}

/// The axis of the softmax's result that is summed with the values, if the softmax runs along another one.
fn summed_elsewhere(attention: &Attention, context: &Context) -> Option<Axis> {
    context.summed_in_softmax.filter(|summed| *summed != attention.axis)
}

/// Whether the sum with the values runs over the keys. It runs over the queries where, for example, prototypes collect
/// the tokens that are assigned to them.
fn is_over_keys(attention: &Attention, summed: Axis) -> bool {
    // Equal weights are a start from which others are computed, as in the routing of capsules.
    let Some(scores) = &attention.scores else { return !is_even(&attention.weights) };
    let at = axis_at_start(&attention.before, summed);
    if at.is_none() || at != scores.product.left_in_result {
        return true;
    }
    let inputs = scores
        .sources
        .each_ref()
        .map(|source| projection(source).map_or_else(|| source.clone(), |it| it.left));
    inputs[0].storage().same(inputs[1].storage())
        || projected_from(&scores.sources[0]).is_some_and(|it| Some(it) == projected_from(&scores.sources[1]))
}

/// Whether all elements are equal.
fn is_even(weights: &Tensor) -> bool {
    weights.numel() <= 1 << 16 && {
        let values = weights.to_f64_vec();
        values.iter().all(|it| *it == values[0])
    }
}

/// The number of the tensor that the last projection of a tensor takes.
fn projected_from(tensor: &Tensor) -> Option<usize> {
    let (_, start) = rearranged(tensor);
    let record = origin(&start).filter(|it| it.operation.explanation == Explanation::UnitLength);
    match record.and_then(|it| operand(&it, 0)) {
        Some(before) => projected_from(&before),
        None => projection(&start).map(|projection| projection.left.id()),
    }
}

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    if !is_wrong(attention) || is_right_elsewhere(attention, cell) {
        return None;
    }
    let context = attention.context.as_ref()?;
    let summed = summed_elsewhere(attention, context)?;
    let weights = cell.name_of(&context.weights, "the weights");
    let values = cell.name_of(attention.values()?, "the values");
    let ndim = attention.weights.ndim();
    let sums = row_sums(attention, summed);
    let sums = match sums.as_slice() {
        [] => String::new(),
        sums => {
            let shown: Vec<String> = sums.iter().take(4).map(|sum| figure(*sum)).collect();
            let more = if sums.len() > 4 { " and so on" } else { "" };
            format!(" Its rows sum to {}{more}.", shown.join(", "))
        }
    };
    let observed = format!(
        "softmax ran along dimension {} of {}, and the product of {weights} and {values} sums along dimension {}.{sums}",
        ndim - attention.axis,
        shape_in_formula(attention.weights.shape()),
        ndim - summed
    );
    let fix = match summed {
        1 => "torch.softmax(..., dim=-1): over the keys, the last axis".to_owned(),
        summed => format!("torch.softmax(..., dim=-{summed}): along the axis that is summed with the values"),
    };
    let found = Observation::new(attention.site(), observed, fix);
    Some(match attention.axis > 2 && (attention.scores.is_none() || is_over_batch(attention)) {
        true => found.titled("softmax runs over the batch or the heads").because(
            "A row of weights says how one token divides its attention among the keys, so it has to sum to 1. Along this \
             axis the same token of different samples, or of different heads, competes for one key.",
        ),
        false => found,
    })
}

/// Whether another product sums these weights along the axis of the softmax: the transposed ones are then a part of a gradient
/// that is written out, or of attention the other way.
fn is_right_elsewhere(attention: &Attention, cell: &TracedCell) -> bool {
    cell.steps().filter_map(Attention::ending_at).any(|other| {
        let summed = other.context.as_ref().and_then(|it| it.summed_in_softmax);
        Rc::ptr_eq(&other.softmax, &attention.softmax) && summed == Some(attention.axis)
    })
}

/// Sums of the softmax's result along an axis, in the first matrix.
fn row_sums(attention: &Attention, axis: Axis) -> Vec<f64> {
    let weights = &attention.weights;
    if weights.numel() > 1 << 20 || weights.ndim() < 2 || axis > 2 {
        return Vec::new();
    }
    let rows = size(weights, if axis == 1 { 2 } else { 1 }).unwrap_or(0);
    let mut all = sums(&weights.to_f64_vec(), weights, axis);
    all.truncate(rows);
    all
}
