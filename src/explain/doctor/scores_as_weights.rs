//! Scores that are multiplied with the values, while the weights that the softmax made of them are left unused.

use std::collections::HashSet;
use std::rc::Rc;

use super::attention::{Attention, record_of};
use super::axes::{Axis, Product, is_product, mixed_heads, sums};
use super::flow::{FlowPath, FlowStep, origin, projection, source, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::named::{is_attention, is_weights, names_attention};
use super::names_read::Part;
use super::scale::{factor_within, part_of, parts_of};
use super::softmax_helper::wrong_sums;
use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula, Reducer};
use crate::tensor::{Arg, Record, Tensor};

/// Tensors with more elements are not searched.
const MOST_ELEMENTS: usize = 1 << 20;
/// What is said of a tensor by its name.
const NAMED: &str = "named as weights are";
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
    let is_elementwise = explanation == Explanation::Pointwise(Formula::Mul);
    let multiplies = Product::of(&record).is_some() || explanation == Explanation::Einsum || is_elementwise;
    if !multiplies || explanation == Explanation::Linear || mixed_heads(&record).is_some() {
        return None;
    }
    let (used, evidence) = match is_elementwise {
        true => hidden_elementwise(step)?,
        false => hidden(step, &record).or_else(|| not_weights(step, &record, cell))?,
    };
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
    let evidence = "masked with a large negative number, as for a softmax";
    step.operands.iter().find(is_hidden).map(|operand| (operand, evidence.to_owned()))
}

/// The same where each weight is multiplied with a vector by `*`: the vectors have more elements than there are weights, and
/// the weights come from a product.
fn hidden_elementwise(step: &Traced) -> Option<(&TracedTensor, String)> {
    let [one, other] = step.operands.as_slice() else { return None };
    let (weights, values) =
        if one.layout.numel() < other.layout.numel() { (one, other) } else { (other, one) };
    if weights.layout.numel() < 2 || weights.layout.numel() >= values.layout.numel() {
        return None;
    }
    let path = trace_back(weights.tensor.as_ref()?, &is_product)?;
    let is_masked = path.steps.iter().any(|it| it.fill().is_some_and(|fill| fill <= -1e9));
    let all = numbers(weights).filter(|_| is_masked)?;
    let is_hidden = |it: &f64| *it <= -1e9;
    let evidence = "masked with a large negative number, as for a softmax".to_owned();
    (all.iter().any(is_hidden) && !all.iter().all(is_hidden)).then_some((weights, evidence))
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
        let top = || step.place().is_some_and(|place| place.function == "<module>");
        let is_plain = || !is_weighted(operand) && !is_linear(step);
        // What shows that a tensor has been through no softmax.
        let uneven = |what: &str| {
            let sum = || {
                Some(format!("row {} sums to {}", uneven_row(used, summed)?.0, uneven_row(used, summed)?.1))
            };
            Some(format!("{what}, and {}", negative(used).or_else(sum)?))
        };
        let is_weights = is_left && is_meant && is_of_data(operand) && (top() || in_attention());
        if is_weights
            && is_plain()
            && let Some(evidence) = uneven(NAMED)
        {
            return Some((used, evidence));
        }
        let FlowPath { steps, record: made, start } = trace_back(operand, &is_product)?;
        let scores = Product::of(&made).filter(|_| made.operation.explanation != Explanation::Linear)?;
        let is_named = || {
            let parts = parts_of(&scores, &made, cell);
            parts == [Some(Part::Query), Some(Part::Key)] || parts == [Some(Part::Key), Some(Part::Query)]
        };
        if let Some(evidence) =
            named_on_the_way(&steps, cell).filter(|_| (top() || in_attention()) && is_plain())
        {
            return Some((used, evidence));
        }
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
        // Queries are a projection, and meet keys of the same tokens.
        let is_same = || projection(&start).is_none() && is_of_the_same(&scores, values);
        if is_scaled && !divides && (!scores.right.is_leaf() || is_same() || is_named()) {
            let evidence =
                format!("divided by the root of {}, their width, as for a softmax", scores.width());
            return Some((used, evidence));
        }
        let is_untouched = is_untouched(&steps);
        let names_scores = name.to_lowercase().split('_').any(|word| word == "scores" || word == "score");
        let what = if is_untouched && in_attention() && is_of_three_projections(&scores, values) {
            Some("the product of two projections, multiplied with a third one")
        } else if is_untouched && names_scores && is_same() {
            Some("named as scores are, and multiplied with what they were made of")
        } else {
            let names_values =
                part_of(values, cell) == Some(Part::Value) || part_of_values == Some(Part::Value);
            (names_values && names_attention(&name) && is_named()).then_some(NAMED)
        };
        if let Some(what) = what.filter(|_| is_plain()) {
            return Some((used, uneven(what)?));
        }
        None
    });
    left.or(right)
}

