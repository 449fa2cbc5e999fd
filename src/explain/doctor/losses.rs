//! What a loss compares: outputs, and targets of other places, orders or rows.

use std::{borrow::Cow, cell::OnceCell, collections::HashMap};

use super::attention::{Attention, is_softmax};
use super::flow::{FlowStep, is_trained, operand, operands, origin, setting, source, trace_back};
use super::mask::{NO_WEIGHT, Visible, fused_visible};
use super::mistake::{Detector, Mistake, Observation, TracedCell, in_line};
use super::mixture::exchanged;
use super::repeated::{Reach, RepeatedCall};
use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::session::AxisReport;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula, LossKind, Movement, Reducer, SoftmaxKind};
use crate::tensor::{Arg, DType, Index, Record, Tensor};

/// The most texts that are compared with the targets of a loss.
const MOST_TEXTS: usize = 8;
/// The most outputs that are compared with those that a loss takes.
const MOST_OUTPUTS: usize = 1 << 24;

pub(super) static NOT_SHIFTED: Mistake = Mistake::new(
    ("A802", "targets-not-shifted"),
    "the targets are the inputs themselves",
    "A causal model sees the token at its own position. If that is also what it has to predict, the loss falls to \
     zero by copying, and the model learns nothing about the next token.",
    &[Detector::Call(misplaced)],
);

/// The tokens of texts in the order in which they were looked up, and how many each text has.
fn texts<'s>(steps: impl Iterator<Item = &'s Traced>) -> Vec<(usize, Vec<f64>)> {
    let of_tokens = |step: &Traced| reads_tokens(step).map(|(tensor, tokens)| (tensor.shape()[1], tokens));
    steps.filter_map(of_tokens).take(MOST_TEXTS).collect()
}

/// The losses of a causal model, none of which has the next tokens as targets: a model that predicts several tokens has one
/// loss for each.
fn misplaced(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let mut known = texts(cell.steps());
    let is_causal = |axis: &&AxisReport| matches!(Reach::of(axis), Reach::Causal | Reach::Leaks(_));
    let own = call.report.axes.iter().find(is_causal);
    // What the call was given, and other calls of the function; a text that is looked up elsewhere may be that of another model.
    let given = own.map(|axis| call.report.tokens.iter().map(|it| (axis.size, it.clone())));
    let mut given: Vec<_> = given.into_iter().flatten().collect();
    let is_own = |step: &&Traced| step.calls.iter().any(|it| it.function == call.function);
    given.extend(texts(cell.steps().filter(is_own)));
    known.extend(given.iter().cloned());
    let losses = cell.steps().filter_map(ClassLoss::of);
    let shift = |loss: &ClassLoss| {
        [1, 0, 2, -1].into_iter().find(|by| known.iter().any(|text| is_shifted(loss, text, *by)))
    };
    let shifted = losses.filter_map(|loss| Some((shift(&loss)?, loss)));
    let shifted: Vec<(ClassLoss, isize)> = shifted.map(|(by, loss)| (loss, by)).collect();
    if shifted.iter().any(|(_, by)| *by == 1) {
        return None;
    }
    // A decoder may be given the targets and read each of them one place later.
    let sees_own = || own.is_none_or(|axis| axis.changes.iter().any(|it| it.moved[it.at] > 0.0));
    let is_meant = |(loss, by): &(ClassLoss, isize)| match by {
        0 => {
            (own.is_some() || cell.steps().any(sees_the_past))
                && sees_own()
                && given.iter().any(|text| is_shifted(loss, text, 0))
                && !is_of_another(&loss.outputs, call, cell)
        }
        _ => cell.steps().any(hides_later_tokens),
    };
    let (loss, by) = shifted.into_iter().find(is_meant)?;
    let (observed, fix, title) = match by {
        0 => (
            format!(
                "The {} tokens that {} was called with are also the targets of the loss, each at its own position.",
                own.map_or(given[0].0, |axis| axis.size),
                call.function
            ),
            "predict the next token: logits[:, :-1] against tokens[:, 1:]",
            NOT_SHIFTED.title,
        ),
        2 => (
            format!(
                "{} is called with tokens, and the target of each output is the token two places further on: the first \
                 output has the third token as its target.",
                call.function
            ),
            "shift once: logits[:, :-1] against tokens[:, 1:]",
            "the targets are shifted twice",
        ),
        _ => (
            format!(
                "{} is called with tokens, and the target of each output is the token before, which it has read, not the \
                 next token.",
                call.function
            ),
            "targets = tokens moved by one: data[i + 1 : i + 1 + T]",
            "the targets are not the next tokens",
        ),
    };
    Some(Observation::new(loss.step.site(), observed, fix).titled(title))
}

