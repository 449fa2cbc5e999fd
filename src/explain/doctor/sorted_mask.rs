//! A mask that was made of sorted numbers, and hides numbers that are not sorted.

use super::flow::{mask_of, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::table;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Movement, OrderKind};
use crate::tensor::{Arg, DType, Tensor};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A210",
    name: "sorted-mask",
    title: "a mask in sorted order hides numbers that are not sorted",
    why: "Place i of sorted logits is the i-th largest, not word i. A mask of these places, on logits in the order of the \
          vocabulary, hides other words than those that were meant.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

/// The most tensors that the search goes through.
const MOST: usize = 60;

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| unsorted(step, cell).or_else(|| too_few(step, cell))).collect()
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
    let mut open = vec![mask.clone()];
    for _ in 0..MOST {
        let Some(record) = open.pop().map(|it| origin(&it))? else { continue };
        let parts: Vec<Tensor> = record.args().iter().flat_map(Arg::tensors).cloned().collect();
        if record.operation.explanation == Explanation::Ordered(OrderKind::TopK) {
            let k = record.args().get(table::place_of(&record, "k")?)?.number()? as usize;
            let kept = |row: &[bool]| row.iter().filter(|hidden| !**hidden).count();
            let hidden = mask.to_bool_vec();
            let fewest = hidden.chunks(width).map(kept).max()?;
            let is_of_width = parts.first()?.shape().last() == Some(&width);
            if !is_of_width || fewest == 0 || fewest >= k.min(width) {
                return None;
            }
            let observed = format!(
                "topk finds the {k} largest of {width} numbers, and {} then leaves {fewest} of them in sight.",
                cell.name_of(mask, "the mask")
            );
            let fix = "the smallest of the k is the last one: logits < values[..., -1:]";
            let mut found = Observation::new(step.site(), observed, fix);
            found.title = Some("a mask of the k largest numbers leaves fewer");
            found.why = Some(
                "topk sorts: place 0 is the largest of the k, and the last place the threshold that all k reach.",
            );
            return Some(found);
        }
        open.extend(parts);
    }
    None
}

fn unsorted(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let by_mask = [Explanation::MaskedFill, Explanation::Assignment, Explanation::Moved(Movement::Chosen)];
    if !by_mask.contains(&step.operation.explanation) {
        return None;
    }
    let is_mask = |it: &&Tensor| it.dtype() == DType::Bool;
    let operands: Vec<&Tensor> = step.operands.iter().filter_map(|it| it.tensor.as_ref()).collect();
    let mask = operands.iter().copied().find(is_mask)?;
    let hidden = operands.iter().copied().find(|it| !is_mask(it) && it.shape() == mask.shape())?;
    let mut open = vec![mask.clone()];
    for _ in 0..MOST {
        let Some(record) = open.pop().map(|it| origin(&it))? else { continue };
        let parts: Vec<Tensor> = record.args().iter().flat_map(Arg::tensors).cloned().collect();
        if record.operation.explanation == Explanation::Ordered(OrderKind::Sort) {
            let sorted = parts.first()?;
            let is_of_hidden = sorted.is(hidden) || is_made_of(sorted, hidden) || is_made_of(hidden, sorted);
            let line = record.site.as_ref().map(|site| format!(" in line {}", site.line)).unwrap_or_default();
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
        open.extend(parts.into_iter().filter(|it| keeps_places && it.shape() == mask.shape()));
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
        match record.and_then(|record| record.args().first().and_then(Arg::tensor).cloned()) {
            Some(before) if before.shape() == other.shape() => at = before,
            _ => return false,
        }
    }
    false
}
