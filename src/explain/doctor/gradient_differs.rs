//! Gradients that a program computes by hand, in double precision, compared with the loss that it computes: the recorded
//! operations of the loss run again with the parameters moved a little, in random directions.
//!
//! Reported only where the gradients of at least two parameters are right, so that the loss is known to be the one that
//! is meant. Where none is right, all may follow from one that is not that of the loss: the gradient of the logits. It is shown
//! where, row by row, it is that of the loss but for the weights that the loss gives to rows.

use std::collections::HashSet;
use std::rc::Rc;

use super::flow::{Before, operands, operands_by_change, unchanged_operands};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::replay::Replay;
use crate::explain::tensor_names::base_of;
use crate::ops::trace::{Called, Traced};
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Buffer, DType, Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::implied(
    ("A903", "gradient-differs"),
    "a gradient that is computed by hand is not that of the loss",
    "Training goes on with a wrong gradient, and the loss often falls all the same, because the other gradients are \
     right. It ends higher than it would.",
    &["nan"],
    &[Detector::Once(detect)],
);

/// The most losses that are examined, and the most tensors on the way back from one.
const MOST_LOSSES: usize = 8;
const MOST_TENSORS: usize = 400;
/// Along so many directions a gradient has to agree with the loss.
const DIRECTIONS: usize = 3;
/// How far parameters are moved, and the difference that is rounding, relative to the largest.
const MOVED: f64 = 1e-6;
const ROUNDING: f64 = 1e-3;
/// Less than this is no slope.
const NOTHING: f64 = 1e-8;
/// The most gradients that are tried as the one from which all follow, and the largest tensor that one is of.
const MOST_STARTS: usize = 24;
const MOST_NUMBERS: usize = 1 << 14;
/// Rows differ in their weights if one has more than so many times that of another.
const LEAST_MORE: f64 = 1.1;

fn detect(cell: &TracedCell) -> Option<Observation> {
    let is_loss = |step: &Traced| {
        step.results.first().is_some_and(|it| it.shape().is_empty() && it.dtype == DType::Float64)
    };
    // Of a line that runs often, what led to the later losses may not be kept.
    let mut seen = HashSet::new();
    let mut is_first = |step: &Traced| {
        let lines = step.calls.iter().map(|call| (call.site().cell, call.site().line));
        seen.insert(lines.collect::<Vec<_>>())
    };
    let losses = cell.steps().enumerate().filter(|(_, step)| is_loss(step) && is_first(step));
    let mut losses = losses.filter_map(|(at, step)| Loss::of(at, step, cell)).take(MOST_LOSSES);
    losses.find_map(|mut loss| loss.examine(cell).or_else(|| loss.begun_without_weights(cell)))
}

/// A number that depends on parameters which the program changes afterwards.
struct Loss {
    at: usize,
    value: Tensor,
    /// All tensors that it was computed from, by their numbers.
    before: HashSet<usize>,
    parameters: Vec<Parameter>,
    /// The tensors between it and them, the nearest to it first.
    between: Vec<Tensor>,
    /// Results on the way that were written into: whether the loss read what was written, and the operations that first made them.
    first: Vec<(bool, Tensor, Rc<Record>)>,
}

/// A parameter as it was when the loss was computed, and how the loss changes along each direction.
struct Parameter {
    tensor: Tensor,
    values: Vec<f64>,
    directions: Vec<Vec<f64>>,
    slopes: Vec<f64>,
}

/// A tensor as large as a parameter.
struct Candidate<'r> {
    at: usize,
    step: &'r Traced,
    /// By which number the gradient is multiplied, if it is along it.
    factor: Option<f64>,
}