/// A loss of classes: the outputs, (.., classes), and the class that is wanted of each row; below 0 where the row does not count.
pub(super) struct ClassLoss<'s> {
    pub(super) step: &'s Traced,
    pub(super) outputs: Tensor,
    pub(super) targets: Vec<f64>,
    /// What [`places_of_rows`] finds, once it was asked for.
    places: OnceCell<Option<(usize, Vec<usize>)>>,
}

impl ClassLoss<'_> {
    pub(super) fn of(step: &Traced) -> Option<ClassLoss<'_>> {
        let (outputs, targets) = if is_cross_entropy(step) {
            let ignored = setting(step, "ignore_index").and_then(Arg::number).unwrap_or(-100.0);
            let kept = |target: f64| if target == ignored { -1.0 } else { target };
            let targets = step.operand(1)?.floats()?.into_iter().map(kept).collect();
            let logits = step.tensor(0)?.clone();
            // (batch, classes, tokens): the classes come last here.
            let outputs = match logits.ndim() {
                3 => logits.with_layout(logits.layout().transpose(1, 2)),
                _ => logits,
            };
            (outputs, targets)
        } else if let Some([wanted, outputs]) = divergence(step) {
            let classes = *outputs.shape().last().filter(|classes| **classes > 1)?;
            let targets = wanted.to_f64_vec().chunks(classes).map(class_of).collect::<Option<Vec<f64>>>()?;
            (outputs, targets)
        } else {
            let (outputs, classes) = looked_up(step)?;
            (outputs, classes.to_f64_vec())
        };
        Some(ClassLoss { step, outputs, targets, places: OnceCell::new() })
    }
}

/// Probabilities, or their logarithms, that are looked up by the class of each row: `p[range(n), y]` and `p.gather(-1, y[:, None])`.
pub(super) fn looked_up(step: &Traced) -> Option<(Tensor, Tensor)> {
    let outputs = step.tensor(0).filter(|it| it.dtype().is_float() && origin(it).is_some())?.clone();
    let axes = outputs.ndim().checked_sub(1).filter(|axes| *axes > 0)?;
    if step.operation.called(false) == "gather" {
        let axis = step.args.get(1).and_then(Arg::number)?;
        let index = step.tensor(2)?;
        let is_one = index.shape().last() == Some(&1) && index.shape()[..axes] == outputs.shape()[..axes];
        return ((axis == -1.0 || axis == axes as f64) && is_one).then(|| (outputs, index.clone()));
    }
    let Some(Arg::Index(parts)) = step.args.get(1) else { return None };
    let is_tensor = |part: &Index| matches!(part, Index::Tensor(it) if !it.dtype().is_float() && it.dtype() != DType::Bool);
    if step.operation.explanation != Explanation::Moved(Movement::LookedUp)
        || parts.len() != axes + 1
        || !parts.iter().all(is_tensor)
    {
        return None;
    }
    let shape = &outputs.shape()[..axes];
    let placed = |part: &Index| match part {
        Index::Tensor(index) if index.shape() == shape => Some(index.clone()),
        Index::Tensor(index) => Some(index.with_layout(index.layout().broadcast_to(shape))),
        _ => None,
    };
    if step.result()?.shape() != shape {
        return None;
    }
    let mut rows = parts.iter().map(placed).collect::<Option<Vec<Tensor>>>()?;
    let classes = rows.pop()?;
    // Each row once, in their order.
    let rows: Vec<Vec<f64>> = rows.iter().map(Tensor::to_f64_vec).collect();
    let place = |at: usize| rows.iter().zip(shape).fold(0.0, |sum, (row, size)| sum * *size as f64 + row[at]);
    (0..classes.numel()).all(|at| place(at) == at as f64).then(|| (outputs.clone(), classes))
}

