//! Scores that are multiplied with the values, while the weights that the softmax made of them are left unused.

use super::attention::{Attention, record_of};
use super::axes::{Product, is_product, mixed_heads};
use super::flow::{Before, FlowPath, FlowStep, is_parameter, origin, projection, source, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::scale::factor_within;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, Record, Site, Tensor};
use std::collections::HashSet;
use std::rc::Rc;

/// Tensors with more elements are not searched.
const MOST_ELEMENTS: usize = 1 << 20;
/// The most tensors that a search for a softmax examines.
const MOST_TENSORS: usize = 1000;
/// What a mask says of scores.
const MASKED: &str = "masked with a large negative number, as for a softmax";

pub(super) static MISTAKE: Mistake = Mistake::new(
    ("A205", "scores-as-weights"),
    "the scores are multiplied with the values, not the weights",
    "Scores may be negative, and do not sum to 1: without the softmax the result is no average of the values, and \
     its size grows with the number of tokens.",
    &[Detector::Cell(detect)],
);

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let steps = &cell.trace.steps;
    let used: Vec<Attention> = steps.iter().filter_map(Attention::ending_at).collect();
    let softmaxes = steps.iter().filter_map(|step| Some((step, Attention::of_softmax(step)?)));
    let unused = softmaxes.filter(|(_, it)| used.iter().all(|used| !Rc::ptr_eq(&used.softmax, &it.softmax)));
    let instead = unused.filter_map(|(softmax, attention)| instead(softmax, &attention, cell));
    // The product of queries and keys itself is none with values.
    let line = |site: Option<Site>| site.map(|site| (site.cell, site.line));
    let scores: HashSet<(&str, usize)> = steps
        .iter()
        .filter_map(|step| line(Attention::of_softmax(step)?.scores?.record.site.clone()))
        .collect();
    let is_scores = |step: &Traced| {
        step.operation.family == OpFamily::Product && line(step.site()).is_some_and(|it| scores.contains(&it))
    };
    let without = steps.iter().filter(|step| !is_scores(step)).filter_map(|step| without_softmax(step, cell));
    instead.chain(without).collect()
}

/// A product with scores: a mask, the scale or the names say that a softmax should have come before it.
fn without_softmax(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let record = record_of(step)?;
    let explanation = record.operation.explanation;
    let multiplies = Product::of(&record).is_some() || explanation == Explanation::Einsum;
    if !multiplies || explanation == Explanation::Linear || mixed_heads(&record).is_some() {
        return None;
    }
    let (used, evidence) = hidden(step, &record).or_else(|| not_weights(step, &record))?;
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
    // Where masked scores are subtracted, -inf becomes inf.
    let is_extreme = |it: &f64| *it <= -1e9 || *it == f64::INFINITY;
    let is_hidden = |operand: &&TracedTensor| {
        operand.tensor.as_ref().is_some_and(is_factor)
            && numbers(operand)
                .is_some_and(|all| all.iter().any(is_extreme) && all.iter().any(|it| !is_extreme(it)))
    };
    let found = step.operands.iter().find(is_hidden).or_else(|| {
        let is_weights = |operand: &&TracedTensor| {
            let tensor = operand.tensor.as_ref().filter(|it| is_factor(it) && !is_weighted(it));
            tensor.and_then(|it| trace_back(it, &is_product)).is_some_and(|path| path.steps.iter().any(hides))
        };
        step.operands.iter().find(is_weights)
    })?;
    Some((found, MASKED.to_owned()))
}

/// Whether a step adds a mask: 0, and a number that only a softmax makes 0.
fn hides(step: &FlowStep) -> bool {
    const LEAST: f64 = -50.0;
    let Some(Arg::Tensor(mask)) = step.other() else { return false };
    let is_added = step.explanation() == Explanation::Pointwise(Formula::Add) && mask.dtype().is_float();
    if !is_added || mask.numel() > MOST_ELEMENTS {
        return false;
    }
    let values = mask.to_f64_vec();
    values.iter().all(|it| *it == 0.0 || *it <= LEAST)
        && values.iter().any(|it| *it <= LEAST)
        && values.contains(&0.0)
}