impl Loss {
    fn of(at: usize, step: &Traced, cell: &TracedCell) -> Option<Loss> {
        let value = step.result()?.clone();
        let replaced = replaced(cell, at);
        let (mut walk, mut before, mut found) =
            (Before::of(&value, MOST_TENSORS), HashSet::new(), Vec::<Tensor>::new());
        let (mut first, mut read) = (Vec::<(Tensor, Rc<Record>)>::new(), HashSet::new());
        let mut between = Vec::new();
        while let Some(result) = walk.next() {
            before.insert(result.id());
            between.push(result.clone());
            read.insert(result.id());
            let (kept, mut changed) = unchanged_operands(&result);
            let (given, mut computed): (Vec<_>, Vec<_>) =
                kept.into_iter().partition(|it| replaced.contains(&it.id()));
            // Probabilities from which the right answers are subtracted afterwards are no parameters.
            let mut written = std::mem::take(&mut changed);
            while let Some(tensor) = written.pop() {
                let Some(record) = made_first(&tensor) else {
                    changed.push(tensor);
                    continue;
                };
                let (kept, others) = operands_by_change(&record);
                computed.extend(kept);
                written.extend(others);
                first.push((tensor, record));
            }
            walk.go_on_with(computed);
            changed.extend(given);
            // Of a view, such as a transposed one, the parameter itself is moved.
            for tensor in &mut changed {
                while let Some((_, base)) = base_of(tensor).filter(|(record, _)| !record.in_place) {
                    *tensor = base;
                }
            }
            found.extend(changed.into_iter().filter(|it| before.insert(it.id())));
        }
        let is_read = |tensor: &Tensor| read.contains(&tensor.id());
        // As after `weights /= weights.sum(-1)`. What was written before the last time is not known.
        if first.iter().any(|(tensor, _)| is_read(tensor) && tensor.storage().version() > 1) {
            return None;
        }
        let first = first.into_iter().map(|(tensor, record)| (is_read(&tensor), tensor, record)).collect();
        let is_parameter = |it: &Tensor| it.dtype() == DType::Float64 && it.ndim() > 0;
        let parameters = found
            .into_iter()
            .filter(is_parameter)
            .filter_map(|it| Parameter::of(it, at, cell))
            .collect::<Vec<_>>();
        (parameters.len() >= 3).then(|| Loss { at, value, before, parameters, between, first })
    }

    /// The loss with one parameter moved.
    fn moved(&self, which: usize, direction: &[f64], by: f64) -> Option<f64> {
        let mut replay = self.with_moved(which, direction, by);
        replay.of(&self.value)?.item().ok().filter(|loss| loss.is_finite())
    }

    fn with_moved(&self, which: usize, direction: &[f64], by: f64) -> Replay {
        let mut replay = Replay::default().made_by(&self.first);
        for (at, it) in self.parameters.iter().enumerate() {
            let mut values = it.values.clone();
            if at == which {
                values.iter_mut().zip(direction).for_each(|(value, step)| *value += by * step);
            }
            let moved = Tensor::new(Buffer::F64(values), it.tensor.shape(), DType::Float64);
            replay = replay.given(&it.tensor, moved);
        }
        replay
    }

    /// All gradients follow from one that is that of the loss but for the weights of rows.
    fn begun_without_weights(&mut self, cell: &TracedCell) -> Option<Observation> {
        let changed = self.first_change(cell);
        let begun: Vec<(Tensor, usize, Vec<f64>)> = self.starts(changed, cell);
        if begun.is_empty() {
            return None;
        }
        // How each of the tensors between changes with the parameters.
        let values = |mut replay: Replay| {
            let all = begun.iter().map(|(between, ..)| Some(replay.of(between)?.to_f64_vec()));
            all.collect::<Option<Vec<_>>>()
        };
        let mut slopes: Vec<Vec<Vec<f64>>> = Vec::new();
        for (which, parameter) in self.parameters.iter().enumerate() {
            let mut own = vec![Vec::new(); begun.len()];
            for direction in &parameter.directions {
                let further = values(self.with_moved(which, direction, MOVED))?;
                let less = values(self.with_moved(which, direction, -MOVED))?;
                for (at, (_, _, gradient)) in begun.iter().enumerate() {
                    own[at].push((dot(&further[at], gradient) - dot(&less[at], gradient)) / (2.0 * MOVED));
                }
            }
            slopes.push(own);
        }
        begun.iter().enumerate().find_map(|(at, (between, made, gradient))| {
            for (parameter, own) in self.parameters.iter_mut().zip(&slopes) {
                parameter.slopes.clone_from(&own[at]);
            }
            common_factor(&self.known(cell))?;
            let rows = self.rows(between, gradient)?;
            let uncounted = rows.iter().filter(|weight| **weight == 0.0).count();
            let counted = || rows.iter().copied().filter(|weight| *weight != 0.0);
            let more = counted().fold(0.0, f64::max) / counted().fold(f64::INFINITY, f64::min);
            let name = cell.name_of(between, &format!("the tensor of shape {}", tuple_repr(between.shape())));
            let words = match uncounted {
                0 if more <= LEAST_MORE => return None,
                0 => format!(
                    "The loss gives rows of {name} weights that differ by a factor of {more:.1}, and the gradient here does \
                     not"
                ),
                all => format!(
                    "The loss does not depend on {all} of {} rows of {name}, and the gradient here is not 0 there",
                    rows.len()
                ),
            };
            let observed = format!("{words}. The gradients of the parameters follow from it.");
            let fix = "multiply each row with the weight that it has in the loss";
            Some(Observation::new(cell.trace.steps[*made].site(), observed, fix))
        })
    }

