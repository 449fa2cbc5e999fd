//! Numbers as text, and which terms of a long sum are shown.

use crate::kernel::rank::largest_magnitude_first;

/// How many terms of a long sum are shown.
const SHOWN: usize = 6;

/// A number with at most four decimals, fewer if it is exact with fewer: `0.55`.
pub fn figure(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if value.fract() == 0.0 && magnitude < 1e15 {
        return format!("{value:.0}");
    }
    if !(1e-4..1e8).contains(&magnitude) {
        return format!("{value:.4e}");
    }
    let short = (value as f32).to_string();
    let decimals = short.split_once('.').map_or(0, |(_, tail)| tail.len());
    if decimals <= 4 && !short.contains('e') { short } else { format!("{value:.4}") }
}

/// A number with four decimals.
pub(crate) fn term(value: f64) -> String {
    if value.is_finite() && (value == 0.0 || (1e-4..1e8).contains(&value.abs())) {
        format!("{value:.4}")
    } else {
        figure(value)
    }
}

/// The places of the terms that are shown, in order, and whether some are left out.
pub(crate) fn largest(values: &[f64]) -> (Vec<usize>, bool) {
    if values.len() <= SHOWN + 2 {
        return ((0..values.len()).collect(), false);
    }
    let mut shown = largest_magnitude_first(values.iter().copied());
    shown.truncate(SHOWN);
    shown.sort_unstable();
    (shown, true)
}
