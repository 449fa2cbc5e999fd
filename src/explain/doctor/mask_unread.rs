//! A mask or a bias that is made for the scores of an attention and that nothing reads.

use super::attention::{Attention, is_softmax};
use super::axes::is_product;
use super::flow::{Before, origin};
use super::mask::fused_visible;
use super::mistake::{Observation, TracedCell, in_line};
use crate::ops::trace::Traced;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::Explanation;
use crate::tensor::{Arg, DType, Tensor};

/// The most operations that are followed back from a bias.
const MOST_RECORDS: usize = 200;

/// An attention: the queries and keys of its scores, its weights if they are known, and whether it hides keys otherwise.
struct Pairs {
    size: [usize; 2],
    weights: Option<Tensor>,
    hides: bool,
}

pub(super) fn detect(cell: &TracedCell) -> Vec<Observation> {
    // Of tensors that are not kept it is not known what reads them.
    if cell.trace.lost() > 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for step in &cell.trace.steps {
        let (Some(place), Some(pairs)) = (step.place(), pairs(step)) else { continue };
        let softmax_at = cell.steps().position(|it| std::ptr::eq(it, step)).unwrap_or(0);
        for (at, made) in cell.steps().enumerate() {
            // In the function of the attention or in one that it calls; in the program itself, before the attention.
            let is_within = match place.function {
                "<module>" => {
                    at < softmax_at && made.place().is_some_and(|it| it.activation == place.activation)
                }
                _ => made.calls.iter().any(|it| it.activation == place.activation),
            };
            if !is_within || made.in_place || made.operation.family == OpFamily::Random {
                continue;
            }
            let Some(tensor) = made.result().cloned() else { continue };
            let is_named = place.function != "<module>" && cell.names.knows(&tensor);
            if is_named || made.is_view && tensor.dtype() != DType::Bool || cell.is_used_after(&tensor, at) {
                continue;
            }
            if let Some(what) = unread(&tensor, &pairs) {
                let line = in_line(step.site().as_ref());
                let observed =
                    format!("{what} is made here, and nothing reads it: the attention{line} does without.");
                let fix = match tensor.dtype() {
                    DType::Bool => {
                        "scores = scores.masked_fill(~seen, -torch.inf), before the softmax; or attn_mask=seen"
                    }
                    _ => "scores = scores + bias, before the softmax; or attn_mask=bias",
                };
                let new = Observation::new(made.site(), observed, fix);
                found.push(new.titled("a mask or a bias is made and has no effect"));
            }
        }
    }
    found
}

/// The scores of an attention.
fn pairs(step: &Traced) -> Option<Pairs> {
    if step.operation.explanation == Explanation::Attention {
        let hides = matches!(step.args.get(5), Some(Arg::Bool(true))) || fused_visible(step).is_some();
        let rows = |at: usize| step.operand(at)?.shape().iter().rev().nth(1).copied();
        return Some(Pairs { size: [rows(0)?, rows(1)?], weights: None, hides });
    }
    let attention = Attention::of_softmax(step)?;
    attention.scores.as_ref()?;
    let &[.., queries, keys] = attention.weights.shape() else { return None };
    Some(Pairs { size: [queries, keys], weights: Some(attention.weights), hides: false })
}

/// What a tensor is, if it is a mask or a bias of these scores that has no effect on the weights.
fn unread(tensor: &Tensor, pairs: &Pairs) -> Option<String> {
    let shape = tensor.shape();
    let is_of_pairs = shape.len() >= 2 && shape[shape.len() - 2..] == pairs.size && pairs.size[0] >= 3;
    if !is_of_pairs || tensor.requires_grad() || tensor.numel() > 1 << 20 {
        return None;
    }
    let values = tensor.to_f64_vec();
    // What only hides keys may have been hidden in another way.
    let shown: Vec<f64> =
        values.iter().copied().filter(|it| *it > -1e4 || tensor.dtype() == DType::Bool).collect();
    let varies = shown.iter().any(|it| *it != shown[0]);
    let size = format!("of {} queries and {} keys", pairs.size[0], pairs.size[1]);
    match tensor.dtype() {
        DType::Bool if varies && !pairs.hides => {
            let is_seen = |kind: bool| has_weight(tensor, pairs, kind);
            (is_seen(true) && is_seen(false)).then(|| format!("A mask {size}"))
        }
        dtype if dtype.is_float() && varies && is_of_places(tensor) => Some(format!("A bias {size}")),
        _ => None,
    }
}

/// Whether a tensor is made of positions only: no product is among what it was computed from.
fn is_of_places(tensor: &Tensor) -> bool {
    let mut walk = Before::of(tensor, MOST_RECORDS);
    let is_computed =
        |it: Tensor| origin(&it).is_some_and(|record| is_product(&record) || is_softmax(&record));
    !walk.any(is_computed) && walk.is_whole()
}

/// Whether some pairs of this kind have a weight that is not 0. A mask that stands for several matrices of weights is read for
/// each of them.
fn has_weight(mask: &Tensor, pairs: &Pairs, kind: bool) -> bool {
    let shape = mask.shape();
    let Some(weights) = &pairs.weights else { return true };
    let whole = weights.shape();
    let is_broadcast = shape.iter().rev().zip(whole.iter().rev()).all(|(a, b)| a == b || *a == 1);
    shape.len() <= whole.len() && is_broadcast && {
        let mask = mask.with_layout(mask.layout().broadcast_to(whole)).to_f64_vec();
        weights.to_f64_vec().iter().zip(mask).any(|(weight, mask)| *weight > 1e-6 && (mask != 0.0) == kind)
    }
}
