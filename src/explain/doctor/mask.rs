//! The mask of scores: which step applied it, and the square matrix that it leaves.

use super::attention::Attention;
use super::mistake::TracedCell;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Arg, DType, Site, Tensor};

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

/// Which keys each token sees, in the last matrix of scores or of a mask.
pub(super) struct Visible {
    pub(super) size: usize,
    keys: Vec<bool>,
}

impl Visible {
    /// Of a square matrix; none if nothing or everything is visible.
    pub(super) fn of(tensor: &Tensor, is_visible: impl Fn(f64) -> bool) -> Option<Visible> {
        let size = square(tensor)?;
        let keys: Vec<bool> = last_matrix(tensor, size)?.into_iter().map(is_visible).collect();
        (keys.contains(&true) && keys.contains(&false)).then_some(Visible { size, keys })
    }

    /// Whether a token sees a key.
    pub(super) fn at(&self, token: usize, key: usize) -> bool {
        self.keys[token * self.size + key]
    }

    /// Whether all visible keys are so to their tokens, and at least one key is seen by another token.
    pub(super) fn all(&self, fits: impl Fn(usize, usize) -> bool) -> bool {
        let seen =
            || (0..self.keys.len()).filter(|at| self.keys[*at]).map(|at| (at / self.size, at % self.size));
        seen().all(|(token, key)| fits(token, key)) && seen().any(|(token, key)| token != key)
    }
}

impl Visible {
    /// Whether the last token does not see the first, and each hidden key is so to its token.
    pub(super) fn hides_only(&self, fits: impl Fn(usize, usize) -> bool) -> bool {
        let hidden =
            (0..self.keys.len()).filter(|at| !self.keys[*at]).map(|at| (at / self.size, at % self.size));
        !self.at(self.size - 1, 0) && hidden.into_iter().all(|(token, key)| fits(token, key))
    }
}

/// The mask of fused attention, and which keys each token sees with it.
pub(super) fn fused_visible(step: &Traced) -> Option<(Tensor, Visible)> {
    let mask = step.args.get(3).and_then(Arg::tensor)?;
    let visible = match mask.dtype() {
        DType::Bool => Visible::of(mask, |it| it != 0.0),
        _ => Visible::of(mask, |it| it > -1e4),
    };
    Some((mask.clone(), visible?))
}
