//! What a page's script reads: for each tensor the explanations of its elements, and where they came from.
//! A text that several elements share is stored once.

use std::collections::HashMap;

use serde::Serialize;

use super::parts::ExplainedFigure;

#[derive(Serialize)]
struct PageData<'p> {
    /// Every line of every explanation.
    lines: Vec<&'p str>,
    /// The page's tensors, in order.
    tensors: Vec<TensorData<'p>>,
}

#[derive(Serialize)]
struct TensorData<'p> {
    name: &'p str,
    shape: &'p [usize],
    whys: Vec<ElementData>,
}

/// An element's offset; its lines; and its sources: tensor, first element, step, count, and so on.
#[derive(Serialize)]
struct ElementData(usize, Vec<usize>, Vec<usize>);

/// The JSON of the explanations.
pub(super) fn json(tensors: &[ExplainedFigure]) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut all = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        let mut whys = Vec::with_capacity(tensor.whys.len());
        for why in &tensor.whys {
            let own = why.lines.iter().map(|line| {
                *known.entry(line).or_insert_with(|| {
                    lines.push(line);
                    lines.len() - 1
                })
            });
            let own = own.collect();
            whys.push(ElementData(why.offset, own, runs(&why.from)));
        }
        all.push(TensorData { name: &tensor.figure.name, shape: &tensor.figure.shape, whys });
    }
    serde_json::to_string(&PageData { lines, tensors: all }).expect("text and numbers can be written as JSON")
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
