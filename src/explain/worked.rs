//! One element with its calculation in a few lines, as it is shown under a table.

use super::account::Statement;
use super::tensor_names::TensorNames;
use super::why::why;
use crate::tensor::Tensor;
use crate::tensor::show::joined;

/// An element and its calculation.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Worked {
    /// Its index: `[1,2]`.
    pub(crate) index: String,
    /// Its value, as printed.
    pub(crate) value: String,
    /// The calculation: in names, then in numbers, then summed.
    pub(crate) steps: Vec<String>,
}

impl Worked {
    /// `[1] 1.4950 = inputs[1]·query = ...`, each further step on a line of its own under the first.
    pub(crate) fn lines(&self) -> Vec<String> {
        let head = format!("{} {}", self.index, self.value);
        let indent = " ".repeat(head.chars().count());
        let mut steps = self.steps.iter().peekable();
        let mut first = steps.next().map_or(head.clone(), |step| format!("{head} = {step}"));
        // Names and numbers share the first line where both are short.
        let length = first.chars().count();
        if let Some(step) = steps.next_if(|step| length + step.chars().count() + 3 <= 76) {
            first = format!("{first} = {step}");
        }
        std::iter::once(first).chain(steps.map(|step| format!("{indent} = {step}"))).collect()
    }
}

/// The calculation of an element; `None` if the operation that made it is not recorded.
pub(crate) fn worked(tensor: &Tensor, index: &[usize], names: &TensorNames) -> Option<Worked> {
    let shape = tensor.shape();
    if index.len() != shape.len() || index.iter().zip(shape).any(|(at, size)| at >= size) {
        return None;
    }
    let why = why(tensor, index, names);
    let step = |line: &Statement| match line {
        Statement::Words(words) => Some(words.clone()),
        Statement::Figures(calc) => Some(calc.text()),
        Statement::Note(_) => None,
    };
    let steps: Vec<String> = why.account.statements.iter().filter_map(step).collect();
    if why.account.end.is_some() || steps.is_empty() {
        return None;
    }
    // One number has a name, and no index.
    let index = if index.is_empty() { why.what.clone() } else { format!("[{}]", joined(index, ",")) };
    Some(Worked { index, value: why.shown, steps })
}
