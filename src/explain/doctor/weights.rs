//! Weights that are made along the wrong axis, or changed before they meet the values.

use std::collections::HashSet;
use std::rc::Rc;

use super::attention::{Attention, Context, is_softmax, record_of, softmax_axis};
use super::axes::{Axis, axis_of, is_mean_of_matrices, mixed_heads, of_two, size, sums};
use super::flow::{
    FlowStep, axis_at_start, first_operands, is_parameter, is_zero_one, operand, origin, projection,
    rearranged, source, trace_back,
};
use super::mistake::{Detector, Mistake, Observation, TracedCell, in_line};
use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula, Movement, Reducer};
use crate::tensor::show::shape_in_formula;
use crate::tensor::{Arg, Record, Tensor};

pub(super) static OVER_QUERIES: Mistake = Mistake::new(
    ("A201", "softmax-over-queries"),
    "softmax runs over the queries",
    "A row of weights says how one token divides its attention among the keys, so it has to sum to 1. Along the \
     other axis all tokens compete for one key, and what a token gets depends on the other tokens' queries.",
    &[Detector::Attention(over_queries)],
);

/// Whether the softmax runs along another axis than the one over which the weights and the values are summed.
pub(super) fn is_over_queries(attention: &Attention) -> bool {
    let Some(context) = &attention.context else { return false };
    let Some(summed) = summed_elsewhere(attention, context) else { return false };
    if is_over_batch(attention) {
        return true;
    }
    // Weights that are divided by their sums afterwards are right, whatever axis the softmax runs along. Where a mask
    // comes in between, they are divided because of the mask.
    let is_masked = context.after.iter().any(|step| step.fill() == Some(0.0));
    if context.after.iter().any(FlowStep::divides_by_tensor) && !is_masked {
        return false;
    }
    is_over_one(attention, summed) || is_over_keys(attention, summed)
}

/// Whether the softmax runs along an axis that is neither that of the queries nor that of the keys: samples, or heads.
fn is_over_batch(attention: &Attention) -> bool {
    let Some(scores) = &attention.scores else { return false };
    let at = axis_at_start(&attention.before, attention.axis);
    let own = [scores.product.left_in_result, scores.product.right_in_result];
    at.is_some_and(|at| at > 2 && !own.contains(&Some(at)))
        && size(&attention.weights, attention.axis).is_some_and(|size| size > 1)
}

/// Whether the softmax runs along an axis with one element, so that every weight is 1.
fn is_over_one(attention: &Attention, summed: Axis) -> bool {
    let weights = &attention.weights;
    size(weights, attention.axis) == Some(1) && size(weights, summed).is_some_and(|size| size > 1)
}

/// The axis of the softmax's result that is summed with the values, if the softmax runs along another one.
fn summed_elsewhere(attention: &Attention, context: &Context) -> Option<Axis> {
    // Heads that talk to each other are mixed by a matrix of the model.
    if is_parameter(&context.values) {
        return None;
    }
    context.summed_in_softmax.filter(|summed| *summed != attention.axis)
}

/// Whether the sum with the values runs over the keys. It runs over the queries where, for example, prototypes collect
/// the tokens that are assigned to them.
fn is_over_keys(attention: &Attention, summed: Axis) -> bool {
    // Equal weights are a start from which others are computed, as in the routing of capsules.
    let Some(scores) = &attention.scores else { return !is_even(&attention.weights) };
    let at = axis_at_start(&attention.before, summed);
    if at.is_none() || at != scores.product.left_in_result {
        return true;
    }
    let inputs = scores
        .sources
        .each_ref()
        .map(|source| projection(source).map_or_else(|| source.clone(), |it| it.left));
    inputs[0].storage().same(inputs[1].storage())
        || projected_from(&scores.sources[0]).is_some_and(|it| Some(it) == projected_from(&scores.sources[1]))
}

/// Whether all elements are equal.
fn is_even(weights: &Tensor) -> bool {
    weights.numel() <= 1 << 16 && {
        let values = weights.to_f64_vec();
        values.iter().all(|it| *it == values[0])
    }
}

