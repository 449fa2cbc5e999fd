//! What a session may change about printing.
//! Plain values; the session owns them and passes them in.
//! Source: `torch.set_printoptions` in PyTorch 2.6.

use super::places::numel;

/// How tensors are printed: `torch.set_printoptions`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintOptions {
    /// Digits after the point.
    pub precision: usize,
    /// Tensors of more elements than this are cut. Infinite for `profile="full"`.
    pub threshold: f64,
    /// Elements left at either end of a dimension that is cut.
    pub edgeitems: usize,
    /// Columns that rows and what follows them are wrapped to.
    pub linewidth: usize,
    /// Scientific notation always, never, or (`None`) as the values ask for.
    pub sci_mode: Option<bool>,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { precision: 4, threshold: 1000.0, edgeitems: 3, linewidth: 80, sci_mode: None }
    }
}

impl PrintOptions {
    /// The names that `profile=` takes. A name outside them changes nothing, as in PyTorch.
    pub const PROFILES: [&'static str; 3] = ["default", "short", "full"];

    /// The options that one call of `set_printoptions` leaves behind: the profile first, then each
    /// argument that is given. `sci_mode` is set in every call, also when it is left out.
    pub fn set(self, change: &PrintOptionsChange) -> PrintOptions {
        let mut options = match change.profile.as_deref() {
            Some("default") => PrintOptions::default(),
            Some("short") => PrintOptions { precision: 2, edgeitems: 2, ..PrintOptions::default() },
            Some("full") => PrintOptions { threshold: f64::INFINITY, ..PrintOptions::default() },
            _ => self,
        };
        if let Some(precision) = change.precision {
            options.precision = precision;
        }
        if let Some(threshold) = change.threshold {
            options.threshold = threshold;
        }
        if let Some(edgeitems) = change.edgeitems {
            options.edgeitems = edgeitems;
        }
        if let Some(linewidth) = change.linewidth {
            options.linewidth = linewidth;
        }
        options.sci_mode = change.sci_mode;
        options
    }

    /// How many elements stay at each end of a dimension, or `None` when all are shown.
    pub(crate) fn edge_of(&self, shape: &[usize]) -> Option<usize> {
        (numel(shape) as f64 > self.threshold).then_some(self.edgeitems)
    }
}

/// The arguments of one call of `set_printoptions`; what is `None` was not given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PrintOptionsChange {
    /// Digits after the point.
    pub precision: Option<usize>,
    /// Elements beyond which a tensor is cut.
    pub threshold: Option<f64>,
    /// Elements at either end of a cut dimension.
    pub edgeitems: Option<usize>,
    /// Columns.
    pub linewidth: Option<usize>,
    /// One of [`PrintOptions::PROFILES`].
    pub profile: Option<String>,
    /// Scientific notation; left out means: as the values ask for.
    pub sci_mode: Option<bool>,
}