    /// What may be the gradient of a tensor between the parameters and the loss, computed where the loss is: the tensor, the place
    /// of the operation, and the numbers.
    fn starts(&self, changed: usize, cell: &TracedCell) -> Vec<(Tensor, usize, Vec<f64>)> {
        let steps = &cell.trace.steps;
        let calls = activations(&steps[self.at]);
        let is_here = |at: &usize| activations(&steps[*at]) == calls;
        let places: Vec<usize> = (self.at.saturating_sub(MOST_TENSORS)..changed).filter(is_here).collect();
        let is_wide =
            |it: &&Tensor| it.dtype() == DType::Float64 && it.ndim() >= 2 && it.numel() <= MOST_NUMBERS;
        let tried = self.between.iter().filter(is_wide).flat_map(|between| {
            places.iter().rev().filter_map(move |at| {
                let result = steps[*at].results.first()?;
                let tensor = result.tensor.as_ref().filter(|it| !self.before.contains(&it.id()))?;
                let values =
                    result.floats().filter(|_| tensor.shape() == between.shape() && !steps[*at].is_view)?;
                Some((between.clone(), *at, values))
            })
        });
        tried.take(MOST_STARTS).collect()
    }

    /// By what each row of a gradient is multiplied in that of the loss; nothing if a row is another one. Rows that are zero in
    /// both are left out.
    fn rows(&self, between: &Tensor, gradient: &[f64]) -> Option<Vec<f64>> {
        let width = *between.shape().last()?;
        let values = between.to_f64_vec();
        let loss = |values: Vec<f64>| {
            let moved = Tensor::new(Buffer::F64(values), between.shape(), DType::Float64);
            Replay::default().made_by(&self.first).given(between, moved).of(&self.value)?.item().ok()
        };
        let mut number = numbers(4711);
        let mut found = Vec::new();
        for (row, own) in gradient.chunks(width).enumerate() {
            let directions: Vec<Vec<f64>> =
                (0..DIRECTIONS).map(|_| (0..width).map(|_| number()).collect()).collect();
            let slope = |direction: &Vec<f64>| {
                slope_of(|far| {
                    let mut values = values.clone();
                    values[row * width..]
                        .iter_mut()
                        .zip(direction)
                        .for_each(|(value, step)| *value += far * step);
                    loss(values)
                })
            };
            let slopes = directions.iter().map(slope).collect::<Option<Vec<f64>>>()?;
            let says: Vec<f64> = directions.iter().map(|it| dot(own, it)).collect();
            let largest = |all: &[f64]| all.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
            if largest(&says) < NOTHING {
                if largest(&slopes) > NOTHING {
                    return None;
                }
                continue;
            }
            let weight = dot(&slopes, &says) / dot(&says, &says);
            let far = slopes.iter().zip(&says).map(|(slope, says)| (slope - weight * says).abs());
            if far.fold(0.0, f64::max) > ROUNDING * largest(&slopes).max(NOTHING) {
                return None;
            }
            found.push(if largest(&slopes) < NOTHING { 0.0 } else { weight });
        }
        // The sign of the loss may be changed afterwards.
        let sign = found.iter().sum::<f64>().signum();
        found.iter_mut().for_each(|weight| *weight *= sign);
        (found.iter().any(|weight| *weight > 0.0) && found.iter().all(|weight| *weight >= 0.0))
            .then_some(found)
    }

