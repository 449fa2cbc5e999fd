//! A mask on the weights, after the softmax, without dividing by what is left.

use super::attention::Attention;
use super::axes::{Axis, sums};
use super::flow::{FlowStep, axis_at_start};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::softmax_over_queries;
use crate::explain::terms::figure;
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A105",
    name: "mask-after-softmax",
    title: "weights are masked after the softmax and not renormalised",
    why: "The softmax gives every key a share, hidden keys too. Setting their shares to 0 leaves rows that sum to less \
          than 1, so the first tokens, which see few keys, get context vectors that are far too small.",
    implied_by: &[],
    detector: Detector::Attention(detect),
};

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

/// The first row whose sum is below 1.
fn small_row(weights: &Tensor, axis: Axis) -> Option<(usize, f64)> {
    if weights.numel() > 1 << 22 {
        return None;
    }
    sums(&weights.to_f64_vec(), weights, axis).into_iter().enumerate().find(|(_, sum)| *sum < 1.0 - 1e-3)
}

pub(super) fn is_wrong(attention: &Attention) -> bool {
    !softmax_over_queries::is_wrong(attention) && masking(attention).is_some()
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
