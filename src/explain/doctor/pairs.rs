//! Outputs and targets of a loss that do not belong to each other.

use std::collections::{HashMap, HashSet};

use super::flow::{Before, is_parameter, origin, source, unchanged_operands};
use super::losses::{is_cross_entropy, looked_up, reads_tokens};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::replay::Replay;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::explanation::{Explanation, Formula, LossKind, Movement};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Arg, DType, Index, Tensor};

pub(super) static APART: Mistake = Mistake::new(
    ("A820", "samples-apart"),
    "inputs and targets are taken from different rows",
    "Each input is then trained to give the answer of another one. The loss falls only as far as the frequencies of the \
     answers take it.",
    &[Detector::Once(samples_apart)],
);

/// The most tensors on the way back from the outputs to the data.
const MOST_TENSORS: usize = 600;

fn samples_apart(cell: &TracedCell) -> Option<Observation> {
    cell.steps()
        .find_map(apart)
        .or_else(|| cell.steps().find_map(|step| crossed(step, cell)))
        .or_else(|| cell.steps().find_map(in_another_order))
}

/// Outputs (text, token, class) and targets (text, token), one of which was transposed before both were made rows: row i of the
/// outputs is then of another text than target i. Both are computed again from the numbers of their texts.
fn in_another_order(step: &Traced) -> Option<Observation> {
    if !is_cross_entropy(step) {
        return None;
    }
    let (outputs, targets) = (step.tensor(0)?, step.tensor(1)?);
    let (made, given) = (source(outputs).1, source(targets).1);
    let (&[texts, tokens, _], &[others, _]) = (made.shape(), given.shape()) else { return None };
    if outputs.ndim() != 2 || targets.ndim() != 1 || texts != others || texts == tokens || texts < 2 {
        return None;
    }
    let numbers = |of: &Tensor| -> Vec<i64> {
        let inner = of.numel() / texts;
        (0..of.numel()).map(|at| (at / inner) as i64).collect()
    };
    let again = |of: &Tensor, from: &Tensor| {
        let new = match from.dtype().is_float() {
            true => Tensor::from_f32(numbers(from).iter().map(|it| *it as f32).collect(), from.shape()),
            false => Tensor::from_i64(numbers(from), from.shape()),
        };
        Some(Replay::default().given(from, new).of(of)?.to_f64_vec())
    };
    let (of_outputs, of_targets) = (again(outputs, &made)?, again(targets, &given)?);
    let classes = outputs.shape()[1];
    let rows: Vec<f64> = of_outputs.chunks(classes).map(|row| row[0]).collect();
    // Texts that are all in another order, outputs and targets alike, meet one text each.
    let meets = |at: usize| (rows[at] as usize, of_targets[at] as usize);
    let first: HashMap<usize, usize> = (0..rows.len()).rev().map(meets).collect();
    let is_other = |at: &usize| first.get(&meets(*at).0) != Some(&meets(*at).1);
    let at = (0..rows.len().min(of_targets.len())).find(is_other)?;
    let wrong = (0..rows.len()).filter(is_other).count();
    let observed = format!(
        "Row {at} of the outputs is of text {}, and target {at} of text {}, while another row of that text has a target of text {}: so it is for \
         {wrong} of {} rows. One of both was transposed before it was made rows.",
        rows[at],
        of_targets[at],
        first[&meets(at).0],
        rows.len()
    );
    let fix = "make both rows in the same order: logits.reshape(-1, classes), targets.reshape(-1), both with the texts first";
    Some(Observation::new(step.site(), observed, fix).titled("outputs and targets are in another order"))
}

/// The outputs and the classes of a loss, or of probabilities that are looked up by the class of each row.
fn of_loss(step: &Traced) -> Option<[Tensor; 2]> {
    if is_cross_entropy(step) {
        return Some([step.tensor(0)?.clone(), step.tensor(1)?.clone()]);
    }
    looked_up(step).map(|(outputs, classes)| [outputs, classes])
}

/// Outputs and the numbers that are wanted, whose difference is a loss: what depends on parameters, and what does not.
fn of_difference(step: &Traced) -> Option<[Tensor; 2]> {
    let (one, other) = (step.tensor(0).filter(|_| is_difference(step))?, step.tensor(1)?);
    let is_trained = |it| Before::of(it, MOST_TENSORS).any(|it| is_parameter(&it));
    match (is_trained(one), is_trained(other)) {
        (true, false) => Some([one.clone(), other.clone()]),
        (false, true) => Some([other.clone(), one.clone()]),
        _ => None,
    }
}

fn is_difference(step: &Traced) -> bool {
    matches!(
        step.operation.explanation,
        Explanation::Loss(LossKind::Squared | LossKind::WithLogits | LossKind::Other)
            | Explanation::Pointwise(Formula::Sub)
    )
}

/// The data that a tensor is some rows of, and which.
fn rows(tensor: &Tensor) -> Option<(Tensor, Vec<i64>)> {
    let (mut at, mut rows) = (tensor.clone(), None::<Vec<i64>>);
    while let Some(record) = origin(&at) {
        let args = record.args();
        let Some(operand) = args.first().and_then(Arg::tensor).cloned() else { break };
        match (record.operation.explanation, args.get(1)) {
            (Explanation::Copy | Explanation::Cast(_), _) => {}
            (Explanation::Moved(Movement::LookedUp), Some(Arg::Index(parts))) => {
                let [part] = &parts[..] else { break };
                let size = *operand.shape().first()? as i64;
                let taken: Vec<i64> = match part {
                    Index::Slice { start, stop, step: None | Some(1) } => {
                        let place = |at: i64| (if at < 0 { at + size } else { at }).clamp(0, size);
                        (place(start.unwrap_or(0))..place(stop.unwrap_or(size))).collect()
                    }
                    Index::Tensor(index) if index.ndim() == 1 && index.dtype() == DType::Int64 => {
                        index.to_i64_vec()
                    }
                    _ => break,
                };
                rows = Some(match rows {
                    None => taken,
                    Some(later) => later
                        .iter()
                        .map(|it| taken.get(usize::try_from(*it).ok()?).copied())
                        .collect::<Option<_>>()?,
                });
            }
            _ => break,
        }
        at = operand;
    }
    rows.map(|rows| (at, rows))
}