/// An operand that is scaled as queries times keys are for a softmax, and is multiplied with values of the same tokens.
fn not_weights<'t>(step: &'t Traced, record: &Record) -> Option<(&'t TracedTensor, String)> {
    let product = Product::of(record)?;
    let operands = [(&product.left, &product.right), (&product.right, &product.left)];
    operands.into_iter().find_map(|(operand, values)| {
        let used = step.operands.iter().find(|it| it.is(operand))?;
        let FlowPath { steps, record: made, .. } = trace_back(operand, &is_product)?;
        let scores = Product::of(&made).filter(|_| made.operation.explanation != Explanation::Linear)?;
        // Other attention than that of a softmax has a scale too: retention multiplies with a decay, and mixed heads with a
        // parameter. What is added is a bias.
        let is_gated = |step: &FlowStep| {
            let is_added = step.explanation() == Explanation::Pointwise(Formula::Add);
            !is_added && step.other().is_some_and(|it| it.tensor().is_some_and(|it| it.numel() > 1))
        };
        if steps.iter().any(is_gated) || is_parameter(&source(values).1) || is_weighted(operand) {
            return None;
        }
        let root = (scores.width() as f64).sqrt();
        let before = [&scores.left, &scores.right].map(|it| source(it).0).into_iter().flatten();
        let before: Vec<FlowStep> = before.collect();
        let product_of = |steps: &[FlowStep]| steps.iter().filter_map(FlowStep::factor).product::<f64>();
        // Queries may be scaled, or be made as small numbers.
        let scales = [product_of(&steps), product_of(&steps) * product_of(&before)];
        let is_root = |scale: f64| (scale * factor_within(&made) * root - 1.0).abs() < 1e-4;
        let is_scaled = scores.width() > 1 && scales.into_iter().any(is_root);
        let divides = steps.iter().any(FlowStep::divides_by_tensor);
        let evidence = || format!("divided by the root of {}, their width, as for a softmax", scores.width());
        // A product with a matrix of numbers is a layer, (x @ W1 / s) @ W2, whether or not they are parameters.
        let of_tokens = |it: &Tensor| is_made_of_product(it) || is_of_the_same(it, values);
        let is_meant = is_scaled && !divides && of_tokens(&scores.left) && of_tokens(&scores.right);
        is_meant.then(|| (used, evidence()))
    })
}

fn is_made_of_product(tensor: &Tensor) -> bool {
    Before::of(tensor, MOST_TENSORS).any(|it| origin(&it).is_some_and(|record| is_product(&record)))
}

/// Whether the values and an operand of the scores are made of the same tensor, or one is the other: tokens that look at
/// each other. A parameter is none.
fn is_of_the_same(operand: &Tensor, values: &Tensor) -> bool {
    let made_of = |tensor: &Tensor| {
        let start = source(tensor).1;
        let input = projection(&start).map(|it| source(&it.left).1);
        [Some(start), input]
    };
    let is_token = |it: &&Tensor| !is_parameter(it) && it.numel() > 1;
    let of_operand = made_of(operand);
    made_of(values)
        .iter()
        .flatten()
        .filter(is_token)
        .any(|it| of_operand.iter().flatten().any(|of| of.is(it)))
}

/// The elements of a float tensor; none of a large one.
pub(super) fn numbers(tensor: &TracedTensor) -> Option<Vec<f64>> {
    let is_searched = tensor.dtype.is_float() && tensor.layout.numel() <= MOST_ELEMENTS;
    is_searched.then(|| tensor.floats()).flatten()
}

/// Whether a softmax, or another function that makes weights of scores, is among what a tensor was computed from.
fn is_weighted(tensor: &Tensor) -> bool {
    let smallest: usize = tensor.shape().iter().rev().take(2).product();
    // What is smaller than a matrix of weights is a factor for all of them.
    let makes_weights = |it: Tensor| {
        it.numel() >= smallest
            && origin(&it).is_some_and(|record| {
                matches!(
                    record.operation.explanation,
                    Explanation::Softmax(_)
                        | Explanation::Attention
                        | Explanation::Pointwise(
                            Formula::Exp | Formula::Sigmoid | Formula::Relu | Formula::Square | Formula::Pow
                        )
                )
            })
    };
    let mut walk = Before::of(tensor, MOST_TENSORS);
    walk.any(makes_weights) || !walk.is_whole()
}

/// The product that takes the scores in place of the weights, which no product takes.
fn instead(softmax: &Traced, attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let scores = attention.scores.as_ref()?;
    let own = softmax.place()?.activation;
    let is_scores = |record: &Record| std::ptr::eq(record, Rc::as_ptr(&scores.record));
    let instead = cell.steps().find_map(|step| {
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