/// The distribution and the logarithms that kl_div multiplies: where it subtracts their product.
fn divergence(step: &Traced) -> Option<[Tensor; 2]> {
    let is_inside = step.inside().last().is_some_and(|call| call.function == "kl_div");
    if !is_inside || step.operation.explanation != Explanation::Pointwise(Formula::Sub) {
        return None;
    }
    let product = origin(step.tensor(1)?)?;
    Some([operand(&product, 0)?, operand(&product, 1)?])
}

/// The class that has nearly all of a distribution; below 0 where nothing is wanted.
fn class_of(row: &[f64]) -> Option<f64> {
    let (at, most) = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    if *most == 0.0 {
        return Some(-1.0);
    }
    (*most > 0.5 * row.iter().sum::<f64>()).then_some(at as f64)
}

/// Whether the target of each output is the token so many places after the one that it was computed for.
fn is_shifted(loss: &ClassLoss, (size, tokens): &(usize, Vec<f64>), by: isize) -> bool {
    let pairs = || {
        let targets = &loss.targets;
        // Who leaves out the outputs that have no token before them asks for that token.
        if by < 0 && targets.len() < tokens.len() {
            return None;
        }
        let places: Cow<[usize]> = match loss.places.get_or_init(|| places_of_rows(&loss.outputs)) {
            Some((rows, places)) if *rows == tokens.len() => places.into(),
            // The outputs of all tokens, in their order.
            _ if targets.len() == tokens.len() => (0..targets.len()).collect(),
            _ => return None,
        };
        // A task that asks for the token before has the first one there, or the same for all texts, where there is none before.
        let first = places.iter().zip(targets).filter(|(place, _)| by < 0 && *place % size == 0);
        let first: Vec<(f64, f64)> = first.map(|(place, target)| (*target, tokens[*place])).collect();
        let is_one = first.len() > 2 && first.iter().all(|(target, _)| *target == first[0].0);
        if !first.is_empty() && (is_one || first.iter().all(|(target, own)| target == own)) {
            return None;
        }
        let mut counted = places.iter().copied().zip(targets).filter(|(_, target)| **target >= 0.0);
        let mut fitting = Vec::new();
        let fits = counted.all(|(place, target)| {
            let at = (place % size).checked_add_signed(by).filter(|at| at < size);
            let token = at.map(|at| tokens[place / size * size + at]);
            fitting.extend(token);
            // The first and the last tokens have targets outside of the text.
            token.is_none_or(|token| token == *target)
        });
        Some(fits && fitting.len() >= 4 && fitting.iter().any(|it| *it != fitting[0]))
    };
    *size >= 4 && tokens.len().is_multiple_of(*size) && pairs().unwrap_or(false)
}

