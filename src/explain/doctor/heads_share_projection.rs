//! Heads that are projected by one small matrix: the input is split into heads first, and projected then.

use super::flow::{operand, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::is_attention;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::ShapeRule;
use crate::tensor::explanation::Explanation;
use crate::tensor::show::shape_in_formula;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A304",
    "heads-share-projection",
    "all heads share one small projection",
    "Each head should have its own projection of the whole input. Here a head sees a slice of the features only, and \
          one matrix of the head's width serves all heads: the layer has far fewer parameters than it seems to have.",
    &[Detector::Cell(detect)],
);

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let split: Vec<(&Traced, u64)> = cell.steps().filter_map(after_split).collect();
    let mut found = Vec::new();
    for step in cell.steps().filter(|step| is_attention(step)) {
        let Some(activation) = function_of(step) else { continue };
        // "Narrow" attention is the name of this variant.
        if step.calls.iter().any(|call| call.function.to_lowercase().contains("narrow")) {
            continue;
        }
        let own: Vec<&Traced> =
            split.iter().filter(|(_, it)| *it == activation).map(|(step, _)| *step).collect();
        // Queries, keys and values, each so.
        let [first, _, _, ..] = own.as_slice() else { continue };
        let Some(input) = first.operand(0) else { continue };
        let width = input.shape().last().copied().unwrap_or(0);
        let observed = format!(
            "The input is split into heads, {}, before it is projected: one matrix of {width} x {width} projects every head.",
            shape_in_formula(input.shape())
        );
        let fix = "project first, then split: self.W_query(x).view(b, tokens, heads, width)";
        found.push(Observation::new(first.site(), observed, fix));
    }
    found
}

/// A linear layer as wide as a head, on features that a view has just split into heads, and its call.
fn after_split(step: &Traced) -> Option<(&Traced, u64)> {
    let input = step.tensor(0).filter(|_| step.operation.explanation == Explanation::Linear)?;
    let &[_, _, heads, width] = input.shape() else { return None };
    let made = origin(input).filter(|record| record.operation.shapes == ShapeRule::Reshaped)?;
    let before = operand(&made, 0)?.shape().to_vec();
    let weight = step.operand(1)?.shape().to_vec();
    let is_split = before.len() == 3 && before[2] == heads * width && heads > 1 && weight == [width, width];
    is_split.then_some((step, function_of(step)?))
}

/// The call of the learner's function that ran an operation; a loop in brackets is a part of it.
fn function_of(step: &Traced) -> Option<u64> {
    let mut calls = step.calls.iter().rev();
    calls.find(|call| !call.library && !call.function.contains('<')).map(|call| call.activation)
}
