//! Heads joined by a view alone: one row then has the context vectors of several tokens.

use std::rc::Rc;

use super::attention::{Attention, record_of};
use super::axes::{Product, is_product};
use super::flow::{FlowStep, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Record;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::Explanation;
use crate::tensor::show::shape_in_formula;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A302",
    "heads-joined-by-view-alone",
    "heads are joined without a transpose",
    "After the product with the values, the head axis comes before the token axis. A view keeps the order of \
          memory, so it puts tokens of one head side by side where the heads of one token should be.",
    &[Detector::Step(wrong_view)],
);

fn wrong_view(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.family != OpFamily::View {
        return None;
    }
    let (before, after) = (step.operands.first()?, step.results.first()?);
    let heads = match (before.shape(), after.shape()) {
        (&[b, h, t, d], &[b2, t2, c]) if b == b2 && t == t2 && h * d == c && h > 1 && t > 1 => h,
        (&[bh, t, d], &[b, t2, c])
            if t == t2 && t > 1 && bh > b && bh % b.max(1) == 0 && bh / b.max(1) * d == c =>
        {
            bh / b.max(1)
        }
        (&[h, t, d], &[t2, c]) if t == t2 && h * d == c && h > 1 && t > 1 => h,
        _ => return None,
    };
    let tensor = before.tensor.as_ref()?;
    // Only operations that keep the order of the axes may come between the product with the values and the view.
    let path = trace_back(tensor, &|record| is_product(record) || is_fused(record))?;
    let keeps_axes = |step: &FlowStep| {
        let family = step.record.operation.family;
        step.is_dropout() || matches!(family, OpFamily::Copy | OpFamily::Cast)
    };
    if !path.steps.iter().all(keeps_axes) {
        return None;
    }
    if !is_fused(&path.record) {
        let product = Product::of(&path.record)?;
        let is_product = |it: &&Traced| record_of(it).is_some_and(|record| Rc::ptr_eq(&record, &path.record));
        cell.steps().find(is_product).and_then(Attention::ending_at)?;
        // If the product puts tokens before heads, the view is right.
        if product.left_in_result != Some(2) {
            return None;
        }
    }
    let name = cell.name_of(tensor, "the context vectors");
    let observed = format!(
        "{name} {} is viewed as {}: the {heads} heads still come before the tokens in memory, so row 0 gets the first \
         {heads} tokens of head 0.",
        shape_in_formula(before.shape()),
        shape_in_formula(after.shape())
    );
    let fix = match before.shape().len() {
        4 => "context.transpose(1, 2).contiguous().view(b, num_tokens, d_out)",
        _ => "context.transpose(0, 1).contiguous().view(num_tokens, d_out)",
    };
    Some(Observation::new(step.site(), observed, fix))
}

fn is_fused(record: &Record) -> bool {
    record.operation.explanation == Explanation::Attention
}
