//! The names that a step gives to the axes of its tensors.

/// The names of the axes of one tensor, e.g. `attn_scores`: `query`, `key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisNames {
    pub tensor: String,
    /// A name for each axis, first axis first.
    pub axes: Vec<String>,
}