/// The number of the tensor that the last projection of a tensor takes.
fn projected_from(tensor: &Tensor) -> Option<usize> {
    let (_, start) = rearranged(tensor);
    let record = origin(&start).filter(|it| it.operation.explanation == Explanation::UnitLength);
    match record.and_then(|it| operand(&it, 0)) {
        Some(before) => projected_from(&before),
        None => projection(&start).map(|projection| projection.left.id()),
    }
}

fn over_queries(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    if !is_over_queries(attention) || is_right_elsewhere(attention, cell) {
        return None;
    }
    let context = attention.context.as_ref()?;
    let summed = summed_elsewhere(attention, context)?;
    let weights = cell.name_of(&context.weights, "the weights");
    let values = cell.name_of(attention.values()?, "the values");
    let ndim = attention.weights.ndim();
    let sums = row_sums(attention, summed);
    let sums = match sums.as_slice() {
        [] => String::new(),
        sums => {
            let shown: Vec<String> = sums.iter().take(4).map(|sum| figure(*sum)).collect();
            let more = if sums.len() > 4 { " and so on" } else { "" };
            format!(" Its rows sum to {}{more}.", shown.join(", "))
        }
    };
    let observed = format!(
        "softmax ran along dimension {} of {}, and the product of {weights} and {values} sums along dimension {}.{sums}",
        ndim - attention.axis,
        shape_in_formula(attention.weights.shape()),
        ndim - summed
    );
    let fix = match summed {
        1 => "torch.softmax(..., dim=-1): over the keys, the last axis".to_owned(),
        summed => format!("torch.softmax(..., dim=-{summed}): along the axis that is summed with the values"),
    };
    let found = Observation::new(attention.site(), observed, fix);
    Some(match attention.axis > 2 && (attention.scores.is_none() || is_over_batch(attention)) {
        true => found.titled("softmax runs over the batch or the heads").because(
            "A row of weights says how one token divides its attention among the keys, so it has to sum to 1. Along this \
             axis the same token of different samples, or of different heads, competes for one key.",
        ),
        false => found,
    })
}

/// Whether another product sums these weights along the axis of the softmax: the transposed ones are then a part of a gradient
/// that is written out, or of attention the other way.
fn is_right_elsewhere(attention: &Attention, cell: &TracedCell) -> bool {
    cell.steps().filter_map(Attention::ending_at).any(|other| {
        let summed = other.context.as_ref().and_then(|it| it.summed_in_softmax);
        Rc::ptr_eq(&other.softmax, &attention.softmax) && summed == Some(attention.axis)
    })
}

/// Sums of the softmax's result along an axis, in the first matrix.
fn row_sums(attention: &Attention, axis: Axis) -> Vec<f64> {
    let weights = &attention.weights;
    if weights.numel() > 1 << 20 || weights.ndim() < 2 || axis > 2 {
        return Vec::new();
    }
    let rows = size(weights, if axis == 1 { 2 } else { 1 }).unwrap_or(0);
    let mut all = sums(&weights.to_f64_vec(), weights, axis);
    all.truncate(rows);
    all
}

pub(super) static TWICE: Mistake = Mistake::new(
    ("A202", "softmax-twice"),
    "softmax is applied twice",
    "Weights are between 0 and 1, so the second softmax sees differences below 1 and gives every key nearly the same \
     share. Hidden keys, whose weights are 0 after the first softmax, get a share again.",
    &[Detector::Attention(twice)],
);

fn twice(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let input = attention.input()?;
    let path = trace_back(&input, &is_softmax)?;
    let largest = |tensor: &Tensor| tensor.to_f64_vec().into_iter().fold(0.0, f64::max);
    if input.numel() > 1 << 22 || input.numel() == 0 {
        return None;
    }
    let line = in_line(path.record.site.as_ref());
    let observed = format!(
        "{} is the result of a softmax{line} and the input of another: the largest weight falls from {} to {}.",
        cell.name_of(&input, "its input"),
        figure(largest(&path.start)),
        figure(largest(&attention.weights))
    );
    Some(Observation::new(attention.site(), observed, "one softmax, of the scores"))
}

