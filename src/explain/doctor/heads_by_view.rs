//! Heads split by a view alone: each head then has some of the tokens instead of some of the features.

use super::attention::Attention;
use super::axes::{Axis, axis_in_operand};
use super::flow::{FlowStep, projection, rearranged};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::descriptor::ShapeRule;
use crate::tensor::explanation::Explanation;
use crate::tensor::show::shape_in_formula;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A301",
    "heads-by-view-alone",
    "heads are split by a view without a transpose",
    "A view keeps the order of memory, in which the features of one token are side by side. To give each head its \
          own features of all tokens, split the features first and then move the head axis before the token axis.",
    &[Detector::Step(detect)],
);

fn detect(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    match step.operation.explanation {
        Explanation::Attention => (0..3).find_map(|at| wrong_view(&rearranged(step.tensor(at)?).0, 2, cell)),
        _ => in_products(&Attention::ending_at(step)?, cell),
    }
}

fn in_products(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let context = attention.context.as_ref()?;
    let scores = &attention.scores.as_ref()?.product;
    let tokens = if context.weights_are_left { context.product.summed.1 } else { context.product.summed.0 };
    // Only the values may be split this way.
    let operands =
        [(&scores.left, scores.free.0), (&scores.right, scores.free.1), (attention.values()?, Some(tokens))];
    operands.into_iter().find_map(|(operand, tokens)| wrong_view(&rearranged(operand).0, tokens?, cell))
}

/// The view that mixes up heads and tokens; `tokens` is the axis that the product uses as the token axis.
fn wrong_view(path: &[FlowStep], tokens: Axis, cell: &TracedCell) -> Option<Observation> {
    let mut axis = Some(tokens);
    for step in path {
        let (before, after) = (step.operand.shape(), step.result.shape());
        if step.record.operation.shapes == ShapeRule::Reshaped
            && let Some(effect) = match axis.and_then(|axis| after.len().checked_sub(axis)) {
                Some(at) => effect(before, after, at),
                None => tokens_after_heads(before, after),
            }
        {
            let otherwise = if projection(&step.operand).is_some() { "the projection" } else { "the tensor" };
            let name = cell.name_of(&step.operand, otherwise);
            let observed = format!(
                "{name} {} is viewed as {}: {effect}.",
                shape_in_formula(before),
                shape_in_formula(after)
            );
            return Some(Observation::new(step.record.site.clone(), observed, fix(before, after)));
        }
        axis = axis.and_then(|axis| axis_in_operand(&step.record, &step.operand, after, axis));
    }
    None
}

/// What is wrong with a view whose axis `at` is used as the token axis; none where the view is right.
fn effect(before: &[usize], after: &[usize], at: usize) -> Option<String> {
    match (before, after) {
        // (b, T, C) as (b, H, T, D), with axis 2 as the token axis.
        (&[ref batch @ .., t, c], &[ref own @ .., h, t2, d])
            if batch == own
                && batch.len() < 2
                && t == t2
                && h * d == c
                && h > 1
                && t > 1
                && at == own.len() + 1 =>
        {
            Some(heads_of_tokens(h, t))
        }
        (&[b, t, c], &[bh, t2, d])
            if t == t2 && b > 0 && bh > b && bh % b == 0 && (bh / b) * d == c && at == 1 =>
        {
            Some(heads_of_tokens(bh / b, t))
        }
        // (b, T, C) as (b, T, H, D), with the head axis as the token axis.
        (&[ref batch @ .., t, c], &[ref own @ .., t2, h, d])
            if batch == own
                && batch.len() < 2
                && t == t2
                && h * d == c
                && h > 1
                && t > 1
                && at == own.len() + 1 =>
        {
            Some(heads_as_tokens(h, t))
        }
        _ => None,
    }
}

/// The same where the path does not tell which axis is used: the tokens' axis is behind that of the heads, which no view
/// can put there.
fn tokens_after_heads(before: &[usize], after: &[usize]) -> Option<String> {
    match (before, after) {
        (&[_, t, _], &[_, h, _, _]) if h != t => effect(before, after, 2),
        _ => None,
    }
}

fn heads_of_tokens(heads: usize, tokens: usize) -> String {
    let count = tokens.div_ceil(heads);
    let which = if count == 1 { "token 0".to_owned() } else { format!("tokens 0 to {}", count - 1) };
    format!("head 0 of {heads} then has all features of {which}, not its own features of all {tokens} tokens")
}

fn heads_as_tokens(heads: usize, tokens: usize) -> String {
    format!(
        "its {heads} heads take the place of its {tokens} tokens, and scores compare the heads of one token"
    )
}

fn fix(before: &[usize], after: &[usize]) -> String {
    match (before, after) {
        (&[_, t, c], &[b, _, _, d]) => format!("x.view({b}, {t}, {}, {d}).transpose(1, 2)", c / d.max(1)),
        (&[b, t, c], &[_, _, d]) => {
            let h = c / d.max(1);
            format!("x.view({b}, {t}, {h}, {d}).transpose(1, 2).reshape({}, {t}, {d})", b * h)
        }
        (&[t, c], &[_, _, d]) => format!("x.view({t}, {}, {d}).transpose(0, 1)", c / d.max(1)),
        _ => "split the features, then transpose".to_owned(),
    }
}
