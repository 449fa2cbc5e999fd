//! Scores that are multiplied with the values, while the weights that the softmax made of them are left unused.

use std::collections::HashSet;
use std::rc::Rc;

use super::attention::{Attention, record_of};
use super::axes::{Axis, Product, is_product, mixed_heads, sums};
use super::flow::{FlowPath, FlowStep, source, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::named::{is_attention, is_weights, names_attention};
use super::names_read::Part;
use super::scale::{factor_within, part_of};
use super::softmax_helper::wrong_sums;
use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Record, Tensor};

/// Tensors with more elements are not searched.
const MOST_ELEMENTS: usize = 1 << 20;
/// The most records that a search for a softmax examines.
const MOST_RECORDS: usize = 500;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A205",
    name: "scores-as-weights",
    title: "the scores are multiplied with the values, not the weights",
    why: "Scores may be negative, and do not sum to 1: without the softmax the result is no average of the values, and \
          its size grows with the number of tokens.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let steps = &cell.trace.steps;
    let used: Vec<Attention> = steps.iter().filter_map(Attention::ending_at).collect();
    let softmaxes = steps.iter().filter_map(|step| Some((step, Attention::of_softmax(step)?)));
    let unused = softmaxes.filter(|(_, it)| used.iter().all(|used| !Rc::ptr_eq(&used.softmax, &it.softmax)));
    let instead = unused.filter_map(|(softmax, attention)| instead(softmax, &attention, cell));
    let without = steps.iter().filter_map(|step| without_softmax(step, cell));
    instead.chain(without).chain(wrong_sums(cell)).collect()
}

/// A product with scores: a mask, the scale or the names say that a softmax should have come before it.
fn without_softmax(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let record = record_of(step)?;
    let explanation = record.operation.explanation;
    let multiplies = Product::of(&record).is_some() || explanation == Explanation::Einsum;
    if !multiplies || explanation == Explanation::Linear || mixed_heads(&record).is_some() {
        return None;
    }
    let (used, evidence) = hidden(step, &record).or_else(|| not_weights(step, &record, cell))?;
    let name = used.name.clone().or_else(|| Some(cell.name_of(used.tensor.as_ref()?, "the scores")));
    let observed = format!(
        "{}: {evidence}. No softmax comes before the product with the values.",
        name.unwrap_or_else(|| "the scores".to_owned())
    );
    let fix = "weights = torch.softmax(scores, dim=-1), then weights @ values";
    Some(Observation::new(step.site(), observed, fix))
}

/// An operand in which a mask has written numbers that only a softmax makes 0.
fn hidden<'t>(step: &'t Traced, record: &Record) -> Option<(&'t TracedTensor, String)> {
    // What baddbmm adds to a product may be a mask.
    let product = Product::of(record);
    let is_factor = |it: &Tensor| product.as_ref().is_none_or(|all| it.is(&all.left) || it.is(&all.right));
    let is_hidden = |operand: &&TracedTensor| {
        operand.tensor.as_ref().is_some_and(is_factor)
            && numbers(operand)
                .is_some_and(|all| all.iter().any(|it| *it <= -1e9) && all.iter().any(|it| *it > -1e9))
    };
    let evidence = "masked with a large negative number, as for a softmax";
    step.operands.iter().find(is_hidden).map(|operand| (operand, evidence.to_owned()))
}

/// An operand that is scaled as queries times keys are, or that has the name of weights and negative elements.
fn not_weights<'t>(
    step: &'t Traced,
    record: &Record,
    cell: &TracedCell,
) -> Option<(&'t TracedTensor, String)> {
    let product = Product::of(record)?;
    let [left_name, right_name] = cell.factors(step);
    let operands = [
        (&product.left, &product.right, product.summed.0, left_name.clone(), right_name.clone()),
        (&product.right, &product.left, product.summed.1, right_name, left_name),
    ];
    let [left, right] = operands.map(|(operand, values, summed, written, of_values)| {
        let traced =
            |of: &Tensor| step.operands.iter().find(|it| it.tensor.as_ref().is_some_and(|it| it.is(of)));
        let used = traced(operand)?;
        let name = written.or_else(|| used.name.clone()).unwrap_or_default();
        let in_attention = || step.calls.iter().any(|call| is_attention(call.function));
        let is_left = operand.is(&product.left);
        let part_of_values = of_values.as_deref().and_then(Part::of);
        let is_meant = is_weights(&name) || names_attention(&name) && part_of_values == Some(Part::Value);
        if is_left && is_meant && is_of_data(operand) && !is_weighted(operand) {
            let top = || step.place().is_some_and(|place| place.function == "<module>");
            if (top() || in_attention()) && !is_linear(step) {
                return Some((used, negative(used).or_else(|| uneven(used, summed))?));
            }
        }
        let FlowPath { steps, record: made, .. } = trace_back(operand, &is_product)?;
        let scores = Product::of(&made).filter(|_| made.operation.explanation != Explanation::Linear)?;
        let part = |tensor: &Tensor| part_of(tensor, cell);
        let parts = (part(&scores.left), part(&scores.right));
        let is_named =
            parts == (Some(Part::Query), Some(Part::Key)) || parts == (Some(Part::Key), Some(Part::Query));
        let root = (scores.width() as f64).sqrt();
        let before = [&scores.left, &scores.right].map(|it| source(it).0).into_iter().flatten();
        let product_of = |steps: &[FlowStep]| steps.iter().filter_map(FlowStep::factor).product::<f64>();
        let before: Vec<FlowStep> = before.collect();
        // Queries may be scaled, or be made as small numbers.
        let scales = [product_of(&steps), product_of(&steps) * product_of(&before)];
        let is_root = |scale: f64| (scale * factor_within(&made) * root - 1.0).abs() < 1e-4;
        let is_scaled = scores.width() > 1 && scales.into_iter().any(is_root);
        let divides = steps.iter().any(FlowStep::divides_by_tensor);
        // A product with a leaf may be a layer, (x @ W1 / s) @ W2, if no names say otherwise.
        if is_scaled && !divides && (is_named || !scores.right.is_leaf()) {
            let evidence =
                format!("divided by the root of {}, their width, as for a softmax", scores.width());
            return Some((used, evidence));
        }
        let names_values = part(values) == Some(Part::Value) || part_of_values == Some(Part::Value);
        if is_named && names_values && names_attention(&name) && !is_weighted(operand) && !is_linear(step) {
            return Some((used, negative(used).or_else(|| uneven(used, summed))?));
        }
        None
    });
    left.or(right)
}

