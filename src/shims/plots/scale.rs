//! From the numbers of an axis to places on it.

use super::figure::PlottedAxis;

/// From numbers to places between 0 and 1.
pub struct Scale {
    /// The number at place 0.
    pub low: f64,
    /// The number at place 1.
    pub high: f64,
    log: bool,
}

impl Scale {
    /// The scale on which all of `values` have a place, unless the cell set limits.
    pub fn of(axis: &PlottedAxis, values: impl Iterator<Item = f64>) -> Scale {
        let log = axis.log;
        let usable = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (mut low, mut high) = usable
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if let Some(limits) = axis.limits.as_deref().filter(|limits| limits.iter().all(|end| end.is_finite()))
        {
            (low, high) = (limits[0].min(limits[1]), limits[0].max(limits[1]));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if low == high {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Scale { low, high, log: log && low > 0.0 }
    }

    /// The place of a number; not finite where it has none.
    pub fn place(&self, value: f64) -> f64 {
        match self.log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }
}
