//! How well a typed number fits another, in any rounding.

use super::answer::TypedNumber;

/// How well a typed number fits another, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Closeness {
    Off,
    /// It fits, but has one digit, or rounds a number of two decimals.
    Rough,
    /// Cut instead of rounded: 0.226 for 0.2268.
    Cut,
    /// As near as a printed number is.
    Near,
    /// The number, rounded to the digits that were typed.
    Rounded,
}

/// Whether each number is less than one unit of its last digit away.
pub(super) fn within_one_unit(said: &[TypedNumber], truth: &[f64]) -> bool {
    said.iter().zip(truth).all(|(n, t)| (n.value - t).abs() < n.step)
}

/// How well a reading fits: as well as the worst of its numbers does.
pub(super) fn fit(said: &[TypedNumber], truth: &[f64]) -> Closeness {
    let fits = said.iter().zip(truth).map(|(n, t)| one_fits(n, *t));
    fits.min().unwrap_or(Closeness::Rounded)
}

pub(super) fn one_fits(said: &TypedNumber, truth: f64) -> Closeness {
    let value = said.value;
    if truth.is_nan() || value.is_nan() || truth.is_infinite() || value.is_infinite() {
        let same = (truth.is_nan() && value.is_nan()) || truth == value;
        return if same { Closeness::Rounded } else { Closeness::Off };
    }
    let off = (value - truth).abs();
    let rounding = 1e-6 * truth.abs().max(1e-3);
    let whole = truth.fract() == 0.0;
    let rounded = off <= said.step / 2.0 + rounding;
    // Printed numbers have four decimals, and sums of floats may be off in the last one.
    let printed = if truth.abs() >= 1e-3 { 6e-5 * truth.abs().max(1.0) } else { 0.0 };
    // A calculation may begin with rounded numbers.
    let calculated = said.step == 0.0 && off <= 2e-3 * truth.abs();
    let cut = truth.abs() > value.abs() && off < said.step;
    let short = !whole && (truth * 100.0 - (truth * 100.0).round()).abs() < 1e-9; // 1.25 is not 1.3
    match () {
        () if off <= rounding || rounded && said.digits >= 2 && !short => Closeness::Rounded,
        () if !whole && (off <= printed || calculated) => Closeness::Near,
        () if !whole && !short && cut && said.digits >= 2 => Closeness::Cut,
        () if rounded && off < 0.2 * truth.abs() => Closeness::Rough,
        () => Closeness::Off,
    }
}