/// How many tokens the model has outputs for, and for each row of a loss's outputs the place of the token that it was
/// computed for: a row of the model's outputs that is equal to it.
fn places_of_rows(logits: &Tensor) -> Option<(usize, Vec<usize>)> {
    let (_, all) = source(logits);
    let classes = *logits.shape().last()?;
    if classes == 0 || all.shape().last() != Some(&classes) || all.numel() > MOST_OUTPUTS {
        return None;
    }
    let key = |row: &[f64]| row.iter().take(16).map(|it| it.to_bits()).collect::<Vec<u64>>();
    let all = all.to_f64_vec();
    let mut places: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, row) in all.chunks(classes).enumerate() {
        places.entry(key(row)).or_default().push(at);
    }
    // Equal outputs, as of texts that begin with the same token, are those of the next place in order.
    let mut next = 0;
    let place = |row: &[f64]| {
        let equal = places.get(&key(row))?;
        let place = equal.iter().find(|place| **place >= next).or(equal.first()).copied()?;
        next = place + 1;
        Some(place)
    };
    let places = logits.to_f64_vec().chunks(classes).map(place).collect::<Option<_>>()?;
    Some((all.len() / classes, places))
}

/// The tokens of texts, (text, token), of which an operation looks up the embeddings: at least one of each text.
pub(super) fn reads_tokens(step: &Traced) -> Option<(Tensor, Vec<f64>)> {
    let is_text = |it: &Tensor| {
        let dtype = it.dtype();
        !dtype.is_float() && dtype != DType::Bool && it.ndim() == 2 && it.shape()[1] > 0
    };
    if step.operation.explanation == Explanation::Moved(Movement::Embedded) {
        let is_tokens = |it: &&TracedTensor| it.tensor.as_ref().is_some_and(is_text);
        let tokens = step.operands.iter().find(is_tokens)?;
        return Some((tokens.tensor.clone()?, tokens.floats()?));
    }
    // A matrix of NumPy that is indexed with tokens.
    let is_table = |it: &Tensor| it.dtype().is_float() && it.ndim() == 2;
    let Some(Arg::Index(parts)) = step.args.get(1) else { return None };
    let [Index::Tensor(tokens)] = &parts[..] else { return None };
    let is_lookup = step.operation.explanation == Explanation::Moved(Movement::LookedUp);
    (is_lookup && step.tensor(0).is_some_and(is_table) && is_text(tokens))
        .then(|| (tokens.clone(), tokens.to_f64_vec()))
}

/// Whether an operation is attention in which each token sees those up to itself and no others.
pub(super) fn hides_later_tokens(step: &Traced) -> bool {
    let is_causal = step.operation.explanation == Explanation::Attention
        && matches!(step.args.get(5), Some(Arg::Bool(true)));
    is_causal || visible_in(step).is_some_and(|it| it.is_exactly(|token, key| key <= token))
}

/// The keys that each token sees in an attention.
fn visible_in(step: &Traced) -> Option<Visible> {
    let of_scores =
        || Visible::of(&Attention::of_softmax(step)?.input()?, |score| score > NO_WEIGHT && !score.is_nan());
    fused_visible(step).map(|(_, visible)| visible).or_else(of_scores)
}

/// Whether an operation is attention in which tokens see earlier ones, all or some, and no later ones.
fn sees_the_past(step: &Traced) -> bool {
    hides_later_tokens(step) || visible_in(step).is_some_and(|it| it.all(|token, key| key <= token))
}

/// Whether a loss takes the outputs of another call of the same function.
fn is_of_another(outputs: &Tensor, call: &RepeatedCall, cell: &TracedCell) -> bool {
    let (_, all) = source(outputs);
    let made = cell.steps().find(|step| step.made(&all));
    let mut calls = made.iter().flat_map(|step| &step.calls).filter(|it| it.function == call.function);
    calls.next().is_some_and(|first| {
        first.activation != call.report.activation && calls.all(|it| it.activation != call.report.activation)
    })
}

/// Whether an operation is a loss of classes.
pub(super) fn is_cross_entropy(step: &Traced) -> bool {
    matches!(
        step.operation.explanation,
        Explanation::Loss(LossKind::CrossEntropy | LossKind::NegativeLogLikelihood)
    )
}

