//! The mask of scores: which step applied it, and the square matrix that it leaves.

use std::collections::{HashMap, HashSet};

use super::attention::{Attention, is_softmax, record_of};
use super::axes::is_product;
use super::flow::{is_zero_one, operand, trace_back};
use super::mistake::TracedCell;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Arg, DType, Record, Site, Tensor};

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

/// Scores below this are hidden: a mask may add -1e9 to a score of any size.
const HIDDEN: f64 = -1e8;

/// Scores below this get no weight beside others of a usual size.
pub(super) const NO_WEIGHT: f64 = -1e4;

/// Whether a key with this score is in sight.
pub(super) fn is_visible(score: f64) -> bool {
    score > HIDDEN && !score.is_nan()
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

/// The operations but for those in the line of a softmax that gets at least three masks of the same size, none like another: these
/// are data, of a graph or of a window.
pub(super) fn steps_with_one_mask<'r>(cell: &TracedCell<'r>) -> impl Iterator<Item = &'r Traced> {
    let mut masks: HashMap<(&'static str, usize, usize), Vec<Vec<bool>>> = HashMap::new();
    for step in cell.steps() {
        let visible = || Visible::of(&Attention::of_softmax(step)?.input()?, is_visible);
        if let (Some(site), Some(visible)) = (step.site(), visible()) {
            let known = masks.entry((site.cell, site.line, visible.size)).or_default();
            if !known.contains(&visible.keys) {
                known.push(visible.keys);
            }
        }
    }
    let varied =
        masks.into_iter().filter(|(_, known)| known.len() >= 3).map(|((cell, line, _), _)| (cell, line));
    let varied: HashSet<(&str, usize)> = varied.collect();
    cell.steps().filter(move |step| !step.site().is_some_and(|it| varied.contains(&(it.cell, it.line))))
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

    /// Each token with each key, and whether it sees it.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, bool)> {
        self.keys.iter().enumerate().map(|(at, seen)| (at / self.size, at % self.size, *seen))
    }

    /// Whether the keys in sight are exactly those for which this is so.
    pub(super) fn is_exactly(&self, fits: impl Fn(usize, usize) -> bool) -> bool {
        self.pairs().all(|(token, key, seen)| seen == fits(token, key))
    }

    /// Whether a token sees a key.
    pub(super) fn at(&self, token: usize, key: usize) -> bool {
        self.keys[token * self.size + key]
    }

    /// Whether the visible keys are those on one side of a diagonal.
    fn is_triangle(&self) -> bool {
        let ahead = |(token, key, _): (usize, usize, bool)| key as i64 - token as i64;
        let of = |shown: bool| self.pairs().filter(move |it| it.2 == shown).map(ahead);
        let (shown, hidden) = ((of(true).min(), of(true).max()), (of(false).min(), of(false).max()));
        shown.1 < hidden.0 || hidden.1 < shown.0
    }

    /// Whether all visible keys are so to their tokens, and at least one key is seen by another token.
    pub(super) fn all(&self, fits: impl Fn(usize, usize) -> bool) -> bool {
        self.pairs().all(|(token, key, seen)| !seen || fits(token, key))
            && self.pairs().any(|(token, key, seen)| seen && token != key)
    }

    /// Whether some keys are hidden from the tokens after them, and none from those before; the token's own key is always
    /// in sight, or never.
    pub(super) fn hides_past_alone(&self) -> bool {
        let own = self.at(0, 0);
        self.pairs().any(|(token, key, seen)| !seen && key < token)
            && self.pairs().all(|(token, key, seen)| seen || key < token || key == token && !own)
            && (0..self.size).all(|token| self.at(token, token) == own)
    }
}

/// The triangle of zeros and ones that a step multiplies weights or products of features with, and which keys each token
/// sees with it.
pub(super) fn of_weights(step: &Traced) -> Option<(Option<Tensor>, Visible)> {
    let record = record_of(step)?;
    let (masked, mask) = match record.operation.explanation {
        Explanation::Pointwise(Formula::Mul) => {
            let (left, right) = (operand(&record, 0)?, operand(&record, 1)?);
            let is_mask = |it: &Tensor| square(it).is_some() && is_zero_one(it);
            match (is_mask(&left), is_mask(&right)) {
                (false, true) => (left, Some(right)),
                (true, false) => (right, Some(left)),
                _ => return None,
            }
        }
        Explanation::Triangle { .. } => (operand(&record, 0)?, None),
        _ => return None,
    };
    square(&masked)?;
    // Weights, or products of features: no parameter and no decay.
    let is_start = |record: &Record| is_softmax(record) || is_product(record);
    let made = trace_back(&masked, &is_start)?.record;
    if made.operation.explanation == Explanation::Linear {
        return None;
    }
    let result = step.result()?.clone();
    let visible = Visible::of(mask.as_ref().unwrap_or(&result), |it| it != 0.0)?;
    visible.is_triangle().then_some((mask, visible))
}

/// The mask of fused attention, and which keys each token sees with it.
pub(super) fn fused_visible(step: &Traced) -> Option<(Tensor, Visible)> {
    let mask = step.args.get(3).and_then(Arg::tensor)?;
    let visible = match mask.dtype() {
        DType::Bool => Visible::of(mask, |it| it != 0.0),
        _ => Visible::of(mask, |it| it > NO_WEIGHT),
    };
    Some((mask.clone(), visible?))
}
