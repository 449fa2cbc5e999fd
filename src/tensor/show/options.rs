//! The options of printing, which belong to a session.
//! Source: `torch.set_printoptions` in PyTorch 2.6.

use super::places::numel;

/// How tensors are printed: `torch.set_printoptions`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintOptions {
    /// Digits after the point.
    pub precision: usize,
    /// Tensors with more elements are summarised. Infinite for `profile="full"`.
    pub threshold: f64,
    /// Elements shown at either end of a summarised dimension.
    pub edgeitems: usize,
    /// Columns after which lines are wrapped.
    pub linewidth: usize,
    /// Scientific notation always, never, or (`None`) depending on the values.
    pub sci_mode: Option<bool>,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { precision: 4, threshold: 1000.0, edgeitems: 3, linewidth: 80, sci_mode: None }
    }
}

impl PrintOptions {
    /// The options after a call of `set_printoptions`: the profile is applied first, then the other arguments.
    /// Every call sets `sci_mode`, even without that argument.
    pub fn set(self, change: &PrintOptionsChange) -> PrintOptions {
        let options = match change.profile.as_deref() {
            Some("default") => PrintOptions::default(),
            Some("short") => PrintOptions { precision: 2, edgeitems: 2, ..PrintOptions::default() },
            Some("full") => PrintOptions { threshold: f64::INFINITY, ..PrintOptions::default() },
            _ => self,
        };
        PrintOptions {
            precision: change.precision.unwrap_or(options.precision),
            threshold: change.threshold.unwrap_or(options.threshold),
            edgeitems: change.edgeitems.unwrap_or(options.edgeitems),
            linewidth: change.linewidth.unwrap_or(options.linewidth),
            sci_mode: change.sci_mode,
        }
    }

    /// The number of elements shown at each end of a dimension; `None` if all are shown.
    pub(crate) fn edge_of(&self, shape: &[usize]) -> Option<usize> {
        (numel(shape) as f64 > self.threshold).then_some(self.edgeitems)
    }
}

/// The arguments of a call of `set_printoptions`; `None` if not given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PrintOptionsChange {
    /// Digits after the point.
    pub precision: Option<usize>,
    /// Elements above which a tensor is summarised.
    pub threshold: Option<f64>,
    /// Elements at either end of a summarised dimension.
    pub edgeitems: Option<usize>,
    /// Columns.
    pub linewidth: Option<usize>,
    /// One of [`PrintOptions::PROFILES`].
    pub profile: Option<String>,
    /// Scientific notation; `None` if it depends on the values.
    pub sci_mode: Option<bool>,
}
