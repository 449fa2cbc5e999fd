//! The effect of a change in sentences.

use super::answer::WhatIf;
use super::difference::ChangedTensor;
use crate::tensor::show::joined;

/// The most tensors of weights that get a sentence.
const MOST_WEIGHTS: usize = 3;

/// Returns the effect of a change in sentences.
pub(super) fn summary(what: &WhatIf) -> Vec<String> {
    let mut sentences = Vec::new();
    if what.differences.is_empty() && what.reshaped.is_empty() && what.raised.is_none() {
        sentences.push(match what.printed.is_some() {
            true => "No tensor changed, only what the cell prints.".to_owned(),
            false => "Nothing else changed: no tensor, and nothing that the cell prints.".to_owned(),
        });
        return sentences;
    }
    let asked: Vec<&ChangedTensor> = what.differences.iter().filter(|it| what.is_asked(it)).collect();
    let mut described: Vec<&ChangedTensor> = Vec::new();
    for weights in asked.iter().filter(|it| it.has_weights()) {
        let is_same = |other: &&ChangedTensor| (other.largest() - weights.largest()).abs() < 1e-6;
        if described.len() < MOST_WEIGHTS && !described.iter().any(is_same) {
            sentences.push(shift_of_weight(weights));
            described.push(weights);
        }
    }
    let symmetric = asked.iter().filter(|it| it.is_symmetric());
    if let Some((scores, k)) = symmetric.filter_map(|it| Some((it, it.row_and_column()?))).next() {
        let token = scores.labels.quoted(0, k, "position");
        sentences
            .push(format!("{} is symmetric: {token} changed both as a query and as a key.", scores.name));
    }
    sentences
}

/// Where weight went, and where it came from, in the row that changed most.
fn shift_of_weight(weights: &ChangedTensor) -> String {
    let wide = weights.shape.last().copied().unwrap_or(1);
    let start = weights.largest_at - weights.largest_at % wide;
    let row: Vec<usize> = (start..start + wide).collect();
    let by = |a: &&usize, b: &&usize| weights.difference(**a).total_cmp(&weights.difference(**b));
    let gained = row.iter().max_by(by).expect("a row of weights has more than one element");
    let lost = row.iter().min_by(by).expect("a row of weights has more than one element");
    let last = weights.shape.len() - 1;
    let name = |at: usize| weights.labels.quoted(last, weights.index(at)[last], &weights.axis_name(last));
    let index = weights.index(start);
    let place = weights.labels.place(&index[..last]);
    let place = match (place.is_empty(), last) {
        (true, 0) => String::new(),
        (true, _) => format!(", row {},", joined(&index[..last], ",")),
        (false, _) => format!(", {place},"),
    };
    let rows = if weights.shape.len() == 1 { "it still sums to 1" } else { "every row still sums to 1" };
    let (to, from) = (weights.difference(*gained), weights.difference(*lost));
    let (gained, lost) = (name(*gained), name(*lost));
    if to >= -from {
        format!(
            "In {}{place} weight went to {gained} ({to:+.4}), the largest part of it from {lost} ({from:+.4}); {rows}.",
            weights.name
        )
    } else {
        format!(
            "In {}{place} {lost} lost weight ({from:+.4}), the largest part of it to {gained} ({to:+.4}); {rows}.",
            weights.name
        )
    }
}
