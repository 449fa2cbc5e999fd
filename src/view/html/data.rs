//! What a page's script reads: for each tensor the explanations of its elements, and where they came from.
//! A text that several elements share is stored once.

use std::collections::HashMap;

use serde_json::json;

use super::parts::ExplainedFigure;

/// The JSON of the explanations: every line of every explanation, and the page's tensors in order. Of an element it has the
/// offset; its lines; and its sources: tensor, first element, step, count, and so on.
pub(super) fn json(tensors: &[ExplainedFigure]) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut all = Vec::with_capacity(tensors.len());
    for ExplainedFigure { figure, whys } in tensors {
        let mut elements = Vec::with_capacity(whys.len());
        for why in whys {
            let own = why.lines.iter().map(|line| {
                *known.entry(line).or_insert_with(|| {
                    lines.push(line);
                    lines.len() - 1
                })
            });
            elements.push((why.offset, own.collect::<Vec<_>>(), runs(&why.from)));
        }
        all.push(json!({"name": figure.name, "shape": figure.shape, "whys": elements}));
    }
    json!({"lines": lines, "tensors": all}).to_string()
}

/// Elements as runs: for each its tensor, its first element, the step from one to the next, and how many there are.
fn runs(from: &[(usize, usize)]) -> Vec<usize> {
    let mut sorted = from.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out: Vec<usize> = Vec::new();
    let mut rest = sorted.as_slice();
    while let Some((&(tensor, first), after)) = rest.split_first() {
        let step = after.first().filter(|next| next.0 == tensor).map_or(1, |next| next.1 - first);
        let count = 1 + after
            .iter()
            .enumerate()
            .take_while(|(at, next)| **next == (tensor, first + (at + 1) * step))
            .count();
        out.extend([tensor, first, step, count]);
        rest = &rest[count..];
    }
    out
}
