//! A learned token that is joined to a text or to patches, and an answer that is read from another token.
//! Source: Devlin et al. 2019 and Dosovitskiy et al. 2021: the classifier reads the class token.

use super::flow::{Before, is_parameter, operands, origin, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::targets_not_shifted::hides_later_tokens;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::{Arg, Index, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A411",
    "class-token-unread",
    "the answer is read from another token than the class token",
    "The class token gathers what the answer needs from all tokens. Another token stands for its own word or patch.",
    &[Detector::Cell(detect)],
);

/// The most tensors between the joined tokens and the one that is read.
const MOST_TENSORS: usize = 2000;

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let steps = &cell.trace.steps;
    let joins: Vec<(&Traced, usize)> = steps.iter().filter_map(|step| Some((step, joined(step)?))).collect();
    let [(join, place), ..] = joins.as_slice() else { return Vec::new() };
    // One that begins a text, which is written from its last token.
    if joins.iter().any(|(_, it)| it != place) || steps.iter().any(hides_later_tokens) {
        return Vec::new();
    }
    let Some(all) = join.results.first() else { return Vec::new() };
    let &[_, count, width] = all.shape() else { return Vec::new() };
    let reads: Vec<(&Traced, usize)> =
        steps.iter().filter_map(|step| Some((step, read(step, count, width)?))).collect();
    let is_join =
        |tensor: Tensor| joins.iter().any(|(step, _)| step.result().is_some_and(|it| it.is(&tensor)));
    let of_join = |step: &Traced| step.tensor(0).is_some_and(|it| Before::of(it, MOST_TENSORS).any(is_join));
    let reads: Vec<(&Traced, usize)> = reads.into_iter().filter(|(step, _)| of_join(step)).collect();
    match reads.as_slice() {
        [(step, at), ..] if reads.iter().all(|(_, it)| it == at) && at != place => {
            let observed = format!(
                "A learned token is joined to the others as token {place} of {count}, and only token {at} of the result is read."
            );
            vec![Observation::new(step.site(), observed, format!("x[:, {place}]"))]
        }
        _ => Vec::new(),
    }
}

/// The place of a learned token among others that it is joined with along axis 1, if it is the first or the last.
fn joined(step: &Traced) -> Option<usize> {
    if step.operation.explanation != Explanation::Moved(Movement::Joined) {
        return None;
    }
    let result = step.result()?.clone();
    let parts = operands(&*origin(&result)?);
    let is_learned = |part: &Tensor| {
        let (_, start) = source(part);
        part.ndim() == 3 && part.shape()[1] == 1 && is_parameter(&start) && start.numel() == part.shape()[2]
    };
    let [first, second] = parts.as_slice() else { return None };
    let others = if is_learned(first) { second } else { first };
    if is_learned(first) == is_learned(second)
        || others.ndim() != 3
        || result.ndim() != 3
        || others.shape()[1] < 3
    {
        return None;
    }
    (result.shape()[1] == others.shape()[1] + 1)
        .then(|| if is_learned(first) { 0 } else { others.shape()[1] })
}

/// Which token an operation reads of a tensor that has so many of this width.
fn read(step: &Traced, count: usize, width: usize) -> Option<usize> {
    let (Explanation::Moved(Movement::LookedUp), Some(Arg::Index(parts))) =
        (step.operation.explanation, step.args.get(1))
    else {
        return None;
    };
    let whole =
        |part: &Index| matches!(part, Index::Slice { start: None, stop: None, step: None } | Index::Ellipsis);
    let &[_, tokens, features] = step.operand(0)?.shape() else { return None };
    match &parts[..] {
        [first, Index::Int(at), rest @ ..]
            if whole(first) && rest.iter().all(whole) && tokens == count && features == width =>
        {
            usize::try_from(if *at < 0 { at + count as i64 } else { *at }).ok()
        }
        _ => None,
    }
}
