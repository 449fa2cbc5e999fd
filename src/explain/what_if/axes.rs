//! The names of axes, and of the positions along them.

/// What the axes of a tensor and the positions along them are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisLabels {
    /// The names of the axes; empty if they have none.
    pub axes: Vec<String>,
    /// For each axis, the names of its positions.
    pub labels: Vec<Option<Vec<String>>>,
}

/// The words of a lesson: names for the axes of its tensors, and its tokens.
pub trait LessonWords {
    /// The names of the axes of a tensor with this name and shape.
    fn axis_labels(&self, name: &str, shape: &[usize]) -> AxisLabels;
    /// The tokens, in order.
    fn tokens(&self) -> Vec<String>;
    /// The tensors whose first axis is the token axis.
    fn token_tensors(&self) -> Vec<String>;
}

impl AxisLabels {
    /// An index in words: `query "journey", key "starts"`; empty if nothing has a name.
    pub(crate) fn place(&self, index: &[usize]) -> String {
        let word = |(axis, at): (usize, &usize)| match (self.axes.get(axis), self.named(axis, *at)) {
            (Some(name), Some(label)) if name == "token" => Some(format!("\"{label}\"")),
            (Some(name), Some(label)) => Some(format!("{name} \"{label}\"")),
            (Some(name), None) => Some(format!("{name} {at}")),
            (None, _) => None,
        };
        index.iter().enumerate().filter_map(word).collect::<Vec<_>>().join(", ")
    }

    /// The name of a position along an axis, or its number.
    pub(crate) fn label(&self, axis: usize, at: usize) -> String {
        self.named(axis, at).cloned().unwrap_or_else(|| at.to_string())
    }

    /// The name of a position in quotation marks, or its number after `unit`: `"journey"`, `position 1`.
    pub(super) fn quoted(&self, axis: usize, at: usize, unit: &str) -> String {
        match self.named(axis, at) {
            Some(label) => format!("\"{label}\""),
            None => format!("{unit} {at}").trim_start().to_owned(),
        }
    }

    /// Forgets the name of a position along all axes of this size.
    pub(super) fn remove(&mut self, at: usize, size: usize) {
        for labels in self.labels.iter_mut().flatten().filter(|labels| labels.len() == size) {
            labels.remove(at);
        }
    }

    fn named(&self, axis: usize, at: usize) -> Option<&String> {
        self.labels.get(axis)?.as_ref()?.get(at)
    }
}
