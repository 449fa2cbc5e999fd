//! Outputs and targets of a loss that do not belong to each other.

use std::collections::HashMap;

use super::flow::{Before, is_trained, origin, unchanged_operands};
use super::losses::{is_cross_entropy, looked_up, reads_tokens};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
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
    cell.steps().find_map(apart).or_else(|| cell.steps().find_map(|step| crossed(step, cell)))
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
    match (is_trained(one, MOST_TENSORS), is_trained(other, MOST_TENSORS)) {
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

/// The data behind a tensor that fit, each with the rows of it that were taken.
fn data_behind(outputs: &Tensor, fits: impl Fn(&Tensor, &[i64]) -> bool) -> Vec<(Tensor, Vec<i64>)> {
    let (mut walk, mut found) = (Before::of(outputs, MOST_TENSORS), Vec::new());
    while let Some(tensor) = walk.next() {
        match rows(&tensor).filter(|(data, rows)| fits(data, rows)) {
            Some(it) => {
                found.push(it);
                walk.go_on_with([]);
            }
            // What was written into since leads to the batches before.
            None => walk.go_on_with(unchanged_operands(&tensor).0),
        }
    }
    found
}

fn apart(step: &Traced) -> Option<Observation> {
    let [outputs, answers] = of_loss(step).or_else(|| of_difference(step))?;
    let Some((labels, own)) = rows(&answers).filter(|(_, own)| own.len() > 3) else {
        return towers_apart(step, &outputs, &answers);
    };
    let is_data = |data: &Tensor, rows: &[i64]| {
        (data.ndim() >= 2 || data.shape() == labels.shape())
            && data.shape().first() == labels.shape().first()
            && rows.len() == own.len()
            && !data.storage().same(labels.storage())
    };
    let all = data_behind(&outputs, is_data);
    let (data, taken) = all.first().filter(|_| all.iter().all(|(_, taken)| *taken != own))?;
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

/// Each row of one kind of data against each of another, such as images and texts, where the partner of row i is row i: the rows
/// of both were taken by other indices.
fn towers_apart(step: &Traced, outputs: &Tensor, answers: &Tensor) -> Option<Observation> {
    let count = answers.numel();
    let is_place = |(at, answer): (usize, f64)| at as f64 == answer;
    let are_places = answers.to_f64_vec().into_iter().enumerate().all(is_place);
    if count < 4 || outputs.shape() != [count, count] || !are_places {
        return None;
    }
    let all = data_behind(outputs, |_, rows| rows.len() == count);
    let (known, own) = all.first()?;
    let are_partners =
        |data: &Tensor| !data.storage().same(known.storage()) && data.shape()[0] == known.shape()[0];
    let (data, taken) = all.iter().find(|(data, taken)| are_partners(data) && taken != own)?;
    let at = taken.iter().zip(own).position(|(row, other)| row != other)?;
    let observed = format!(
        "Pair {at} of {count} is row {} of data of shape {} and row {} of data of shape {}.",
        own[at],
        tuple_repr(known.shape()),
        taken[at],
        tuple_repr(data.shape())
    );
    Some(Observation::new(step.site(), observed, "the same index for both: images[index], texts[index]"))
}

/// Differences of outputs and targets in which each output meets each target: a column beside a row.
fn crossed(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let (one, other) = (step.operand(0).filter(|_| is_difference(step))?, step.operand(1)?);
    let count = match (one.shape(), other.shape()) {
        (&[rows, 1], &[all]) | (&[all], &[rows, 1]) if rows == all && all > 1 => all,
        _ => return None,
    };
    let (a, b) = (one.tensor.as_ref()?, other.tensor.as_ref()?);
    // Of one tensor, all pairs are meant: which of them is larger.
    let are_trained = || [a, b].into_iter().all(|it| is_trained(it, MOST_TENSORS));
    let are_outputs = || are_trained() && !a.storage().same(b.storage());
    if of_difference(step).is_none() && !are_outputs() {
        return None;
    }
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

/// Pieces of a text or rows of data that a training step reads, and that lie in a part of it which is named for validation.
fn from_later_part(cell: &TracedCell) -> Option<Observation> {
    let is_later = |name: &&str| name.to_lowercase().split('_').any(|word| FOR_LATER.contains(&word));
    let is_part = |it: &Tensor| {
        let is_rows = it.ndim() == 1 || it.ndim() == 2 && it.is_contiguous();
        is_rows && !it.dtype().is_float() && 2 * it.numel() < it.storage().read().len()
    };
    let later = cell.names.all().filter(is_later).filter_map(|name| Some((name, cell.names.get(name)?)));
    let later: Vec<(&str, &Tensor)> = later.filter(|(_, it)| is_part(it)).collect();
    if later.is_empty() {
        return None;
    }
    // Whether what is read is trained, by the storage of what is read.
    let mut read: HashMap<usize, bool> = HashMap::new();
    for step in cell.steps() {
        if let Some((tokens, _)) = reads_tokens(step) {
            *read.entry(tokens.storage().address()).or_default() |=
                step.result().is_some_and(Tensor::requires_grad);
        }
    }
    let is_batch = |step: &&Traced| {
        matches!(step.operation.explanation, Explanation::Moved(Movement::Stacked | Movement::LookedUp))
            && step.results.first().is_some_and(|it| read.contains_key(&it.storage))
    };
    cell.steps().filter(is_batch).find_map(|batch| {
        let of_part = |(name, part): &(&str, &Tensor)| {
            let (from, to) = (part.layout().offset, part.layout().offset + part.numel());
            let is_of_data = |it: &TracedTensor| it.storage == part.storage().address();
            let pieces = pieces(batch, is_of_data)?;
            let count = pieces.iter().filter(|(start, end)| *start >= from && *end <= to).count();
            // Batches that are of that part alone may be those of the validation.
            let is_mixed = count < pieces.len() && cell.alike(batch).count() >= LEAST_BATCHES;
            let is_trained = read.get(&batch.results.first()?.storage) == Some(&true);
            (count > 0 && (is_trained || is_mixed)).then(|| (name.to_string(), count, pieces.len()))
        };
        let (name, count, all) = later.iter().find_map(of_part)?;
        let observed =
            format!("{count} of the {all} texts that are joined for a training step are pieces of {name}.");
        let fix = "take the batches of a training from its own part: train_data[i : i + length]";
        let found = Observation::new(batch.site(), observed, fix);
        Some(found.titled("the training reads what is kept for validation"))
    })
}

/// So many batches are drawn in one line, at least.
const LEAST_BATCHES: usize = 3;

/// Where the pieces that are stacked begin and end in the memory of their data, or the rows that an index takes.
fn pieces(step: &Traced, is_of_data: impl Fn(&TracedTensor) -> bool) -> Option<Vec<(usize, usize)>> {
    if step.operation.explanation == Explanation::Moved(Movement::Stacked) {
        let place = |it: &TracedTensor| (it.layout.offset, it.layout.offset + it.layout.numel());
        let all = step.operands.iter().map(|it| is_of_data(it).then(|| place(it)));
        return all.collect();
    }
    let data = step.operand(0).filter(|it| is_of_data(it))?;
    let Some(Arg::Index(parts)) = step.args.get(1) else { return None };
    let [Index::Tensor(index)] = &parts[..] else { return None };
    let (stride, size) = (*data.layout.strides.first()?, data.shape().iter().skip(1).product::<usize>());
    let is_rows = index.ndim() == 1 && index.dtype() == DType::Int64;
    let start = |row: i64| Some(data.layout.offset + usize::try_from(row).ok()? * stride);
    is_rows.then(|| index.to_i64_vec().into_iter().filter_map(start).map(|it| (it, it + size)).collect())
}
