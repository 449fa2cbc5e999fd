//! Layers that take another tensor than the one that is meant.

use std::iter::successors;
use std::rc::Rc;

use super::attention::{record_of, roles};
use super::axes::{Axis, Product, axis_of, is_product, size};
use super::flow::{
    Before, arg, axis_at_start, first_operands, is_parameter, operand, operands, origin, projection, source,
    trace_back,
};
use super::losses::hides_later_tokens;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::replay::Replay;
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement, Reducer};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Arg, Buffer, DType, Index, Record, Site, Tensor};

/// Keys used as values, or a similar mix-up, which leaves another projection unused.
/// Reported for a function that computes the right projection and never uses it.
pub(super) static MIXED_UP: Mistake = Mistake::new(
    ("A401", "projection-mixed-up"),
    "one projection is used in place of another, which is left unused",
    "Queries and keys decide how much each token counts; the values are what is averaged. If one projection is used \
     in place of another, a weight matrix of the layer is never used and never learns.",
    &[Detector::Step(mixed_up)],
);

fn mixed_up(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let [queries, keys, values] = &roles(step)?;
    let (input, activation) = (projection(values)?.left, step.place()?.activation);
    let unused = unused_projection(cell, &input, activation)?;
    let unused = format!(
        "; {} is computed from the same input and nothing uses it",
        cell.name_of(&unused, "the other projection")
    );
    let (observed, fix) = if values.is(keys) || values.is(queries) {
        let which = if values.is(keys) { "keys" } else { "queries" };
        let name = cell.name_of(values, &format!("the {which}"));
        (
            format!("The weights are multiplied with {name}, which already made the scores{unused}."),
            "queries and keys make the scores, the values are averaged: weights @ values",
        )
    } else if queries.is(keys) {
        let name = cell.name_of(queries, "one projection");
        (
            format!("The scores are the product of {name} with {name} itself{unused}."),
            "queries @ keys.transpose(-2, -1)",
        )
    } else {
        return None;
    };
    Some(Observation::new(step.site(), observed, fix))
}

/// A projection of the same input, made in the same call, that no operation uses.
fn unused_projection(cell: &TracedCell, input: &Tensor, activation: u64) -> Option<Tensor> {
    cell.steps().enumerate().find_map(|(at, step)| {
        let mut calls = step.calls.iter();
        calls.find(|call| call.activation == activation)?;
        record_of(step)?;
        let made = step.result()?.clone();
        let is_used =
            |(at, step): (usize, &Traced)| step.result().is_some_and(|made| cell.is_used_after(made, at));
        let is_unused = projection(&made)?.left.is(input)
            && !cell.is_used_after(&made, at)
            && !cell.alike(step).any(is_used);
        is_unused.then_some(made)
    })
}

pub(super) static NO_ACTIVATION: Mistake = Mistake::new(
    ("A405", "no-activation"),
    "nothing is between two linear layers",
    "A linear function of a linear function is one linear function: the wider layer between computes nothing that a \
     single matrix would not. An activation between them makes the layers a network.",
    &[Detector::Step(widened)],
);

/// A layer that takes what another one made wider, and makes it narrower again.
fn widened(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let second = trained(step.result()?)?;
    let (_, start) = source(&second.left);
    let first = trained(&start)?;
    let (inside, outside) = (first.width(), size(&second.right, second.free.1?)?);
    let between = second.width();
    if between <= inside || between <= outside || size(&first.right, first.free.1?)? != between {
        return None;
    }
    let name = cell.name_of(&start, "the result");
    let observed = format!(
        "{name} has {between} features, made from {inside} by one matrix, and goes as it is into the next, which makes \
         {outside} of them: one matrix of {inside} x {outside} does the same."
    );
    Some(Observation::new(step.site(), observed, "an activation between them: F.gelu(...) or F.relu(...)"))
}

/// The product of a tensor that a layer made, with a matrix that is trained.
fn trained(tensor: &Tensor) -> Option<Product> {
    let adds_computed = origin(tensor).is_some_and(|record| {
        record.operation.explanation == Explanation::Pointwise(Formula::Add)
            && operand(&record, 1).is_some_and(|it| origin(&source(&it).1).is_some())
    });
    projection(tensor).filter(|product| !adds_computed && source(&product.right).1.requires_grad())
}