pub(super) static DROPOUT: Mistake = Mistake::new(
    ("A206", "dropout-before-softmax"),
    "dropout is applied to scores, before the softmax",
    "A dropped score is 0, and exp(0) is 1, so the key is not dropped: it gets another score, and the remaining \
     scores are scaled up. Apply dropout to the weights.",
    &[Detector::Attention(dropout_before_softmax)],
);

fn dropout_before_softmax(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let dropout = match attention.scores {
        Some(_) => attention
            .before
            .iter()
            .find(|step| step.is_dropout())
            .map(|it| (it.record.clone(), it.operand.clone())),
        // Scores that are no product are known by their mask.
        None => first_operands(&attention.input()?).next().filter(|(record, scores)| {
            let is_masked =
                origin(scores).is_some_and(|it| it.operation.explanation == Explanation::MaskedFill);
            record.operation.explanation == Explanation::Dropout && is_masked
        }),
    };
    let (record, operand) = dropout?;
    let scores = cell.name_of(&operand, "the scores");
    let observed = format!("dropout drops elements of {scores}, and the softmax comes after it.");
    Some(Observation::new(record.site.clone(), observed, "dropout(torch.softmax(scores, dim=-1))"))
}

pub(super) static ALL_HIDDEN: Mistake = Mistake::new(
    ("A107", "row-all-hidden"),
    "all keys of a row are hidden, and its weights are nan",
    "The softmax divides exp(score) by the sum over the row. If every score is -inf, that is 0/0. The nan spreads \
     to everything computed from that row.",
    &[Detector::Attention(all_hidden)],
);

/// Rows of scores that are all minus infinity: the first of them, within its matrix, how many there are, and how long.
fn hidden_rows(attention: &Attention) -> Option<[usize; 3]> {
    let input = attention.input()?;
    let columns = *input.shape().last()?;
    if input.numel() > 1 << 22 || columns == 0 || attention.axis != 1 {
        return None;
    }
    let values = input.to_f64_vec();
    let is_hidden = |row: &[f64]| row.iter().all(|score| *score == f64::NEG_INFINITY);
    let mut hidden = values.chunks(columns).enumerate().filter(|(_, row)| is_hidden(row));
    let (first, _) = hidden.next()?;
    let rows = if input.ndim() >= 2 { input.shape()[input.ndim() - 2] } else { 1 };
    Some([first % rows, 1 + hidden.count(), columns])
}

/// Whether the nan in the weights are replaced afterwards, in this cell or in the one that made them.
fn is_replaced(attention: &Attention, cell: &TracedCell) -> bool {
    let replaces = |explanation| {
        matches!(
            explanation,
            Explanation::Pointwise(Formula::NanToNum)
                | Explanation::MaskedFill
                | Explanation::Moved(Movement::Chosen)
        )
    };
    if attention.context.iter().flat_map(|it| &it.after).any(|step| replaces(step.explanation())) {
        return true;
    }
    cell.steps().any(|step| {
        let replaces = replaces(step.operation.explanation);
        let takes = |tensor: &Tensor| tensor.storage().same(attention.weights.storage());
        replaces && step.operands.iter().any(|it| it.tensor.as_ref().is_some_and(takes))
    })
}

fn all_hidden(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let [first, count, columns] = hidden_rows(attention)?;
    if is_replaced(attention, cell) {
        return None;
    }
    let input = attention.input()?;
    let scores = cell.name_of(&input, "the scores");
    let more = if count > 1 { format!(" ({count} rows in all)") } else { String::new() };
    let observed = format!(
        "Row {first} of {scores} is -inf in all {columns} places{more}: the softmax returns nan there."
    );
    let fix = "let every token see at least itself: torch.triu(..., diagonal=1) hides the tokens after it, but not the \
               token itself";
    Some(Observation::new(attention.site(), observed, fix))
}