pub(super) static SOFTMAX: Mistake = Mistake::new(
    ("A801", "softmax-before-loss"),
    "a loss takes other numbers than those that it computes with",
    "cross_entropy takes logits, and nll_loss and kl_div take logarithms of probabilities: none of them computes what is \
     left out, and none notices what was computed twice. Of other numbers the result is no loss.",
    &[
        Detector::Step(probabilities),
        Detector::Step(sigmoid_twice),
        Detector::Step(other_temperature),
        Detector::Step(counted_twice),
        Detector::Step(exchanged),
    ],
);

/// A loss that computes a sigmoid itself takes the result of one.
fn sigmoid_twice(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let input = step.tensor(0)?;
    if step.operation.explanation != Explanation::Loss(LossKind::WithLogits) {
        return None;
    }
    let record = origin(&source(input).1)?;
    if record.operation.explanation != Explanation::Pointwise(Formula::Sigmoid) {
        return None;
    }
    let name = cell.name_of(input, "what it takes");
    let observed = format!("{name} is the result of the sigmoid{}.", in_line(record.site.as_ref()));
    let fix = "F.binary_cross_entropy_with_logits(logits, targets), without the sigmoid";
    Some(Observation::new(step.site(), observed, fix).titled("a loss of logits takes probabilities").because(
        "The loss computes a sigmoid itself. After a second one all probabilities lie between 0.5 and 0.73.",
    ))
}

/// The number that the logits of a softmax, or of its logarithm, are divided by.
fn temperature_of(tensor: &Tensor) -> Option<f64> {
    let record = origin(&source(tensor).1)?;
    let is_log = record.operation.explanation == Explanation::Softmax(SoftmaxKind::Log);
    let logits = operand(&record, 0).filter(|_| is_log || is_softmax(&record))?;
    // The nearest: a model may scale its own outputs before.
    Some(source(&logits).0.iter().find_map(FlowStep::factor).unwrap_or(1.0).recip())
}

/// kl_div of two distributions whose logits were divided by different numbers.
fn other_temperature(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let [wanted, outputs] = divergence(step)?;
    let (wanted, own) = (temperature_of(&wanted)?, temperature_of(&outputs)?);
    let observed = format!(
        "The logits of the distribution that is wanted were divided by {}, and those that are trained by {}.",
        figure(wanted),
        figure(own)
    );
    let fix =
        "the same temperature for both: F.log_softmax(student / t, dim=-1), F.softmax(teacher / t, dim=-1)";
    ((wanted / own - 1.0).abs() > 1e-6).then(|| {
        let found = Observation::new(step.site(), observed, fix).titled("two distributions have different temperatures");
        found.because("What is equal at one temperature is not at another: the student learns other logits than the teacher's.")
    })
}

/// A loss that is added to one of the same outputs and the same targets.
fn counted_twice(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let is_sum = step.operation.explanation == Explanation::Pointwise(Formula::Add);
    let (first, second) = (step.tensor(0).filter(|_| is_sum)?, step.tensor(1)?);
    let (one, other) = (origin(first)?, origin(second)?);
    let is_loss = |it: &Record| matches!(it.operation.explanation, Explanation::Loss(_));
    let (given, again) = (operands(&one), operands(&other));
    // What a loss keeps for its gradient comes after what it was given.
    let is_equal = |a: &Tensor, b: &Tensor| {
        a.is(b) || !a.dtype().is_float() && a.shape() == b.shape() && a.to_f64_vec() == b.to_f64_vec()
    };
    let is_same = given.iter().zip(&again).take(2).all(|(a, b)| is_equal(a, b));
    if first.is(second)
        || !is_loss(&one)
        || one.operation.name != other.operation.name
        || !is_same
        // Of one that was forgotten, none are known.
        || given.len().min(again.len()) < 2
    {
        return None;
    }
    let observed = format!(
        "Both sides of the sum are the {} of the same outputs and the same targets.",
        one.operation.called(false)
    );
    let found =
        Observation::new(step.site(), observed, "the other direction: F.cross_entropy(logits.T, targets)")
            .titled("one loss is counted twice");
    Some(found.because("A sum of two equal losses trains what one of them does; what the second one was to train is missing."))
}