/// The elements of a float tensor; none of a large one.
fn numbers(tensor: &TracedTensor) -> Option<Vec<f64>> {
    if !tensor.dtype.is_float() || tensor.shape().iter().product::<usize>() > MOST_ELEMENTS {
        return None;
    }
    tensor.values().map(|values| (0..values.len()).map(|at| values.float(at)).collect())
}

/// Whether a tensor is a product in which no operand is a parameter, except for a layer's.
fn is_of_data(tensor: &Tensor) -> bool {
    let made = trace_back(tensor, &is_product).map(|path| path.record);
    made.is_some_and(|made| {
        let is_parameter = |it: &Tensor| it.requires_grad() && it.is_leaf();
        let product = Product::of(&made).filter(|_| made.operation.explanation != Explanation::Linear);
        product.is_none_or(|it| !is_parameter(&it.left) && !is_parameter(&it.right))
    })
}

/// What is said of weights of which a row does not sum to 1; none if there is no such row.
fn uneven(tensor: &TracedTensor, axis: Axis) -> Option<String> {
    let weights = tensor.tensor.as_ref()?;
    let sums = sums(&numbers(tensor)?, weights, axis);
    let (row, sum) = sums.into_iter().enumerate().find(|(_, sum)| (sum - 1.0).abs() > 1e-3)?;
    Some(format!("named as weights are, and row {row} sums to {}", figure(sum)))
}

/// What is said of weights of which some are negative; none if none are.
fn negative(tensor: &TracedTensor) -> Option<String> {
    let least = numbers(tensor)?.into_iter().fold(0.0, f64::min);
    (least < -1e-6).then(|| format!("named as weights are, and one of its elements is {}", figure(least)))
}

/// Whether the functions that run have the name of attention without a softmax.
fn is_linear(step: &Traced) -> bool {
    const WORDS: [&str; 8] = ["linear", "retention", "retnet", "kernel", "gated", "delta", "hebb", "normali"];
    let names = step.calls.iter().map(|call| call.function.to_lowercase());
    names.into_iter().any(|name| WORDS.iter().any(|word| name.contains(word)))
}

/// Whether a softmax, or another function that makes weights of scores, is among what a tensor was computed from.
fn is_weighted(tensor: &Tensor) -> bool {
    let smallest: usize = tensor.shape().iter().rev().take(2).product();
    let mut left = vec![tensor.clone()];
    let mut seen = HashSet::new();
    while let Some(tensor) = left.pop() {
        let Some(record) = tensor.origin() else { continue };
        // What is smaller than a matrix of weights is a factor for all of them.
        let is_factor = tensor.numel() < smallest;
        let makes_weights = !is_factor
            && matches!(
                record.operation.explanation,
                Explanation::Softmax(_)
                    | Explanation::Attention
                    | Explanation::Pointwise(
                        Formula::Exp | Formula::Sigmoid | Formula::Relu | Formula::Square | Formula::Pow
                    )
            );
        if makes_weights || seen.len() > MOST_RECORDS {
            return true;
        }
        for operand in record.args().iter().flat_map(|it| it.tensors()) {
            if operand.origin().is_some_and(|it| seen.insert(Rc::as_ptr(&it))) {
                left.push(operand.clone());
            }
        }
    }
    false
}

/// The product that takes the scores in place of the weights, which no product takes.
fn instead(softmax: &Traced, attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let scores = attention.scores.as_ref()?;
    let own = softmax.place()?.activation;
    let is_scores = |record: &Record| std::ptr::eq(record, Rc::as_ptr(&scores.record));
    let instead = cell.trace.steps.iter().find_map(|step| {
        step.place().filter(|place| place.activation == own)?;
        let product = Product::of(&*record_of(step)?)?;
        [product.left, product.right]
            .into_iter()
            .find(|it| trace_back(it, &is_scores).is_some())
            .map(|it| (step, it))
    });
    let (step, used) = instead?;
    let (weights, used) =
        (cell.name_of(&attention.weights, "the softmax's result"), cell.name_of(&used, "the scores"));
    let observed = format!("{used} is multiplied with the values; no product takes {weights}.");
    let fix = "weights @ values, where weights is what the softmax returned";
    Some(Observation::new(step.site(), observed, fix))
}