/// A residual connection that begins behind the norm, in a block whose other one begins before it.
/// Source: Xiong et al. 2020: pre-norm is x + f(norm(x)), post-norm is norm(x + f(x)).
pub(super) static RESIDUAL: Mistake = Mistake::new(
    ("A410", "residual-of-norm"),
    "one residual connection of a block begins behind its norm",
    "The residual stream is to reach the end of the model unchanged but for what is added. A connection that takes the \
     norm's result replaces the stream there: what came before is lost, and so is the short way for gradients.",
    &[Detector::Cell(residual)],
);

/// The most tensors between a connection and its branch.
const MOST_TENSORS: usize = 400;

#[derive(PartialEq)]
enum Begins {
    BeforeNorm,
    BehindNorm,
}

fn residual(cell: &TracedCell) -> Vec<Observation> {
    let found = |step| Some((step, begins(step)?));
    let all: Vec<(&Traced, Begins)> = cell.steps().filter_map(found).collect();
    let behind = all.iter().filter(|(_, it)| *it == Begins::BehindNorm);
    let mixed = |step: &Traced| {
        let own = step.place()?;
        let other = all.iter().find(|(other, it)| {
            *it == Begins::BeforeNorm && other.place().is_some_and(|it| it.activation == own.activation)
        })?;
        let line = other.0.place()?.span.start.line;
        let observed = format!(
            "Here a norm's result is added to what was computed from it; in line {line}, in the same call, the input of the norm is."
        );
        Some(Observation::new(
            step.site(),
            observed,
            "x = x + f(norm(x)): keep x, and give the norm's result to f alone",
        ))
    };
    behind.filter_map(|(step, _)| mixed(step)).collect()
}

fn is_norm(record: &Record) -> bool {
    matches!(record.operation.explanation, Explanation::Normalisation(_))
}

pub(super) static NO_NORM: Mistake = Mistake::new(
    ("A409", "norm-depends-on-size"),
    "a norm's result depends on the size of its input",
    "A norm makes all rows alike in size, so that a layer meets the same range everywhere. Without the root, large rows become \
     small and small rows large.",
    &[Detector::Step(no_norm), Detector::Step(other_axis)],
);

/// A product of vectors that were divided by their norms along another axis than the one that it sums.
fn other_axis(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let product = record_of(step).and_then(|it| Product::of(&it))?;
    // The axis of each operand that is summed, where both were divided by a norm, and the axis along which.
    let side = |tensor: &Tensor, summed: Axis| {
        let is_unit = |it: &Record| it.operation.explanation == Explanation::UnitLength;
        let is_quotient = |it: &Record| it.operation.explanation == Explanation::Pointwise(Formula::Div);
        let path = trace_back(tensor, &|it| is_unit(it) || is_quotient(it))?;
        let norm = match is_unit(&path.record) {
            true => path.record.clone(),
            false => {
                let by = source(&operand(&path.record, 1)?).1;
                let is_norm =
                    |it: &Rc<Record>| it.operation.explanation == Explanation::Reduction(Reducer::Norm);
                origin(&by).into_iter().chain(first_operands(&by).take(3).map(|it| it.0)).find(is_norm)?
            }
        };
        let along = axis_of(arg(&norm, "dim").as_ref(), operand(&norm, 0)?.ndim())?;
        Some((axis_at_start(&path.steps, summed)?, along, path.record.site.clone()))
    };
    let (left, right) = (side(&product.left, product.summed.0)?, side(&product.right, product.summed.1)?);
    let is_wrong = |it: &(Axis, Axis, Option<Site>)| it.0 != it.1;
    let (summed, along, site) = [left, right].into_iter().find(is_wrong)?;
    let observed = format!(
        "{} is a product over axis -{summed}, and its operands were divided by their norms along axis -{along}.",
        cell.name_of(step.result()?, "The result")
    );
    let found =
        Observation::new(site, observed, "F.normalize(x, dim=-1), over the features that the product sums");
    Some(found.titled("vectors are normalised along another axis than the product sums").because(
        "A product of two vectors of length 1 is the cosine of their angle. Along another axis each feature is scaled by what the \
         other rows have there.",
    ))
}