pub(super) static CUT_OFF: Mistake = Mistake::new(
    ("A808", "loss-cut-off"),
    "the loss does not depend on the parameters",
    "detach(), .item() and new tensors made of numbers cut the graph: backward() then reaches no parameter.",
    &[Detector::Step(without_gradient)],
);

/// The most tensors that a term of a loss is followed through.
const MOST_OF_TERM: usize = 200;

/// A term of a sum that is trained, which was computed from parameters and has no gradient.
fn without_gradient(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let is_sum = step.operation.explanation == Explanation::Pointwise(Formula::Add);
    let sum = step.result().filter(|it| is_sum && it.numel() == 1 && it.requires_grad())?;
    let term = [0, 1].into_iter().filter_map(|at| step.tensor(at)).find(|it| !it.requires_grad())?;
    let is_float = term.numel() == 1 && term.dtype().is_float() && sum.dtype().is_float();
    // What a sum begins with may be zeros of a tensor's type.
    let is_computed = origin(term).is_some_and(|it| it.operation.family != OpFamily::Creation);
    if !is_float || !is_computed || !is_trained(term, MOST_OF_TERM) {
        return None;
    }
    let observed = format!(
        "{} was computed from parameters, and has no gradient: the sum has the gradient of the other side alone.",
        cell.name_of(term, "One side of the sum")
    );
    let fix = "leave out detach(): what is a share, such as a mean of softmax, has a gradient";
    Some(Observation::new(step.site(), observed, fix).titled("a part of the loss has no gradient"))
}

/// Whether the rows of a matrix are shares of 1, in each of which several have a part.
fn are_shares(values: &[f64], width: usize) -> bool {
    let is_one =
        |row: &[f64]| (row.iter().sum::<f64>() - 1.0).abs() < 1e-4 && row.iter().all(|it| *it >= 0.0);
    width > 2
        && values.chunks(width).all(|row| is_one(row) && row.iter().filter(|it| **it > 1e-4).count() > 1)
}

fn probabilities(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    const WITHOUT: &str = "F.cross_entropy(logits, targets), without the softmax";
    let (title, fix) = match step.operation.explanation {
        Explanation::Softmax(SoftmaxKind::Log) => {
            ("log_softmax takes probabilities instead of logits", WITHOUT)
        }
        Explanation::Loss(LossKind::CrossEntropy) => {
            ("cross-entropy takes probabilities instead of logits", WITHOUT)
        }
        Explanation::Reduction(Reducer::LogSumExp) => (
            "probabilities are given as logits",
            "Categorical(probs=...), or the logits without their softmax",
        ),
        _ => return None,
    };
    let input = step.tensor(0)?.clone();
    let path = trace_back(&input, &is_softmax);
    let is_layout = |step: &FlowStep| {
        step.explanation() == Explanation::Copy || step.record.operation.family == OpFamily::View
    };
    let path = path.filter(|path| path.steps.iter().all(is_layout));
    let values = step.operand(0)?.floats()?;
    if values.is_empty() || path.is_none() && !are_shares(&values, *input.shape().last()?) {
        return None;
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let name = cell.name_of(&input, "what it takes");
    let made = match path {
        Some(path) => format!("is the result of the softmax{}", in_line(path.record.site.as_ref())),
        None => "has rows that sum to 1".to_owned(),
    };
    let observed = format!("{name} {made}: its numbers lie between {} and {}.", figure(low), figure(high));
    Some(Observation::new(step.site(), observed, fix).titled(title).because(
        "A softmax of them is computed here. After a second one the classes are nearly equal whatever the model says: a loss \
         stays near its start, and gradients are small.",
    ))
}
