//! What the values of a tensor are like, and the marks by which they are shaded.

use crate::view::text::{Role, heat_step};

/// The scale that can be read without colour, least to greatest.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Extremes and mean of the finite values, and how many values are special.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Statistics {
    /// Offset and value of the least finite element.
    pub(crate) least: Option<(usize, f64)>,
    /// Offset and value of the greatest finite element.
    pub(crate) greatest: Option<(usize, f64)>,
    /// Mean of the finite elements.
    pub(crate) mean: f64,
    pub(crate) nan: usize,
    pub(crate) inf: usize,
    pub(crate) minus_inf: usize,
    pub(crate) zero: usize,
}

impl Statistics {
    /// The statistics of `values`; offsets count from the first of them.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Statistics {
        let mut all = Statistics::default();
        let (mut sum, mut finite) = (0.0, 0usize);
        for (at, v) in values.into_iter().enumerate() {
            if v.is_nan() {
                all.nan += 1;
            } else if v == f64::INFINITY {
                all.inf += 1;
            } else if v == f64::NEG_INFINITY {
                all.minus_inf += 1;
            } else {
                all.zero += usize::from(v == 0.0);
                sum += v;
                finite += 1;
                if all.least.is_none_or(|(_, least)| v < least) {
                    all.least = Some((at, v));
                }
                if all.greatest.is_none_or(|(_, greatest)| v > greatest) {
                    all.greatest = Some((at, v));
                }
            }
        }
        all.mean = sum / finite.max(1) as f64;
        all
    }

    /// How many values are nan or infinite.
    pub(crate) fn not_finite(&self) -> usize {
        self.nan + self.inf + self.minus_inf
    }

    /// Whether all finite values are the same up to rounding: sums of rows that should be 1 lie within 2e-7.
    pub(crate) fn is_constant(&self) -> bool {
        let (Some((_, least)), Some((_, greatest))) = (self.least, self.greatest) else { return false };
        let span = greatest - least;
        // Different whole numbers are at least 1 apart, however large they are.
        span == 0.0 || (span <= 1e-6 * least.abs().max(greatest.abs()) && span < 0.5)
    }

    /// The place of a value between the least (0) and the greatest (1); `None` if there is nothing to compare.
    pub(crate) fn level(&self, value: f64) -> Option<f32> {
        let ((_, least), (_, greatest)) = (self.least?, self.greatest?);
        let span = greatest - least;
        (value.is_finite() && !self.is_constant() && span.is_finite())
            .then(|| ((value - least) / span) as f32)
    }

    /// Whether a value is masked or dropped: minus infinity, or zero where no value is negative.
    pub(crate) fn is_masked(&self, value: f64) -> bool {
        value == f64::NEG_INFINITY || (value == 0.0 && self.least.is_some_and(|(_, l)| l == 0.0))
    }

    /// The character that shades a value, and its role: a dot for a masked or dropped weight, an exclamation mark for
    /// nan, else a block. `None` if all values are the same.
    pub(crate) fn mark(&self, value: f64) -> Option<(char, Role)> {
        if value.is_nan() {
            return Some(('!', Role::Bad));
        }
        if self.is_constant() {
            return (self.not_finite() > 0).then(|| match value.is_finite() {
                true => ('█', Role::Number),
                false => ('·', Role::Dim),
            });
        }
        if self.is_masked(value) {
            return Some(('·', Role::Dim));
        }
        let level = if value == f64::INFINITY { 1.0 } else { self.level(value)? };
        Some((block(level), Role::Heat(level)))
    }
}

/// The block character of a level between 0 and 1.
pub(crate) fn block(level: f32) -> char {
    BLOCKS[heat_step(level)]
}