fn apart(step: &Traced) -> Option<Observation> {
    let [outputs, answers] = of_loss(step).or_else(|| of_difference(step))?;
    let (labels, own) = rows(&answers).filter(|(_, own)| own.len() > 3)?;
    let (mut walk, mut other) = (Before::of(&outputs, MOST_TENSORS), None);
    while let Some(tensor) = walk.next() {
        let is_data = |(data, rows): &(Tensor, Vec<i64>)| {
            (data.ndim() >= 2 || data.shape() == labels.shape())
                && data.shape().first() == labels.shape().first()
                && rows.len() == own.len()
                && !data.storage().same(labels.storage())
        };
        if let Some((data, taken)) = rows(&tensor).filter(is_data) {
            if taken == own {
                return None;
            }
            other = other.or(Some((data, taken)));
            walk.go_on_with([]);
        } else {
            // What was written into since leads to the batches before.
            walk.go_on_with(unchanged_operands(&tensor).0);
        }
    }
    let (data, taken) = other?;
    let count = taken.iter().zip(&own).filter(|(a, b)| a != b).count();
    let at = taken.iter().zip(&own).position(|(a, b)| a != b)?;
    let observed = format!(
        "The inputs are rows of data of shape {}, the targets of {} answers, and {count} of {} targets belong to another row: \
         sample {at} is row {} of the data, and its target is answer {}.",
        tuple_repr(data.shape()),
        labels.shape()[0],
        own.len(),
        taken[at],
        own[at]
    );
    Some(Observation::new(step.site(), observed, "the same index for both: x[index], y[index]"))
}

/// Differences of outputs and targets in which each output meets each target: a column beside a row.
fn crossed(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let (one, other) = (step.operand(0).filter(|_| is_difference(step))?, step.operand(1)?);
    let count = match (one.shape(), other.shape()) {
        (&[rows, 1], &[all]) | (&[all], &[rows, 1]) if rows == all && all > 1 => all,
        _ => return None,
    };
    of_difference(step)?;
    let observed = format!(
        "{} and {} give {count} x {count} differences: each output is compared with the targets of all samples.",
        tuple_repr(one.shape()),
        tuple_repr(other.shape())
    );
    let column = if one.shape().len() == 2 { one } else { other };
    let named = cell.name_of(column.tensor.as_ref()?, "x");
    let fix = format!("one shape for both: {named}.squeeze(-1), or the other one's unsqueeze(-1)");
    Some(Observation::new(step.site(), observed, fix).titled("each output is compared with all targets"))
}

pub(super) static ON_TEST: Mistake = Mistake::new(
    ("A826", "trained-on-test"),
    "the model is evaluated on what it was trained on",
    "A loss on rows of the training says how well they are known by heart. How well a model does on new texts is seen on \
     rows that no step has used.",
    &[Detector::Once(from_later_part)],
);

/// Words in the names of data that no training reads.
const FOR_LATER: [&str; 5] = ["val", "valid", "validation", "test", "heldout"];

/// Pieces of a text that a training step reads, and that lie in a part of it which is named for validation.
fn from_later_part(cell: &TracedCell) -> Option<Observation> {
    let is_later = |name: &&str| name.to_lowercase().split('_').any(|word| FOR_LATER.contains(&word));
    let is_part =
        |it: &Tensor| it.ndim() == 1 && !it.dtype().is_float() && 2 * it.numel() < it.storage().read().len();
    let later = cell.names.all().filter(is_later).filter_map(|name| Some((name, cell.names.get(name)?)));
    let later: Vec<(&str, &Tensor)> = later.filter(|(_, it)| is_part(it)).collect();
    let trains = |step: &&Traced| step.result().is_some_and(Tensor::requires_grad);
    let read = cell.steps().filter(trains).filter_map(|step| Some(reads_tokens(step)?.0.storage().address()));
    let read: HashSet<usize> = read.collect();
    let is_batch = |step: &&Traced| {
        let is_joined = step.operation.explanation == Explanation::Moved(Movement::Stacked);
        is_joined && step.results.first().is_some_and(|it| read.contains(&it.storage))
    };
    cell.steps().filter(is_batch).find_map(|batch| {
        let of_part = |(name, part): &(&str, &Tensor)| {
            let (from, to) = (part.layout().offset, part.layout().offset + part.numel());
            let is_within = |it: &&TracedTensor| {
                let own = &it.layout;
                it.storage == part.storage().address() && own.offset >= from && own.offset + own.numel() <= to
            };
            let count = batch.operands.iter().filter(is_within).count();
            (count > 0).then(|| (name.to_string(), count))
        };
        let (name, count) = later.iter().find_map(of_part)?;
        let all = batch.operands.len();
        let observed =
            format!("{count} of the {all} texts that are joined for a training step are pieces of {name}.");
        let fix = "take the batches of a training from its own part: train_data[i : i + length]";
        let found = Observation::new(batch.site(), observed, fix);
        Some(found.titled("the training reads what is kept for validation"))
    })
}
