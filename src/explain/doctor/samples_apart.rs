//! Inputs and targets that were taken from other rows of the data: the inputs in a random order, the targets in another.

use super::flow::{Before, origin, unchanged_operands};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::targets_not_shifted::is_cross_entropy;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Arg, DType, Index, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A820",
    "samples-apart",
    "inputs and targets are taken from different rows",
    "Each input is then trained to give the answer of another one. The loss falls only as far as the frequencies of the \
          answers take it.",
    &[Detector::Cell(detect)],
);

/// The most tensors on the way back from the outputs to the data.
const MOST_TENSORS: usize = 600;

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.steps().find_map(apart).into_iter().collect()
}

/// The outputs and the classes of a loss, or of probabilities that are looked up by the class of each row.
fn of_loss(step: &Traced) -> Option<[Tensor; 2]> {
    if is_cross_entropy(step) {
        return Some([step.tensor(0)?.clone(), step.tensor(1)?.clone()]);
    }
    let Some(Arg::Index(parts)) = step.args.get(1) else { return None };
    let (Explanation::Moved(Movement::LookedUp), [Index::Tensor(rows), Index::Tensor(classes)]) =
        (step.operation.explanation, &parts[..])
    else {
        return None;
    };
    let in_order =
        rows.ndim() == 1 && rows.to_i64_vec().iter().enumerate().all(|(at, row)| *row == at as i64);
    in_order.then_some([step.tensor(0)?.clone(), classes.clone()])
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
    let [outputs, classes] = of_loss(step)?;
    let (labels, own) = rows(&classes).filter(|(labels, own)| labels.ndim() == 1 && own.len() > 3)?;
    let (mut walk, mut other) = (Before::of(&outputs, MOST_TENSORS), None);
    while let Some(tensor) = walk.next() {
        let is_data = |(data, rows): &(Tensor, Vec<i64>)| {
            data.ndim() >= 2
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
        labels.numel(),
        own.len(),
        taken[at],
        own[at]
    );
    Some(Observation::new(step.site(), observed, "the same index for both: x[index], y[index]"))
}