    fn examine(&mut self, cell: &TracedCell) -> Option<Observation> {
        for which in 0..self.parameters.len() {
            let slope = |direction: &Vec<f64>| slope_of(|far| self.moved(which, direction, far));
            let slopes: Option<Vec<f64>> = self.parameters[which].directions.iter().map(slope).collect();
            self.parameters[which].slopes = slopes?;
        }
        let known = self.known(cell);
        let common = common_factor(&known);
        let is_right = |it: &Candidate| it.factor.is_some_and(|own| common.is_none_or(|it| near(own, it)));
        let right: Vec<&Parameter> =
            known.iter().filter(|(_, all)| all.iter().any(is_right)).map(|(it, _)| *it).collect();
        // A single one that is right without any factor shows it too: three random directions agree with it.
        let mut factors = known.iter().flat_map(|(_, all)| all).filter_map(|it| it.factor);
        if right.is_empty() || right.len() < 2 && !factors.any(|it| near(it, 1.0)) {
            return None;
        }
        let is_right_step = |step: &Traced| {
            known.iter().flat_map(|(_, all)| all).any(|it| is_right(it) && std::ptr::eq(it.step, step))
        };
        let changed = self.first_change(cell);
        // The calls in which the gradients that are right were computed.
        let calls: Vec<u64> = known
            .iter()
            .filter_map(|(_, all)| all.iter().find(|it| is_right(it)))
            .flat_map(|it| activations(it.step))
            .collect();
        let wrong = known.iter().filter(|(it, all)| it.matters() && !all.iter().any(is_right));
        let (parameter, candidate) = wrong
            .filter_map(|(it, all)| {
                let is_meant = |found: &&Candidate| {
                    found.at < changed
                        && !is_right_step(found.step)
                        && activations(found.step).iter().any(|it| calls.contains(it))
                        && found
                            .step
                            .results
                            .first()
                            .is_some_and(|result| result.shape() == it.tensor.shape())
                };
                Some((*it, all.iter().rfind(is_meant)?))
            })
            .min_by_key(|(_, it)| it.at)?;
        let right: Vec<String> = right.iter().map(|it| it.name(cell)).take(4).collect();
        let says = dot(&candidate.step.results.first()?.floats()?, &parameter.directions[0]);
        let observed = format!(
            "{}, moved a little in a random direction, changes the loss by {:.4} times the way, and by what is computed here it \
             would be {says:.4}. The gradients of {} are right.",
            parameter.name(cell),
            parameter.slopes[0],
            right.join(", ")
        );
        let fix = "compare it with (loss(w + h) - loss(w - h)) / (2 * h) for one element after the other; what is wrong stands here \
                   or between here and the last gradient that is right";
        Some(Observation::new(candidate.step.site(), observed, fix))
    }

    fn known<'p, 'r>(&'p self, cell: &TracedCell<'r>) -> Vec<(&'p Parameter, Vec<Candidate<'r>>)> {
        self.parameters.iter().map(|it| (it, self.candidates(it, cell))).collect()
    }

    /// Where the first parameter is changed.
    fn first_change(&self, cell: &TracedCell) -> usize {
        let steps = &cell.trace.steps;
        let is_parameter = |tensor: &Tensor| self.parameters.iter().any(|it| it.tensor.is(tensor));
        let changes = |step: &Traced| {
            let is_difference = step.operation.explanation == Explanation::Pointwise(Formula::Sub);
            let first = step.tensor(0);
            (step.in_place || is_difference) && first.is_some_and(is_parameter)
        };
        steps.iter().skip(self.at + 1).position(changes).map_or(steps.len(), |at| self.at + 1 + at)
    }

    /// The tensors of a parameter's size that are computed before the next loss, and that the loss does not depend on.
    fn candidates<'r>(&self, parameter: &Parameter, cell: &TracedCell<'r>) -> Vec<Candidate<'r>> {
        let steps = &cell.trace.steps;
        let again = |step: &Traced| step.site() == steps[self.at].site();
        // The line of the loss may go on, as where its sign is changed.
        let line = steps[self.at..].iter().take_while(|step| again(step)).count();
        let end = self.at + line;
        let end = steps[end..].iter().position(again).map_or(steps.len(), |at| end + at);
        let found = |at: usize| {
            let step = Some(&steps[at]).filter(|step| !step.is_view)?;
            let result = step.results.first().filter(|it| it.dtype == DType::Float64)?;
            let tensor = result.tensor.as_ref().filter(|it| !self.before.contains(&it.id()))?;
            if tensor.numel() != parameter.values.len() {
                return None;
            }
            let values = result.floats().filter(|values| values.iter().any(|it| *it != 0.0))?;
            Some(Candidate { at, step, factor: parameter.factor_of(&values) })
        };
        (self.at.saturating_sub(MOST_TENSORS)..end).filter_map(found).collect()
    }
}

