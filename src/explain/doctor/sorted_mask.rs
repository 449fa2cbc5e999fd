//! A mask that was made of sorted numbers, and hides numbers that are not sorted.

use std::rc::Rc;

use super::flow::{Before, arg, mask_of, operand, operands, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell, in_line};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Movement, OrderKind};
use crate::tensor::{DType, Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A210",
    "sorted-mask",
    "a mask in sorted order hides numbers that are not sorted",
    "Place i of sorted logits is the i-th largest, not word i. A mask of these places, on logits in the order of the \
          vocabulary, hides other words than those that were meant.",
    &[Detector::Step(detect)],
);

/// The most tensors that the search goes through.
const MOST: usize = 60;

fn detect(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    unsorted(step, cell).or_else(|| too_few(step, cell))
}

/// A mask of the numbers below the k largest that leaves fewer than k in each row: the threshold is not the last of them.
fn too_few(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if ![Explanation::MaskedFill, Explanation::Assignment].contains(&step.operation.explanation) {
        return None;
    }
    let operands: Vec<&Tensor> = step.operands.iter().filter_map(|it| it.tensor.as_ref()).collect();
    let of_index = step.args.get(2).and_then(mask_of).and_then(|it| it.tensor().cloned());
    let mask = operands.iter().copied().find(|it| it.dtype() == DType::Bool && it.ndim() > 0);
    let mask = &mask.cloned().or(of_index)?;
    let width = *mask.shape().last()?;
    let is_topk = |it: &Rc<Record>| it.operation.explanation == Explanation::Ordered(OrderKind::TopK);
    let record = Before::of(mask, MOST).filter_map(|it| origin(&it)).find(is_topk)?;
    let k = arg(&record, "k")?.number()? as usize;
    let kept = |row: &[bool]| row.iter().filter(|hidden| !**hidden).count();
    let fewest = mask.to_bool_vec().chunks(width).map(kept).max()?;
    if operand(&record, 0)?.shape().last() != Some(&width) || fewest == 0 || fewest >= k.min(width) {
        return None;
    }
    let observed = format!(
        "topk finds the {k} largest of {width} numbers, and {} then leaves {fewest} of them in sight.",
        cell.name_of(mask, "the mask")
    );
    let fix = "the smallest of the k is the last one: logits < values[..., -1:]";
    let found =
        Observation::new(step.site(), observed, fix).titled("a mask of the k largest numbers leaves fewer");
    Some(found.because(
        "topk sorts: place 0 is the largest of the k, and the last place the threshold that all k reach.",
    ))
}

fn unsorted(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let by_mask = [Explanation::MaskedFill, Explanation::Assignment, Explanation::Moved(Movement::Chosen)];
    if !by_mask.contains(&step.operation.explanation) {
        return None;
    }
    let is_mask = |it: &&Tensor| it.dtype() == DType::Bool;
    let given: Vec<&Tensor> = step.operands.iter().filter_map(|it| it.tensor.as_ref()).collect();
    let mask = given.iter().copied().find(is_mask)?;
    let hidden = given.iter().copied().find(|it| !is_mask(it) && it.shape() == mask.shape())?;
    let mut walk = Before::of(mask, MOST);
    while let Some(tensor) = walk.next() {
        let Some(record) = origin(&tensor) else { continue };
        if record.operation.explanation == Explanation::Ordered(OrderKind::Sort) {
            let sorted = &operand(&record, 0)?;
            let is_of_hidden = is_made_of(sorted, hidden) || is_made_of(hidden, sorted);
            let line = in_line(record.site.as_ref());
            return is_of_hidden.then(|| {
                let observed = format!(
                    "{} was made of numbers that were sorted{line}, and hides elements of {}, which are not sorted.",
                    cell.name_of(mask, "the mask"),
                    cell.name_of(hidden, "the logits")
                );
                let fix = "bring the mask back with the places that sort returned: mask.scatter(-1, indices, mask)";
                Observation::new(step.site(), observed, fix)
            });
        }
        // Places that an index gives are in another order again; a threshold is one number of a row.
        let by_index = [Movement::LookedUp, Movement::Filled, Movement::Rearranged].map(Explanation::Moved);
        let keeps_places = !by_index.contains(&record.operation.explanation);
        walk.go_on_with(
            operands(&record).into_iter().filter(|it| keeps_places && it.shape() == mask.shape()),
        );
    }
    None
}

/// Whether a tensor was computed from another one in the same shape, without being sorted.
fn is_made_of(tensor: &Tensor, other: &Tensor) -> bool {
    let mut at = tensor.clone();
    for _ in 0..6 {
        if at.is(other) {
            return true;
        }
        let record = origin(&at).filter(|it| !matches!(it.operation.explanation, Explanation::Ordered(_)));
        match record.and_then(|record| operand(&record, 0)) {
            Some(before) if before.shape() == other.shape() => at = before,
            _ => return false,
        }
    }
    false
}
