//! An output layer whose weight is a copy of the embedding, where one shared weight was meant.
//! Source: Press and Wolf 2017, Using the output embedding to improve language models.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::explanation::{Explanation, Movement};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A803",
    "tied-weights-copied",
    "the output layer has a copy of the embedding's weight",
    "Tied weights are one tensor: each training step changes the embedding and the output layer together. A copy is \
          equal only until the first step; then the model has twice the parameters and is not tied.",
    &[Detector::Cell(detect)],
);

fn detect(cell: &TracedCell) -> Vec<Observation> {
    // The table of the same model is the one that was read last: another model may be a copy of this one.
    let mut table = None;
    let layers = cell.steps().filter_map(|step| {
        table = table_of(step).or(table);
        Some((step, weight_of(step)?, table?))
    });
    let copied = layers.filter(|(_, weight, table)| weight.shape() == table.shape() && !weight.shares(table));
    let is_equal = |weight: &TracedTensor, table| values(weight).is_some_and(|it| Some(it) == values(table));
    let found = copied.take(2).find(|(_, weight, table)| is_equal(weight, table));
    let Some((step, weight, _)) = found else { return Vec::new() };
    let &[rows, columns] = weight.shape() else { return Vec::new() };
    let observed = format!(
        "The weight of the output layer equals that of the embedding in all {rows} x {columns} elements, and is another \
         tensor."
    );
    let fix = "share the parameter: self.head.weight = self.embedding.weight, without clone() or detach()";
    vec![Observation::new(step.site(), observed, fix)]
}

fn values(weight: &TracedTensor) -> Option<Vec<f64>> {
    let values = weight.floats()?;
    // Equal numbers are no proof where all are zero or one.
    values.iter().any(|it| *it != 0.0 && *it != 1.0).then_some(values)
}

/// The table of the first embedding.
fn table_of(step: &Traced) -> Option<&TracedTensor> {
    let embeds = step.operation.explanation == Explanation::Moved(Movement::Embedded);
    let mut tensors = step.operands.iter().filter(|it| it.dtype.is_float() && it.shape().len() == 2);
    tensors.next().filter(|_| embeds)
}

/// The weight of a linear layer.
fn weight_of(step: &Traced) -> Option<&TracedTensor> {
    (step.operation.explanation == Explanation::Linear).then(|| step.operand(1)).flatten()
}