/// Rows that are divided by their mean square without the root, or by a mean over the tokens.
fn no_norm(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    const LARGER: f64 = 16.0;
    let is_scaling =
        matches!(step.operation.explanation, Explanation::Pointwise(Formula::Mul | Formula::Div));
    let (mut first, mut by) = (step.tensor(0).filter(|_| is_scaling)?, step.tensor(1)?);
    if first.numel() < by.numel() && step.operation.explanation == Explanation::Pointwise(Formula::Mul) {
        (first, by) = (by, first);
    }
    let (&[.., tokens, _], &[.., rows, columns]) = (first.shape(), by.shape()) else { return None };
    if first.ndim() != by.ndim() || by.numel() >= first.numel() {
        return None;
    }
    let input = input_of_norm(first, by)?;
    let name = cell.name_of(&input, "The input of the norm");
    let is_of_tokens = first.ndim() > 2 && tokens > 1 && (rows, columns) == (1, *first.shape().last()?);
    // Data, such as a series, may be normed along its time.
    let is_of_model = |it: Tensor| is_parameter(&it) || origin(&it).is_some_and(|record| is_product(&record));
    if is_of_tokens && Before::of(first, MOST_TENSORS).any(is_of_model) {
        let observed = format!(
            "{name} of shape {} is divided by what a mean over its dimension {} says: for each feature one number for all tokens.",
            tuple_repr(first.shape()),
            first.ndim() - 2
        );
        let found = Observation::new(step.site(), observed, "the mean over the features: dim=-1");
        return Some(found.titled("a norm mixes the tokens").because(
            "A norm of layers makes each token's vector alike in size, whatever the others are. Over the tokens, what one of them is \
             depends on all others, and on later ones too.",
        ));
    }
    if columns != 1 {
        return None;
    }
    // Large beside the small number that is added to a mean square.
    let again = |by: f64| {
        let value = |at: usize| by * 1000.0 * (1.0 + 1.7 * at as f64).sin();
        let values = (0..input.numel()).map(value);
        let buffer = match input.dtype() {
            DType::Float64 => Buffer::F64(values.collect()),
            DType::Float32 => Buffer::F32(values.map(|it| it as f32).collect()),
            _ => return None,
        };
        let new = Tensor::new(buffer, input.shape(), input.dtype());
        Some(Replay::default().given(&input, new).of(step.result()?)?.to_f64_vec())
    };
    let (small, large) = (again(1.0)?, again(LARGER)?);
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let factor = sum(&small, &large) / sum(&small, &small);
    let most = large.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    let is_scaled = small.iter().zip(&large).all(|(a, b)| (factor * a - b).abs() <= 1e-2 * most);
    if !is_scaled || !(1e-9..0.9).contains(&factor) && !(1.1..0.99 * LARGER).contains(&factor) {
        return None;
    }
    let observed = format!(
        "{name} is divided by its own size. For rows {LARGER} times as large the result is {} times as large, and that of a norm the \
         same.",
        figure(factor)
    );
    Some(Observation::new(step.site(), observed, "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)"))
}

/// What is divided by a mean of its own, or of its squares: without its mean, and without a vector that it is scaled with.
fn input_of_norm(scaled: &Tensor, by: &Tensor) -> Option<Tensor> {
    const MOST: usize = 12;
    let is_sum = |it: &Tensor| {
        origin(&source(it).1)
            .is_some_and(|it| it.operation.explanation == Explanation::Reduction(Reducer::Sum))
    };
    let is_mean = |it: Tensor| {
        origin(&it).is_some_and(|it| match it.operation.explanation {
            Explanation::Reduction(Reducer::Mean) | Explanation::Spread { .. } => true,
            // That of NumPy.
            Explanation::Pointwise(Formula::Div) => {
                it.args().get(1).and_then(Arg::number).is_some()
                    && operand(&it, 0).is_some_and(|it| is_sum(&it))
            }
            _ => false,
        })
    };
    if !Before::of(by, MOST).any(is_mean) {
        return None;
    }
    let first = without_vectors(scaled);
    // Without its mean.
    let centred =
        origin(&first).filter(|it| it.operation.explanation == Explanation::Pointwise(Formula::Sub));
    let input = centred.and_then(|it| operand(&it, 0)).unwrap_or(first);
    Before::of(by, MOST).any(|it| it.is(&input)).then_some(input)
}

