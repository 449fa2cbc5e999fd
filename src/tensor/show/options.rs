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
    /// The options of a profile; these options where there is none of this name.
    pub fn of_profile(self, name: &str) -> PrintOptions {
        match name {
            "default" => PrintOptions::default(),
            "short" => PrintOptions { precision: 2, edgeitems: 2, ..PrintOptions::default() },
            "full" => PrintOptions { threshold: f64::INFINITY, ..PrintOptions::default() },
            _ => self,
        }
    }

    /// The number of elements shown at each end of a dimension; `None` if all are shown.
    pub(crate) fn edge_of(&self, shape: &[usize]) -> Option<usize> {
        (numel(shape) as f64 > self.threshold).then_some(self.edgeitems)
    }
}
