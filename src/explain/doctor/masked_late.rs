//! A mask on the weights, after the softmax, and no division by what is left.

use super::attention::Attention;
use super::row_sums::sums;
use super::{Find, Mistake, Run, Seen, figure, query_axis};
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "mask-after-softmax",
    title: "weights are masked after the softmax and not renormalised",
    why: "The softmax has shared out 1 among all keys, hidden ones too. Taking their share away leaves rows that sum to \
          less than 1: the first tokens, which see little, get context vectors that are far too small.",
    find: Find::Attention(find),
};

/// The masked weights, if a mask came after the softmax and rows lost part of their sum by it.
fn masked<'a>(attention: &'a Attention) -> Option<(&'a super::flow::Link, usize, f64)> {
    let used = attention.used.as_ref()?;
    let at = used.after.iter().position(|link| link.fill() == Some(0.0))?;
    let link = &used.after[at];
    // Nearer to the product: a division by sums would make it right.
    let divided = |link: &super::flow::Link| link.op() == "div" && link.factor().is_none();
    if used.after[..at].iter().any(divided) {
        return None;
    }
    let summed = super::flow::axis_at_end(&used.after[..at], used.summed)?;
    let (row, sum) = short(&link.result, summed)?;
    Some((link, row, sum))
}

/// The first row whose sum is below 1.
fn short(weights: &Tensor, axis: usize) -> Option<(usize, f64)> {
    if weights.numel() > 1 << 22 {
        return None;
    }
    sums(&weights.to_f64_vec(), weights, axis).into_iter().enumerate().find(|(_, sum)| *sum < 1.0 - 1e-3)
}

pub(super) fn is_wrong(attention: &Attention) -> bool {
    !query_axis::is_wrong(attention) && masked(attention).is_some()
}

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    if !is_wrong(attention) {
        return None;
    }
    let (link, row, sum) = masked(attention)?;
    let mask = link.other().and_then(|mask| mask.tensor().map(|mask| run.called(mask, "the mask")));
    let mask = mask.unwrap_or_else(|| link.record.op.to_owned());
    let weights = run.called(&link.operand, "the weights");
    let saw = format!(
        "{mask} sets entries of {weights} to 0 after the softmax: row {row} then sums to {}.",
        figure(sum)
    );
    let fix = "mask the scores, before the softmax: scores.masked_fill(mask, -torch.inf); or divide the masked weights \
                by weights.sum(dim=-1, keepdim=True)";
    Some(Seen::new(link.record.site.clone(), saw, fix))
}
