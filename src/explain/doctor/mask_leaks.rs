//! Scores masked with a finite number: exp(0) is 1, so hidden keys still get weight.

use super::attention::{Attention, is_pointer};
use super::flow::FlowStep;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Arg, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A103",
    "mask-leaks",
    "hidden keys still get weight",
    "The softmax takes exp of every score, and exp(0) is 1: a hidden key gets a share like any other, often more \
          than keys with a negative score. Only exp of minus infinity is 0.",
    &[Detector::Weights(detect)],
);

/// Scores below this get no weight.
const HIDDEN: f64 = -1e4;

/// A smaller number that is added leaves hidden keys next to nothing.
const LEAST_ADDED: f64 = -20.0;

/// How a mask changes the scores of hidden keys.
enum Masking {
    /// It sets them to this number.
    Fill(f64),
    Add(f64),
}

fn masking(step: &FlowStep) -> Option<Masking> {
    if step.explanation() == Explanation::Pointwise(Formula::Add) {
        let mask = step.other()?.tensor()?.clone();
        let by = single_addend(&mask).filter(|by| *by > LEAST_ADDED)?;
        return (mask.ndim() >= 2 && hides_later(&mask, by)).then_some(Masking::Add(by));
    }
    step.fill().filter(|fill| fill.is_finite() && *fill > HIDDEN).map(Masking::Fill)
}

/// The number besides 0 in a tensor that has no third one.
fn single_addend(mask: &Tensor) -> Option<f64> {
    if mask.numel() > 1 << 20 {
        return None;
    }
    let values = mask.to_f64_vec();
    let by = values.iter().copied().find(|it| *it != 0.0)?;
    (values.contains(&0.0) && values.iter().all(|it| *it == 0.0 || *it == by)).then_some(by)
}

/// Whether a number is that of all keys above the diagonal, perhaps of others too; or, where it is no penalty, exactly of those
/// above it, or on and below it.
fn hides_later(mask: &Tensor, by: f64) -> bool {
    let &[.., rows, columns] = mask.shape() else { return false };
    let values = mask.to_f64_vec();
    // For each element whether it is that number, and whether its column is after its row.
    let all = |fits: fn(bool, bool) -> bool| {
        let mut table = values.iter().take(rows * columns).enumerate();
        rows == columns && table.all(|(at, it)| fits(*it == by, at % columns > at / columns))
    };
    // A learned or a small bias against later tokens may be meant.
    match by <= -1.0 {
        true => !mask.requires_grad() && all(|is, after| is || !after),
        false => all(|is, after| is == after) || all(|is, after| is != after),
    }
}

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let (step, masking) = attention.before.iter().find_map(|step| Some((step, masking(step)?)))?;
    let (input, weights) = (attention.input()?, &attention.weights);
    if input.numel() > 1 << 22 || input.shape() != weights.shape() {
        return None;
    }
    let mask = match step.other() {
        Some(Arg::Tensor(mask)) => cell.name_of(&mask, "the mask"),
        _ => step.name().to_owned(),
    };
    let site = step.record.site.clone();
    let fill = match masking {
        Masking::Fill(fill) => fill,
        Masking::Add(by) => {
            let observed = format!(
                "{mask} is added to the scores, and has the number {} besides 0: hidden keys keep their weight.",
                figure(by)
            );
            let fix = "add -inf there, not 1: torch.full((T, T), -torch.inf).triu(1); or scores.masked_fill(mask.bool(), \
                       -torch.inf)";
            return Some(Observation::new(site, observed, fix));
        }
    };
    let (scores, mut weights) = (input.to_f64_vec(), weights.to_f64_vec());
    if is_pointer(&attention.softmax) {
        weights.iter_mut().for_each(|it| *it = it.exp());
    }
    let hidden = hidden_elements(step)?;
    // A scaling after the masking scales the fill too. A later mask may also hide the same keys with -inf.
    let after: Vec<&FlowStep> = attention.before.iter().take_while(|it| !std::ptr::eq(*it, step)).collect();
    let filled = after.iter().rev().fold(fill, |fill, step| match step.factor() {
        Some(factor) => fill * factor,
        None => fill + added(step).unwrap_or(0.0),
    });
    let is_filled = |score: f64| (score - filled).abs() <= 1e-6 * filled.abs();
    let leaking: Vec<usize> = (0..scores.len())
        .filter(|at| hidden[at % hidden.len()] && is_filled(scores[*at]) && weights[*at] > 1e-6)
        .collect();
    let (first, count) = (*leaking.first()?, leaking.len());
    // A few scores may have this value by coincidence.
    if count * 2 < hidden.iter().filter(|it| **it).count() {
        return None;
    }
    let columns = *input.shape().last()?;
    let row = first / columns;
    let share: f64 = leaking.iter().filter(|at| **at / columns == row).map(|at| weights[*at]).sum();
    let observed = format!(
        "{count} scores that {mask} hides are {}, not -inf, at the softmax: they get {} of the weight of row {}.",
        figure(filled),
        figure(share),
        row % input.shape().iter().rev().nth(1).copied().unwrap_or(1)
    );
    Some(Observation::new(site, observed, "scores.masked_fill(mask.bool(), -torch.inf), before the softmax"))
}

/// The number that a step adds to all scores.
fn added(step: &FlowStep) -> Option<f64> {
    let by = step.other()?.number()?;
    match step.explanation() {
        Explanation::Pointwise(Formula::Add) => Some(by),
        Explanation::Pointwise(Formula::Sub) => Some(-by),
        _ => None,
    }
}

/// Which elements of the last two axes the mask hides.
fn hidden_elements(step: &FlowStep) -> Option<Vec<bool>> {
    let shape = step.result.shape();
    let size: usize = shape.iter().rev().take(2).product();
    match (step.explanation(), step.other()) {
        (Explanation::Triangle { lower }, _) => {
            let values = step.result.to_f64_vec();
            let columns = *shape.last()?;
            let outside = |at: usize| {
                let (row, column) = (at / columns, at % columns);
                if lower { column > row } else { column < row }
            };
            Some((0..size).map(|at| values[at] == 0.0 && outside(at)).collect())
        }
        (explanation, Some(Arg::Tensor(mask))) => {
            let fits = mask
                .shape()
                .iter()
                .rev()
                .zip(shape.iter().rev())
                .all(|(own, wanted)| own == wanted || *own == 1);
            if mask.ndim() > shape.len() || !fits {
                return None;
            }
            let mask = mask.with_layout(mask.layout().broadcast_to(shape)).to_f64_vec();
            let chosen = explanation == Explanation::Moved(Movement::Chosen);
            let keeps = chosen && step.arg("input")?.tensor().is_some_and(|kept| kept.is(&step.operand));
            let multiplies = explanation == Explanation::Pointwise(Formula::Mul);
            let hides = if multiplies || keeps { 0.0 } else { 1.0 };
            Some(mask.into_iter().map(|it| it == hides).collect())
        }
        _ => None,
    }
}
