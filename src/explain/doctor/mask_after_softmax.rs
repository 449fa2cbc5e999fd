//! A mask on the weights, after the softmax, without dividing by what is left.

use std::rc::Rc;

use super::attention::{Attention, is_softmax, record_of, softmax_axis};
use super::axes::{Axis, axis_of, sums};
use super::flow::{FlowStep, axis_at_start, operand, origin, source, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::softmax_over_queries;
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Reducer};
use crate::tensor::{Arg, Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A105",
    "mask-after-softmax",
    "weights are masked after the softmax and not renormalised",
    "The softmax gives every key a share, hidden keys too. Setting their shares to 0 leaves rows that sum to less \
          than 1, so the first tokens, which see few keys, get context vectors that are far too small.",
    &[Detector::Attention(detect), Detector::Step(divided_by_columns)],
);

/// The masking of the weights, with the first row that sums to less than 1, and its sum.
fn masking<'a>(attention: &'a Attention) -> Option<(&'a FlowStep, usize, f64)> {
    let context = attention.context.as_ref()?;
    let at = context.after.iter().position(|step| step.fill() == Some(0.0))?;
    let masking = &context.after[at];
    // A later division by the sums would make it right.
    if context.after[..at].iter().any(FlowStep::divides_by_tensor) {
        return None;
    }
    let summed = axis_at_start(&context.after[..at], context.summed)?;
    let (row, sum) = small_row(&masking.result, summed)?;
    Some((masking, row, sum))
}

/// The first row whose sum is below 1. One that is hidden as a whole, for a query that looks at nothing, is meant.
fn small_row(weights: &Tensor, axis: Axis) -> Option<(usize, f64)> {
    if weights.numel() > 1 << 22 {
        return None;
    }
    sums(&weights.to_f64_vec(), weights, axis)
        .into_iter()
        .enumerate()
        .find(|(_, sum)| *sum != 0.0 && *sum < 1.0 - 1e-3)
}

pub(super) fn is_wrong(attention: &Attention) -> bool {
    !softmax_over_queries::is_wrong(attention) && masking(attention).is_some()
}

/// Weights that are masked after the softmax and then divided by the sums of their columns.
fn divided_by_columns(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let record =
        record_of(step).filter(|it| it.operation.explanation == Explanation::Pointwise(Formula::Div))?;
    let (masked, divisor) = (operand(&record, 0)?, operand(&record, 1)?);
    let is_sum = |it: &Rc<Record>| it.operation.explanation == Explanation::Reduction(Reducer::Sum);
    let sum = origin(&source(&divisor).1).filter(is_sum)?;
    if !operand(&sum, 0)?.is(&masked) {
        return None;
    }
    let axis = axis_of(sum.args().get(1), masked.ndim())?;
    let dim = match sum.args().get(1)? {
        Arg::Ints(dims) => *dims.first()?,
        dim => dim.number()? as i64,
    };
    let path = trace_back(&masked, &is_softmax)?;
    let along = softmax_axis(&path.record)?;
    let is_masked = path.steps.iter().any(|step| step.fill() == Some(0.0));
    let of_softmax = axis_at_start(&path.steps, axis)?;
    let (row, sum) = small_row(step.result()?, along)?;
    if !is_masked || of_softmax == along || axis > 2 || along > 2 {
        return None;
    }
    let name = cell.name_of(&masked, "the masked weights");
    let observed = format!(
        "The softmax ran along dimension -{along}, and {name} is divided by its sums along dimension {dim}: row {row} of the result \
         sums to {}.",
        figure(sum)
    );
    let fix = "divide by the sums of the rows: weights / weights.sum(dim=-1, keepdim=True)";
    Some(
        Observation::new(step.site(), observed, fix)
            .titled("masked weights are divided by the sums of their columns"),
    )
}

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    if !is_wrong(attention) {
        return None;
    }
    let (masking, row, sum) = masking(attention)?;
    let mask = masking.other().and_then(|mask| mask.tensor().map(|mask| cell.name_of(mask, "the mask")));
    let mask = mask.unwrap_or_else(|| masking.name().to_owned());
    let weights = cell.name_of(&masking.operand, "the weights");
    let observed = format!(
        "{mask} sets entries of {weights} to 0 after the softmax: row {row} then sums to {}.",
        figure(sum)
    );
    let fix = "mask the scores, before the softmax: scores.masked_fill(mask, -torch.inf); or divide the masked weights \
               by weights.sum(dim=-1, keepdim=True)";
    Some(Observation::new(masking.record.site.clone(), observed, fix))
}