impl Parameter {
    fn of(tensor: Tensor, at: usize, cell: &TracedCell) -> Option<Parameter> {
        let used = cell.trace.steps[..=at].iter().rev().flat_map(|step| &step.operands);
        let values = used.filter(|it| it.is(&tensor)).find_map(|it| it.floats())?;
        let mut number = numbers(4711 + tensor.numel() as u64);
        let directions = (0..DIRECTIONS).map(|_| values.iter().map(|_| number()).collect()).collect();
        // A single number is along any other.
        (values.len() == tensor.numel() && values.len() > 1).then_some(Parameter {
            tensor,
            values,
            directions,
            slopes: Vec::new(),
        })
    }

    fn name(&self, cell: &TracedCell) -> String {
        cell.name_of(&self.tensor, &format!("the parameter of shape {}", tuple_repr(self.tensor.shape())))
    }

    /// Whether the loss depends on it.
    fn matters(&self) -> bool {
        self.slopes.iter().all(|it| it.abs() > 1e-7)
    }

    /// The number by which the gradient is multiplied, if these numbers are the gradient times a number.
    fn factor_of(&self, values: &[f64]) -> Option<f64> {
        let says: Vec<f64> = self.directions.iter().map(|it| dot(values, it)).collect();
        let factor = dot(&says, &self.slopes) / dot(&self.slopes, &self.slopes);
        let largest = says.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
        let mut far = says.iter().zip(&self.slopes).map(|(says, slope)| (says - factor * slope).abs());
        (factor.is_finite() && factor != 0.0 && far.all(|it| it <= ROUNDING * largest)).then_some(factor)
    }
}

/// The number by which the gradients of nearly all parameters are multiplied: one, or how many samples there are. None if they
/// have none in common.
fn common_factor(known: &[(&Parameter, Vec<Candidate>)]) -> Option<f64> {
    let has = |all: &[Candidate], factor| all.iter().filter_map(|it| it.factor).any(|own| near(own, factor));
    let count = |factor| known.iter().filter(|(_, all)| has(all, factor)).count();
    let factors = known.iter().flat_map(|(_, all)| all).filter_map(|it| it.factor);
    // Of several, what is computed first: later ones are steps.
    let (count, factor) =
        factors.map(|it| (count(it), it)).reduce(|most, it| if it.0 > most.0 { it } else { most })?;
    (count >= 3 && 4 * count >= 3 * known.len()).then_some(factor)
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 10.0 * ROUNDING * other.abs()
}

/// The calls of the learner's functions in which an operation ran; where it ran in none, the program itself.
fn activations(step: &Traced) -> Vec<u64> {
    let own: Vec<&Called> = step.calls.iter().filter(|call| !call.library).collect();
    let functions = own.iter().skip(usize::from(own.len() > 1));
    functions.map(|call| call.activation).collect()
}

/// The tensors that a difference takes the place of: `w = w - rate * gradient`.
fn replaced(cell: &TracedCell, at: usize) -> HashSet<usize> {
    let steps = cell.trace.steps[at..].iter();
    let is_difference = |step: &&Traced| {
        step.operation.explanation == Explanation::Pointwise(Formula::Sub)
            && step.results.first().is_some_and(|it| !it.shape().is_empty())
            && step.operand(0).map(|it| it.shape()) == step.results.first().map(|it| it.shape())
    };
    let first = |step: &Traced| step.tensor(0).cloned();
    steps.filter(is_difference).filter_map(first).filter(is_start).map(|tensor| tensor.id()).collect()
}

/// What a parameter begins with takes so many operations at most: it is drawn or given, and scaled.
const MOST_OF_START: usize = 8;

/// Whether a tensor was drawn or given, and scaled at most: no weights, from which right answers are subtracted.
fn is_start(tensor: &Tensor) -> bool {
    Before::of(tensor, MOST_OF_START + 1).count() <= MOST_OF_START
}

/// The operation that first made a tensor which was written into since, if it is the result of many.
fn made_first(tensor: &Tensor) -> Option<Rc<Record>> {
    let made = tensor.storage().made().filter(|it| it.output == 0 && tensor.layout().is_contiguous())?;
    let parts = operands(&made.record);
    let all: HashSet<usize> =
        parts.iter().flat_map(|it| Before::of(it, MOST_OF_START + 1)).map(|it| it.id()).collect();
    (all.len() > MOST_OF_START).then_some(made.record)
}

/// How a number changes with a move, per length of it.
fn slope_of(at: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    Some((at(MOVED)? - at(-MOVED)?) / (2.0 * MOVED))
}

/// Numbers between -1 and 1, the same ones each time.
fn numbers(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