pub(super) static MASKED: Mistake = Mistake::new(
    ("A105", "mask-after-softmax"),
    "weights are masked after the softmax and not renormalised",
    "The softmax gives every key a share, hidden keys too. Setting their shares to 0 leaves rows that sum to less \
     than 1, so the first tokens, which see few keys, get context vectors that are far too small.",
    &[Detector::Attention(masked), Detector::Step(divided_by_columns)],
);

/// The masking of the weights, with the first row that sums to less than 1, and its sum.
fn masking<'a>(attention: &'a Attention) -> Option<(&'a FlowStep, usize, f64)> {
    let context = attention.context.as_ref()?;
    let at = context.after.iter().position(|step| step.fill() == Some(0.0))?;
    let masking = &context.after[at];
    // A later division by the sums would make it right. Where other numbers were written in, they are weights no more.
    let is_written = |step: &FlowStep| step.explanation() == Explanation::Assignment && step.fill().is_none();
    if context.after[..at].iter().any(FlowStep::divides_by_tensor) || context.after.iter().any(is_written) {
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

pub(super) fn is_masked(attention: &Attention) -> bool {
    !is_over_queries(attention) && masking(attention).is_some()
}

/// Weights that are masked after the softmax and then divided by the sums of their columns.
fn divided_by_columns(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let record =
        record_of(step).filter(|it| it.operation.explanation == Explanation::Pointwise(Formula::Div))?;
    let (masked, divisor) = (operand(&record, 0)?, operand(&record, 1)?);
    let is_sum = |it: &Rc<Record>| it.operation.explanation == Explanation::Reduction(Reducer::Sum);
    let sum = origin(&source(&divisor).1).filter(is_sum)?;
    let summed = operand(&sum, 0)?;
    let axis = axis_of(sum.args().get(1), masked.ndim())?;
    let path = trace_back(&masked, &is_softmax)?;
    let is_before = summed.is(&path.start);
    if !is_before && !summed.is(&masked) {
        return None;
    }
    let along = softmax_axis(&path.record)?;
    let is_masked = path.steps.iter().any(|step| step.fill() == Some(0.0));
    let of_softmax = axis_at_start(&path.steps, axis)?;
    let (row, sum) = small_row(step.result()?, along)?;
    if !is_masked || of_softmax == along && !is_before || axis > 2 || along > 2 {
        return None;
    }
    let name = cell.name_of(&masked, "the masked weights");
    if is_before {
        let observed = format!(
            "{name} is divided by the sums of what it was before the mask, which are 1: row {row} of the result sums to {}.",
            figure(sum)
        );
        let found = Observation::new(
            step.site(),
            observed,
            "the sums of the masked weights: masked.sum(dim=-1, keepdim=True)",
        );
        return Some(found.titled("masked weights are divided by their sums from before the mask"));
    }
    let observed = format!(
        "The softmax ran along dimension -{along}, and {name} is divided by its sums along dimension -{axis}: row {row} of the result \
         sums to {}.",
        figure(sum)
    );
    let fix = "divide by the sums of the rows: weights / weights.sum(dim=-1, keepdim=True)";
    Some(
        Observation::new(step.site(), observed, fix)
            .titled("masked weights are divided by the sums of their columns"),
    )
}

fn masked(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    if !is_masked(attention) {
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

pub(super) static SUMMED: Mistake = Mistake::new(
    ("A211", "weights-summed"),
    "weights or values are summed before they meet",
    "An index of einsum that only one operand has, and the result has not, is summed in that operand alone. Weights sum \
     to 1, so each query gets one value as it is, and no token reads another; values are added up over their heads.",
    &[Detector::Step(summed)],
);

fn summed(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let (Explanation::Einsum, Some(Arg::Str(equation))) = (step.operation.explanation, step.args.first())
    else {
        return None;
    };
    let [left, right, output] = of_two(equation)?;
    let alone = |own: &str, other: &str| {
        own.chars().find(|it| it.is_alphabetic() && !other.contains(*it) && !output.contains(*it))
    };
    let operands: Vec<_> = step.operands.iter().filter_map(|it| it.tensor.as_ref()).collect();
    let [a, b] = operands.as_slice() else { return None };
    let is_weights = |tensor| trace_back(tensor, &is_softmax).is_some();
    if !is_weights(a) && !is_weights(b) {
        return None;
    }
    let (letter, summed) = match (alone(&left, &right), alone(&right, &left)) {
        (Some(letter), _) => (letter, a),
        (None, Some(letter)) => (letter, b),
        (None, None) => return None,
    };
    let observed = format!(
        "In \"{equation}\" the index {letter} belongs to {} alone: its rows are added up before they meet the other operand.",
        cell.name_of(summed, "one operand")
    );
    let fix = "the index of the keys in both operands: \"bhij,bhjd->bhid\"";
    Some(Observation::new(step.site(), observed, fix))
}

pub(super) static UNEVEN: Mistake = Mistake::new(
    ("A204", "rows-do-not-sum-to-1"),
    "rows of weights do not sum to 1 when they are used",
    "A context vector is an average of values. With weights that sum to something else it grows or shrinks with \
     the row, and so does the input of the layers after it.",
    &[Detector::Weights(uneven)],
);

/// How far rounding may move a row's sum from 1.
const TOLERANCE: f64 = 1e-3;
/// The same in half precision.
const HALF_TOLERANCE: f64 = 2e-2;

fn uneven(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let context = attention.context.as_ref()?;
    if !is_softmax(&attention.softmax) {
        return never_divided(attention, context, cell);
    }
    if is_over_queries(attention) || is_masked(attention) || hidden_rows(attention).is_some() {
        return None;
    }
    // A softmax along another axis may be intended; its weights do not sum to 1 along this axis.
    if context.summed_in_softmax.is_some_and(|summed| summed != attention.axis) {
        return None;
    }
    // A gate that is computed is meant to change the sums. After dropout the sums are right only on average, and a part
    // of the weights does not sum to 1.
    let is_gate = |step: &FlowStep| {
        let other = step.other().and_then(|other| other.tensor().cloned());
        // Right answers are subtracted, zeros and ones, where a gradient is computed.
        let is_mask =
            |other: &Tensor| is_zero_one(other) && step.explanation() != Explanation::Pointwise(Formula::Sub);
        matches!(step.explanation(), Explanation::Pointwise(Formula::Mul | Formula::Add | Formula::Sub))
            && other.is_some_and(|other| other.numel() > 1 && !is_mask(&other))
    };
    let is_mean = |step: &FlowStep| is_mean_of_matrices(&step.record);
    let is_part = |step: &FlowStep| step.result.numel() < step.operand.numel() && !is_mean(step);
    let is_mixed = |step: &FlowStep| mixed_heads(&step.record).is_some();
    if context.after.iter().any(|step| is_gate(step) || step.is_dropout() || is_part(step) || is_mixed(step))
    {
        return None;
    }
    // Means over heads, multiplied up from layer to layer, may be divided at the end.
    if context.after.iter().any(is_mean) && is_divided_later(context, cell) {
        return None;
    }
    let (row, sum) = uneven_row(context)?;
    let weights = cell.name_of(&context.weights, "the weights");
    let scaling = context.after.iter().find_map(|step| Some((step, step.factor()?)));
    let (observed, fix, site) = match scaling {
        Some((step, factor)) => (
            format!(
                "{weights} is multiplied by {} after the softmax: row {row} sums to {}.",
                figure(factor),
                figure(sum)
            ),
            "scale the scores, before the softmax: torch.softmax(scores / d_k**0.5, dim=-1)",
            step.record.site.clone(),
        ),
        None => (
            format!("Row {row} of {weights} sums to {} when it is multiplied with the values.", figure(sum)),
            "an operation between the softmax and this product changes the sums: divide by weights.sum(dim=-1, \
             keepdim=True)",
            context.traced.site(),
        ),
    };
    Some(Observation::new(site, observed, fix))
}

/// Weights that are exp of scores, in a function of attention, where neither they nor what they are multiplied to is divided.
fn never_divided(attention: &Attention, context: &Context, cell: &TracedCell) -> Option<Observation> {
    if attention.softmax.operation.explanation != Explanation::Pointwise(Formula::Exp) {
        return None;
    }
    // Of weights that are computed again for gradients, the queries are summed too.
    if context.summed_in_softmax.is_some_and(|axis| axis != 1) {
        return None;
    }
    let name = cell.name_of(&context.weights, "the weights");
    let is_changed = |step: &FlowStep| {
        let is_sum = step.explanation() == Explanation::Pointwise(Formula::Add);
        step.record.operation.family == OpFamily::Pointwise && !is_sum && !is_by_one_sum(step)
    };
    if context.after.iter().any(is_changed) || is_divided_later(context, cell) {
        return None;
    }
    let (row, sum) = uneven_row(context)?;
    let observed = format!(
        "{name} is exp of the scores, and neither it nor its product with the values is divided by the sums of its rows: row \
         {row} sums to {}.",
        figure(sum)
    );
    let fix = "divide by weights.sum(dim=-1, keepdim=True), or use torch.softmax(scores, dim=-1)";
    Some(Observation::new(context.traced.site(), observed, fix))
}

/// A division of all weights by one number, the sum over all rows.
fn is_by_one_sum(step: &FlowStep) -> bool {
    step.explanation() == Explanation::Pointwise(Formula::Div) && step.factor().is_some()
}

/// Whether something computed from this product is multiplied with or divided by a tensor.
fn is_divided_later(context: &Context, cell: &TracedCell) -> bool {
    let steps = &cell.trace.steps;
    let sum = uneven_row(context).filter(|_| context.weights.ndim() == 1).map(|(_, sum)| sum);
    cell.alike(context.traced).any(|(own, step)| is_divided_after(&steps[own + 1..], step, sum))
}

/// Whether one of these operations divides what was computed from this product, by the sum of its only row or a tensor.
fn is_divided_after(steps: &[Traced], product: &Traced, sum: Option<f64>) -> bool {
    let ids = |tensors: &[TracedTensor]| -> Vec<usize> {
        tensors.iter().filter_map(|it| Some(it.tensor.as_ref()?.id())).collect()
    };
    let mut reached: HashSet<usize> = HashSet::from_iter(ids(&product.results));
    for step in steps {
        if !ids(&step.operands).iter().any(|it| reached.contains(it)) {
            continue;
        }
        let is_scaling =
            matches!(step.operation.explanation, Explanation::Pointwise(Formula::Mul | Formula::Div));
        // One row of weights is divided by one number, its sum.
        let divisor = || step.args.get(1).and_then(Arg::number);
        let by_own_sum =
            || sum.zip(divisor()).is_some_and(|(sum, by)| (by - sum).abs() <= TOLERANCE * sum.abs());
        if is_scaling && (step.operands.len() > 1 || by_own_sum()) {
            return true;
        }
        reached.extend(ids(&step.results));
    }
    false
}

/// The first row of weights that does not sum to 1, and its sum, at the time of the product.
fn uneven_row(context: &Context) -> Option<(usize, f64)> {
    let mut operands = context.traced.operands.iter();
    let weights = operands.find(|it| it.is(&context.weights))?;
    let values = weights.floats()?;
    let sums = sums(&values, &context.weights, context.summed);
    // The gradient of weights, from which the right answers were subtracted.
    let classes = context.weights.shape().last().copied().unwrap_or(1).max(1);
    let mut of_rows = values.chunks(classes).map(|row| row.iter().sum::<f64>());
    let is_gradient = values.iter().any(|it| *it < 0.0)
        && (sums.iter().all(|sum| sum.abs() < TOLERANCE) || of_rows.all(|sum| sum.abs() < TOLERANCE));
    let rounding = if context.weights.dtype().is_half() { HALF_TOLERANCE } else { TOLERANCE };
    // A query that sees nothing, such as padding, may get nothing.
    sums.into_iter().enumerate().find(|(_, sum)| *sum != 0.0 && (sum - 1.0).abs() > rounding && !is_gradient)
}
