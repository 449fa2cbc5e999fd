//! The mask of scores: which step applied it, and the square matrix that it leaves.

use super::attention::Attention;
use super::mistake::TracedCell;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Site, Tensor};

/// The name of the mask that was applied to the scores last, and its line.
pub(super) fn masking_step(attention: &Attention, cell: &TracedCell) -> (String, Option<Site>) {
    let masking = attention.before.iter().find(|step| match step.explanation() {
        Explanation::MaskedFill | Explanation::Assignment => true,
        Explanation::Pointwise(formula) => formula == Formula::Add,
        Explanation::Moved(movement) => movement == Movement::Chosen,
        _ => false,
    });
    let mask = masking.and_then(|step| step.other());
    let mask = mask.and_then(|mask| mask.tensor().map(|mask| cell.name_of(mask, "the mask")));
    let site = masking.and_then(|step| step.record.site.clone()).or_else(|| attention.site());
    (mask.unwrap_or_else(|| "the mask".to_owned()), site)
}

/// The size of the last two axes, if they are equal and greater than one.
pub(super) fn square(tensor: &Tensor) -> Option<usize> {
    match tensor.shape() {
        [.., rows, columns] if rows == columns && *rows > 1 && tensor.numel() <= 1 << 22 => Some(*rows),
        _ => None,
    }
}

/// The last square matrix of a tensor, row by row.
pub(super) fn last_matrix(tensor: &Tensor, size: usize) -> Option<Vec<f64>> {
    let values = tensor.to_f64_vec();
    let start = values.len().checked_sub(size * size)?;
    Some(values[start..].to_vec())
}