/// What a norm that is written out divides by the root of a mean; it is scaled and shifted by parameters before or after.
fn norm_by_hand(tensor: &Tensor) -> Option<Tensor> {
    let record = origin(&without_vectors(tensor))?;
    let [first, second] = <[Tensor; 2]>::try_from(operands(&record)).ok()?;
    let is_row = |it: &Tensor| it.shape().last() == Some(&1);
    let is_scaling =
        matches!(record.operation.explanation, Explanation::Pointwise(Formula::Mul | Formula::Div));
    if !is_scaling || !is_row(&second) || is_row(&first) {
        return None;
    }
    let is_root = |it: Tensor| {
        origin(&it).is_some_and(|it| {
            matches!(
                it.operation.explanation,
                Explanation::Pointwise(Formula::Rsqrt | Formula::Sqrt) | Explanation::Spread { root: true }
            )
        })
    };
    Before::of(&second, 6).any(is_root).then(|| input_of_norm(&first, &second))?
}

/// What was scaled and shifted by vectors.
fn without_vectors(tensor: &Tensor) -> Tensor {
    successors(without_vector(tensor), without_vector).last().unwrap_or_else(|| tensor.clone())
}

/// What a vector, such as one of parameters, was added to or multiplied with.
fn without_vector(tensor: &Tensor) -> Option<Tensor> {
    let record = origin(tensor)?;
    let is_scaling =
        matches!(record.operation.explanation, Explanation::Pointwise(Formula::Add | Formula::Mul));
    let [first, second] = <[Tensor; 2]>::try_from(operands(&record)).ok().filter(|_| is_scaling)?;
    let is_vector = |it: &Tensor| it.ndim() == 1;
    if is_vector(&second) { Some(first) } else { is_vector(&first).then_some(second) }
}

/// Where a sum's residual connection begins, if it is one: one operand was computed from the other.
fn begins(step: &Traced) -> Option<Begins> {
    if step.operation.explanation != Explanation::Pointwise(Formula::Add) {
        return None;
    }
    let [a, b] = [step.tensor(0)?, step.tensor(1)?];
    if a.shape() != b.shape() || a.ndim() < 2 {
        return None;
    }
    let of = |skip: &Tensor, branch: &Tensor| {
        let is_result = origin(skip).is_some_and(|record| is_norm(&record)) || norm_by_hand(skip).is_some();
        let (through, directly) = ways(skip, branch);
        match (is_result, through, directly) {
            (true, false, true) => Some(Begins::BehindNorm),
            (false, true, false) => Some(Begins::BeforeNorm),
            _ => None,
        }
    };
    of(a, b).or_else(|| of(b, a))
}

/// Whether a branch was computed from a tensor through a norm of it, and whether without one.
fn ways(from: &Tensor, branch: &Tensor) -> (bool, bool) {
    let (mut through, mut directly) = (false, false);
    let mut walk = Before::of(branch, MOST_TENSORS);
    // The same norm of the same numbers may be computed again.
    let normed = |tensor: &Tensor| {
        let record = origin(tensor).filter(|record| is_norm(record))?;
        Some(operands(&record).iter().map(Tensor::id).collect::<Vec<_>>())
    };
    let of_from = normed(from);
    let is_own = |it: &Tensor| it.is(from) || of_from.is_some() && normed(it) == of_from;
    while let Some(tensor) = walk.next() {
        let Some(record) = origin(&tensor) else { continue };
        if let Some(normed) = norm_by_hand(&tensor) {
            through |= is_own(&normed);
            walk.go_on_with((!is_own(&normed)).then_some(normed));
            continue;
        }
        let (own, others): (Vec<_>, Vec<_>) = operands(&record).into_iter().partition(is_own);
        through |= !own.is_empty() && is_norm(&record);
        directly |= !own.is_empty() && !is_norm(&record);
        walk.go_on_with(others);
    }
    (through, directly)
}