/// Whether the values and an operand of the scores are made of the same tensor, or one is the other: tokens that look at
/// each other. A parameter is none: `x @ W1 @ W2` is a layer.
fn is_of_the_same(scores: &Product, values: &Tensor) -> bool {
    let made_of = |tensor: &Tensor| {
        let start = source(tensor).1;
        let input = projection(&start).map(|it| source(&it.left).1);
        [Some(start), input]
    };
    let own = made_of(values);
    let is_token = |it: &&Tensor| !(it.is_leaf() && it.requires_grad()) && it.numel() > 1;
    let of_scores = [&scores.left, &scores.right].map(made_of);
    own.iter().flatten().filter(is_token).any(|it| of_scores.iter().flatten().flatten().any(|of| of.is(it)))
}

/// Whether queries, keys and values are three projections of one tensor.
fn is_of_three_projections(scores: &Product, values: &Tensor) -> bool {
    let starts = [&scores.left, &scores.right, values].map(|it| source(it).1);
    let inputs = starts.each_ref().map(|it| projection(it).map(|it| source(&it.left).1));
    let [Some(first), Some(second), Some(third)] = inputs else { return false };
    let [q, k, v] = starts;
    first.is(&second) && first.is(&third) && !q.is(&k) && !q.is(&v) && !k.is(&v)
}

/// Whether only views lie between a product and its use. Non-local networks may divide by the number of places.
fn is_untouched(steps: &[FlowStep]) -> bool {
    steps.iter().all(|step| step.record.operation.family == OpFamily::View)
}

/// What is said of scores that have the name of weights on their way to the product with the values, before they are masked
/// or divided, and some of which are negative.
fn named_on_the_way(steps: &[FlowStep], cell: &TracedCell) -> Option<String> {
    steps.iter().find_map(|step| {
        let name = cell.name_of(&step.operand, "");
        let is_small = step.operand.dtype().is_float() && step.operand.numel() <= MOST_ELEMENTS;
        if !is_small || !is_weights(&name) {
            return None;
        }
        let least = step.operand.to_f64_vec().into_iter().fold(0.0, f64::min);
        let is_real = least < -1e-6 && least > -1e4;
        is_real
            .then(|| format!("{name} has the name of weights, and one of its elements is {}", figure(least)))
    })
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
    // Products may be written as sums: (query * keys).sum(-1).
    let is_sum = |record: &Record| {
        let is_product = |of: &Tensor| {
            origin(of).is_some_and(|it| it.operation.explanation == Explanation::Pointwise(Formula::Mul))
        };
        let is_of_product = || record.args().first().and_then(Arg::tensor).is_some_and(is_product);
        record.operation.explanation == Explanation::Reduction(Reducer::Sum) && is_of_product()
    };
    if made.is_none() {
        return trace_back(tensor, &is_sum).is_some();
    }
    made.is_some_and(|made| {
        let is_parameter = |it: &Tensor| it.requires_grad() && it.is_leaf();
        let product = Product::of(&made).filter(|_| made.operation.explanation != Explanation::Linear);
        product.is_none_or(|it| !is_parameter(&it.left) && !is_parameter(&it.right))
    })
}

/// The first row whose sum is not 1, and the sum in figures.
fn uneven_row(tensor: &TracedTensor, axis: Axis) -> Option<(usize, String)> {
    let weights = tensor.tensor.as_ref()?;
    let sums = sums(&numbers(tensor)?, weights, axis);
    let (row, sum) = sums.into_iter().enumerate().find(|(_, sum)| (sum - 1.0).abs() > 1e-3)?;
    Some((row, figure(sum)))
}

/// What is said of weights of which some are negative; none if none are.
fn negative(tensor: &TracedTensor) -> Option<String> {
    let least = numbers(tensor)?.into_iter().fold(0.0, f64::min);
    (least < -1e-6).then(|| format!("one of its elements is {}", figure(least)))
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
