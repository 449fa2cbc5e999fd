//! A row of scores that are all minus infinity: its softmax is 0/0.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::tensor::Tensor;
use crate::tensor::explanation::{Explanation, Formula, Movement};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A107",
    "row-all-hidden",
    "all keys of a row are hidden, and its weights are nan",
    "The softmax divides exp(score) by the sum over the row. If every score is -inf, that is 0/0. The nan spreads \
          to everything computed from that row.",
    &[Detector::Attention(detect)],
);

/// Rows of scores that are all minus infinity.
struct HiddenRows {
    /// The first of them, within its matrix.
    first: usize,
    count: usize,
    columns: usize,
}

fn hidden_rows(attention: &Attention) -> Option<HiddenRows> {
    let input = attention.input()?;
    let columns = *input.shape().last()?;
    if input.numel() > 1 << 22 || columns == 0 || attention.axis != 1 {
        return None;
    }
    let values = input.to_f64_vec();
    let is_hidden = |row: &[f64]| row.iter().all(|score| *score == f64::NEG_INFINITY);
    let mut hidden = values.chunks(columns).enumerate().filter(|(_, row)| is_hidden(row));
    let (first, _) = hidden.next()?;
    let rows = if input.ndim() >= 2 { input.shape()[input.ndim() - 2] } else { 1 };
    Some(HiddenRows { first: first % rows, count: 1 + hidden.count(), columns })
}

pub(super) fn is_wrong(attention: &Attention) -> bool {
    hidden_rows(attention).is_some()
}

/// Whether the nan in the weights are replaced afterwards, in this cell or in the one that made them.
fn is_replaced(attention: &Attention, cell: &TracedCell) -> bool {
    let replaces = |explanation| {
        matches!(
            explanation,
            Explanation::Pointwise(Formula::NanToNum)
                | Explanation::MaskedFill
                | Explanation::Moved(Movement::Chosen)
        )
    };
    if attention.context.iter().flat_map(|it| &it.after).any(|step| replaces(step.explanation())) {
        return true;
    }
    cell.steps().any(|step| {
        let replaces = replaces(step.operation.explanation);
        let takes = |tensor: &Tensor| tensor.storage().same(attention.weights.storage());
        replaces && step.operands.iter().any(|it| it.tensor.as_ref().is_some_and(takes))
    })
}

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let HiddenRows { first, count, columns } = hidden_rows(attention)?;
    if is_replaced(attention, cell) {
        return None;
    }
    let input = attention.input()?;
    let scores = cell.name_of(&input, "the scores");
    let more = if count > 1 { format!(" ({count} rows in all)") } else { String::new() };
    let observed = format!(
        "Row {first} of {scores} is -inf in all {columns} places{more}: the softmax returns nan there."
    );
    let fix = "let every token see at least itself: torch.triu(..., diagonal=1) hides the tokens after it, but not the \
               token itself";
    Some(Observation::new(attention.site(), observed, fix))
}