/// A learned token that is joined to a text or to patches, and an answer that is read from another token.
/// Source: Devlin et al. 2019 and Dosovitskiy et al. 2021: the classifier reads the class token.
pub(super) static CLASS_TOKEN: Mistake = Mistake::new(
    ("A411", "class-token-unread"),
    "the answer is read from another token than the class token",
    "The class token gathers what the answer needs from all tokens. Another token stands for its own word or patch.",
    &[Detector::Once(class_token)],
);

/// The most tensors between the joined tokens and the one that is read.
const MOST_BEHIND_JOIN: usize = 2000;

fn class_token(cell: &TracedCell) -> Option<Observation> {
    let steps = &cell.trace.steps;
    let joins: Vec<(&Traced, usize)> = steps.iter().filter_map(|step| Some((step, joined(step)?))).collect();
    let (join, place) = joins.first()?;
    let &[_, count, width] = join.results.first()?.shape() else { return None };
    let is_join =
        |tensor: Tensor| joins.iter().any(|(step, _)| step.result().is_some_and(|it| it.is(&tensor)));
    let of_join =
        |step: &Traced| step.tensor(0).is_some_and(|it| Before::of(it, MOST_BEHIND_JOIN).any(is_join));
    // One that begins a text, which is written from its last token.
    if joins.iter().any(|(_, it)| it != place)
        || steps.iter().any(|step| hides_later_tokens(step) && of_join(step))
    {
        return None;
    }
    let reads = steps.iter().filter_map(|step| Some((step, read(step, count, width)?)));
    let reads: Vec<(&Traced, usize)> = reads.filter(|(step, _)| of_join(step)).collect();
    let (step, at) = reads.first()?;
    if reads.iter().any(|(_, it)| it != at) || at == place {
        return None;
    }
    let observed = format!(
        "A learned token is joined to the others as token {place} of {count}, and only token {at} of the result is read."
    );
    Some(Observation::new(step.site(), observed, format!("x[:, {place}]")))
}

/// The place of a learned token among others that it is joined with along axis 1, if it is the first or the last.
fn joined(step: &Traced) -> Option<usize> {
    if step.operation.explanation != Explanation::Moved(Movement::Joined) {
        return None;
    }
    let result = step.result()?.clone();
    let parts = operands(&*origin(&result)?);
    let is_learned = |part: &Tensor| {
        let (_, start) = source(part);
        part.ndim() == 3 && part.shape()[1] == 1 && is_parameter(&start) && start.numel() == part.shape()[2]
    };
    let [first, second] = parts.as_slice() else { return None };
    let others = if is_learned(first) { second } else { first };
    if is_learned(first) == is_learned(second)
        || others.ndim() != 3
        || result.ndim() != 3
        || others.shape()[1] < 3
    {
        return None;
    }
    (result.shape()[1] == others.shape()[1] + 1)
        .then(|| if is_learned(first) { 0 } else { others.shape()[1] })
}

/// Which token an operation reads of a tensor that has so many of this width.
fn read(step: &Traced, count: usize, width: usize) -> Option<usize> {
    let (Explanation::Moved(Movement::LookedUp), Some(Arg::Index(parts))) =
        (step.operation.explanation, step.args.get(1))
    else {
        return None;
    };
    let whole =
        |part: &Index| matches!(part, Index::Slice { start: None, stop: None, step: None } | Index::Ellipsis);
    let &[_, tokens, features] = step.operand(0)?.shape() else { return None };
    match &parts[..] {
        [first, Index::Int(at), rest @ ..]
            if whole(first) && rest.iter().all(whole) && tokens == count && features == width =>
        {
            usize::try_from(if *at < 0 { at + count as i64 } else { *at }).ok()
        }
        _ => None,
    }
}
