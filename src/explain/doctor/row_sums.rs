//! Weights that do not sum to 1 when they are multiplied with the values, and no other mistake explains it.

use std::collections::HashSet;

use super::attention::{Attention, Context, is_softmax};
use super::axes::{is_mean_of_matrices, mixed_heads, sums};
use super::flow::{FlowStep, is_zero_one};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::{mask_after_softmax, row_all_hidden, softmax_over_queries};
use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::Arg;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula};

pub(super) static MISTAKE: Mistake = Mistake::new("A204", "rows-do-not-sum-to-1", "rows of weights do not sum to 1 when they are used", "A context vector is an average of values. With weights that sum to something else it grows or shrinks with \
          the row, and so does the input of the layers after it.", &[Detector::Weights(detect)]).implied_by(&["sums-misaligned"]);

/// How far rounding may move a row's sum from 1.
const TOLERANCE: f64 = 1e-3;
/// The same in half precision.
const HALF_TOLERANCE: f64 = 2e-2;

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let context = attention.context.as_ref()?;
    if !is_softmax(&attention.softmax) {
        return never_divided(attention, context, cell);
    }
    if softmax_over_queries::is_wrong(attention)
        || mask_after_softmax::is_wrong(attention)
        || row_all_hidden::is_wrong(attention)
    {
        return None;
    }
    // A softmax along another axis may be intended; its weights do not sum to 1 along this axis.
    if context.summed_in_softmax.is_some_and(|summed| summed != attention.axis) {
        return None;
    }
    // A gate that is computed is meant to change the sums. After dropout the sums are right only on average, and a part
    // of the weights does not sum to 1.
    let is_gate = |step: &FlowStep| {
        let other = step.other().and_then(|other| other.tensor().cloned());
        matches!(step.explanation(), Explanation::Pointwise(Formula::Mul | Formula::Add | Formula::Sub))
            && other.is_some_and(|other| other.numel() > 1 && !is_zero_one(&other))
    };
    let is_mean = |step: &FlowStep| is_mean_of_matrices(&step.record);
    let is_part = |step: &FlowStep| step.result.numel() < step.operand.numel() && !is_mean(step);
    let is_mixed = |step: &FlowStep| mixed_heads(&step.record).is_some();
    if context.after.iter().any(|step| is_gate(step) || step.is_dropout() || is_part(step) || is_mixed(step))
    {
        return None;
    }
    // Means over heads, multiplied up from layer to layer, may be divided at the end.
    if context.after.iter().any(is_mean) && is_divided_later(context, cell) {
        return None;
    }
    let (row, sum) = uneven_row(context)?;
    let weights = cell.name_of(&context.weights, "the weights");
    let scaling = context.after.iter().find_map(|step| Some((step, step.factor()?)));
    let (observed, fix, site) = match scaling {
        Some((step, factor)) => (
            format!(
                "{weights} is multiplied by {} after the softmax: row {row} sums to {}.",
                figure(factor),
                figure(sum)
            ),
            "scale the scores, before the softmax: torch.softmax(scores / d_k**0.5, dim=-1)",
            step.record.site.clone(),
        ),
        None => (
            format!("Row {row} of {weights} sums to {} when it is multiplied with the values.", figure(sum)),
            "an operation between the softmax and this product changes the sums: divide by weights.sum(dim=-1, \
             keepdim=True)",
            context.traced.site(),
        ),
    };
    Some(Observation::new(site, observed, fix))
}

/// Weights that are exp of scores, in a function of attention, where neither they nor what they are multiplied to is divided.
fn never_divided(attention: &Attention, context: &Context, cell: &TracedCell) -> Option<Observation> {
    if attention.softmax.operation.explanation != Explanation::Pointwise(Formula::Exp) {
        return None;
    }
    // Of weights that are computed again for gradients, the queries are summed too.
    if context.summed_in_softmax.is_some_and(|axis| axis != 1) {
        return None;
    }
    let [name, _] = cell.factors(context.traced);
    let name = name.unwrap_or_else(|| cell.name_of(&context.weights, "the weights"));
    let is_changed = |step: &FlowStep| {
        let is_sum = step.explanation() == Explanation::Pointwise(Formula::Add);
        step.record.operation.family == OpFamily::Pointwise && !is_sum && !is_by_one_sum(step)
    };
    if context.after.iter().any(is_changed) || is_divided_later(context, cell) {
        return None;
    }
    let (row, sum) = uneven_row(context)?;
    let observed = format!(
        "{name} is exp of the scores, and neither it nor its product with the values is divided by the sums of its rows: row \
         {row} sums to {}.",
        figure(sum)
    );
    let fix = "divide by weights.sum(dim=-1, keepdim=True), or use torch.softmax(scores, dim=-1)";
    Some(Observation::new(context.traced.site(), observed, fix))
}

/// A division of all weights by one number, the sum over all rows.
fn is_by_one_sum(step: &FlowStep) -> bool {
    step.explanation() == Explanation::Pointwise(Formula::Div) && step.factor().is_some()
}

/// Whether something computed from this product is multiplied with or divided by a tensor.
fn is_divided_later(context: &Context, cell: &TracedCell) -> bool {
    let steps = &cell.trace.steps;
    let sum = uneven_row(context).filter(|_| context.weights.ndim() == 1).map(|(_, sum)| sum);
    cell.alike(context.traced).any(|(own, step)| is_divided_after(&steps[own + 1..], step, sum))
}

/// Whether one of these operations divides what was computed from this product, by the sum of its only row or a tensor.
fn is_divided_after(steps: &[Traced], product: &Traced, sum: Option<f64>) -> bool {
    let ids = |tensors: &[TracedTensor]| -> Vec<usize> {
        tensors.iter().filter_map(|it| Some(it.tensor.as_ref()?.id())).collect()
    };
    let mut reached: HashSet<usize> = HashSet::from_iter(ids(&product.results));
    for step in steps {
        if !ids(&step.operands).iter().any(|it| reached.contains(it)) {
            continue;
        }
        let is_scaling =
            matches!(step.operation.explanation, Explanation::Pointwise(Formula::Mul | Formula::Div));
        // One row of weights is divided by one number, its sum.
        let divisor = || step.args.get(1).and_then(Arg::number);
        let by_own_sum =
            || sum.zip(divisor()).is_some_and(|(sum, by)| (by - sum).abs() <= TOLERANCE * sum.abs());
        if is_scaling && (step.operands.len() > 1 || by_own_sum()) {
            return true;
        }
        reached.extend(ids(&step.results));
    }
    false
}

/// The first row of weights that does not sum to 1, and its sum, at the time of the product.
fn uneven_row(context: &Context) -> Option<(usize, f64)> {
    let mut operands = context.traced.operands.iter();
    let weights = operands.find(|it| it.is(&context.weights))?;
    let values = weights.floats()?;
    let sums = sums(&values, &context.weights, context.summed);
    // The gradient of weights, from which the right answers were subtracted.
    let is_gradient = values.iter().any(|it| *it < 0.0) && sums.iter().all(|sum| sum.abs() < TOLERANCE);
    let rounding = if context.weights.dtype().is_half() { HALF_TOLERANCE } else { TOLERANCE };
    sums.into_iter().enumerate().find(|(_, sum)| (sum - 1.0).abs() > rounding && !is_gradient)
}
