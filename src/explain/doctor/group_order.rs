//! Grouped keys and values that are repeated in an order in which query heads meet the wrong group.
//! Source: Ainslie et al. 2023, GQA: consecutive query heads share one head of keys and values.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A303",
    "group-order",
    "grouped heads are repeated in the wrong order",
    "With grouped queries, heads 0 and 1 share the first head of keys and values, heads 2 and 3 the second. Weights \
          that were trained so give another result where the groups take turns.",
    &[Detector::Step(detect)],
);

/// The largest tensor that is compared.
const LARGEST: usize = 1 << 20;

fn detect(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    keys_and_values(step)?.iter().find_map(|it| in_turn(it, step, cell))
}

/// The keys and the values of attention that ends with this operation.
fn keys_and_values(step: &Traced) -> Option<Vec<Tensor>> {
    if step.operation.explanation == Explanation::Attention {
        return Some(vec![step.tensor(1)?.clone(), step.tensor(2)?.clone()]);
    }
    let attention = Attention::ending_at(step)?;
    let keys = attention.scores.as_ref().map(|scores| scores.product.right.clone());
    Some(keys.into_iter().chain(attention.values().cloned()).collect())
}

fn in_turn(values: &Tensor, step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let (heads, groups) = (head_count(values)?, groups_in_turn(values)?);
    let name = cell.name_of(values, "a tensor of keys or values");
    let order: Vec<String> = (0..heads.min(6)).map(|head| (head % groups).to_string()).collect();
    let right: Vec<String> = (0..heads.min(6)).map(|head| (head / (heads / groups)).to_string()).collect();
    let observed = format!(
        "{name} has {heads} heads, copies of {groups}, in the order {}: query head 1 meets group 1, and not group 0 as in \
         {}.",
        order.join(" "),
        right.join(" ")
    );
    let fix = format!("keys.repeat_interleave({}, dim=1), and the same for the values", heads / groups);
    Some(Observation::new(step.site(), observed, fix))
}

fn head_count(values: &Tensor) -> Option<usize> {
    match values.shape() {
        &[_, heads, tokens, width] if tokens > 0 && width > 0 && values.numel() <= LARGEST => Some(heads),
        _ => None,
    }
}

/// How many different heads there are, if they take turns: 0 1 0 1.
fn groups_in_turn(values: &Tensor) -> Option<usize> {
    let heads = head_count(values)?;
    let all = values.to_f32_vec();
    let sample = all.get(..all.len() / values.shape()[0].max(1))?;
    let size = sample.len() / heads;
    let head = |at: usize| &sample[at * size..(at + 1) * size];
    let period = (1..heads).find(|period| {
        heads.is_multiple_of(*period) && (*period..heads).all(|at| head(at) == head(at - period))
    })?;
    let differ = (1..period).all(|at| head(at) != head(at - 1));
    (period > 1 && differ).then_some(period)
}
